import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graph_evaluator.analysis.policy_estimate import estimate_brief, run_policy
from graph_evaluator.analysis.scored_cell import ScoredCell, scored_cell
from graph_evaluator.analysis.summary import Summary, summarise
from graph_evaluator.records.json_text import JsonValue
from graph_evaluator.records.model_config import Policy
from graph_evaluator.records.record import Measurement
from tests.builders.cases import cases
from tests.builders.policies import policy
from tests.builders.scorecards import card, invalid, unanswered


def answer(score: float | None, usd: float | None = None) -> ScoredCell:
    fields: dict[str, Any] = {"est_cost_usd": usd}
    return scored_cell(invalid(**fields) if score is None else card(score=score, **fields))


FAILED = answer(None, 1.0)
HALF_FAILED = [answer(0.8, 1.0), FAILED, answer(0.6, 1.0), FAILED]


def numbered(answers: dict[str, list[ScoredCell]]) -> list[ScoredCell]:
    """The answers as samples of their models."""
    return [
        replace(cell, model_id=model, sample=sample)
        for model, cells in answers.items()
        for sample, cell in enumerate(cells, 1)
    ]


def summarised(of: Policy, **answers: list[ScoredCell]) -> Summary:
    runs = run_policy(of, numbered(answers))
    return summarise(runs.cells, runs.weights)


@cases(
    "tries, failing, usd",
    {  # by hand: of 4 answers 2 fail; C(2, j) / C(4, j), and every further try is called only then
        "one try": (1, 1 / 2, 1.0),
        "two tries": (2, 1 / 6, 1 + 1 / 2),
        "three tries": (3, 0.0, 1 + 1 / 2 + 1 / 6),
    },
)
def test_tries_of_four_answers(tries: int, failing: float, usd: float) -> None:
    summary = summarised(policy(("a", tries)), a=HALF_FAILED)
    assert summary.usable == pytest.approx(1 - failing)
    assert summary.quality.value == pytest.approx(0.7)
    assert summary.cost.per_answer == pytest.approx(usd)


def test_fewer_answers_than_tries_have_no_estimate() -> None:
    both = policy(("a", 2), ("b", 1), ("a", 1))
    assert estimate_brief(both, numbered({"a": HALF_FAILED[:2], "b": HALF_FAILED})) is None
    assert estimate_brief(both, numbered({"a": HALF_FAILED[:3], "b": HALF_FAILED})) is not None
    assert estimate_brief(both, numbered({"a": HALF_FAILED})) is None


def test_a_cost_that_is_not_measured_is_not_0() -> None:
    unknown = [answer(0.8), answer(None)]
    assert summarised(policy(("a", 1)), a=unknown).cost.usd is None
    never_called = policy(("a", 1), ("b", 1))
    assert summarised(never_called, a=[answer(0.8, 1.0)], b=unknown).cost.usd == 1.0


def runs(of: Policy, answers: dict[str, list[ScoredCell]]) -> Iterator[tuple[ScoredCell, float]]:
    """The answer that counts and the dollars, for every order in which the answers may be drawn."""
    for orders in itertools.product(*(itertools.permutations(answers[name]) for name in of.models)):
        left = {name: list(order) for name, order in zip(of.models, orders, strict=True)}
        usd = 0.0
        for model in [step.model for step in of.steps for _ in range(step.tries)]:
            last = left[model].pop()
            usd += last.cost.est_cost_usd or 0.0
            if of.accepts(last.usable, last.score):
                break
        yield last, usd


ANSWERS = st.lists(
    st.builds(answer, st.none() | st.floats(0.01, 1.0), st.floats(0, 1)),
    min_size=4,
    max_size=4,
)
STEPS: Any = st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 2)), min_size=1, max_size=2)


@given(STEPS, ANSWERS, ANSWERS, st.sampled_from(["usable", {"min_score": 0.5}]))
@example([("a", 1)], HALF_FAILED[:3], HALF_FAILED, "usable")
@settings(max_examples=60)
def test_the_estimate_is_the_mean_over_every_order_of_four_answers(
    steps: list[tuple[str, int]],
    a: list[ScoredCell],
    b: list[ScoredCell],
    accept: JsonValue,
) -> None:
    of = policy(*steps, accept=accept)
    every = list(runs(of, {"a": a, "b": b}))
    summary = summarised(of, a=a, b=b)
    expected = math.fsum(cell.score for cell, _ in every) / len(every)
    usable = sum(cell.usable for cell, _ in every) / len(every)
    assert summary.expected.value == pytest.approx(expected)
    assert summary.usable == pytest.approx(usable)
    assert summary.cost.usd == pytest.approx(math.fsum(usd for _, usd in every) / len(every))


def test_a_brief_with_too_few_answers_is_missing_and_counts_nothing() -> None:
    asked_twice = [scored_cell(card("a", "b1", 0.5, sample)) for sample in (1, 2)]
    asked_once = [
        scored_cell(card("a", "b2", 0.9)),
        scored_cell(unanswered("server_error", "a", "b2", sample=2)),
    ]
    runs = run_policy(policy(("a", 2)), [*asked_twice, *asked_once])
    assert runs.missing == ("b2",)
    summary = summarise(runs.cells, runs.weights)
    assert (summary.expected, summary.calls) == (Measurement(value=0.5, n=1), 1)
