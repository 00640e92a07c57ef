import itertools
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.contracts.json_text import JsonValue
from stages.contracts.policy import Policy
from stages.statistics.policy_estimate import Answers, BriefEstimate, StoredAnswer, estimate_brief
from tests.builders.cases import cases
from tests.builders.policies import policy

FAILED = StoredAnswer(None, usd=1.0)
HALF_FAILED = [StoredAnswer(0.8, 1.0), FAILED, StoredAnswer(0.6, 1.0), FAILED]


def estimated(of: Policy, **answers: list[StoredAnswer]) -> BriefEstimate:
    estimate = estimate_brief(of, answers)
    assert estimate is not None
    return estimate


@cases(
    "tries, failing, usd",
    {  # by hand: of 4 answers 2 fail; C(2, j) / C(4, j), and every further try is called only then
        "one try": (1, 1 / 2, 1.0),
        "two tries": (2, 1 / 6, 1 + 1 / 2),
        "three tries": (3, 0.0, 1 + 1 / 2 + 1 / 6),
    },
)
def test_tries_of_four_answers(tries: int, failing: float, usd: float) -> None:
    estimate = estimated(policy(("a", tries)), a=HALF_FAILED)
    assert estimate.score.usable == pytest.approx(1 - failing)
    assert estimate.score.quality == pytest.approx(0.7)
    assert estimate.usd == pytest.approx(usd)


def test_a_fall_back_is_called_as_often_as_all_tries_fail() -> None:
    estimate = estimated(policy(("a", 2), ("b", 1)), a=HALF_FAILED, b=[StoredAnswer(0.9, 6.0)])
    assert [step.reached for step in estimate.steps] == pytest.approx([1, 1 / 6])
    assert [step.counted for step in estimate.steps] == pytest.approx([5 / 6, 1 / 6])
    assert [step.usd for step in estimate.steps] == pytest.approx([1.5, 1.0])
    assert estimate.score.expected == pytest.approx(5 / 6 * 0.7 + 1 / 6 * 0.9)


def test_the_last_answer_counts_where_none_is_accepted() -> None:
    strict = policy(("a", 1), ("b", 1), accept={"min_score": 0.95})
    estimate = estimated(strict, a=[StoredAnswer(0.8, 1.0)], b=[StoredAnswer(0.5, 1.0)])
    assert estimate.score.expected == pytest.approx(0.5)


def test_more_tries_do_not_help_where_all_answers_to_a_brief_fail() -> None:
    estimate = estimated(policy(("a", 3)), a=[FAILED] * 4)
    assert (estimate.score.usable, estimate.usd) == (0.0, 3.0)


def test_fewer_answers_than_tries_have_no_estimate() -> None:
    both = policy(("a", 2), ("b", 1), ("a", 1))
    assert estimate_brief(both, {"a": HALF_FAILED[:2], "b": HALF_FAILED}) is None
    assert estimate_brief(both, {"a": HALF_FAILED[:3], "b": HALF_FAILED}) is not None
    assert estimate_brief(both, {"a": HALF_FAILED}) is None


def test_a_cost_that_is_not_measured_is_not_0() -> None:
    unknown = [StoredAnswer(0.8), StoredAnswer(None)]
    assert estimated(policy(("a", 1)), a=unknown).usd is None
    never_called = policy(("a", 1), ("b", 1))
    assert estimated(never_called, a=[StoredAnswer(0.8, 1.0)], b=unknown).usd == 1.0


def runs(of: Policy, answers: Answers) -> Iterator[tuple[StoredAnswer, float]]:
    """The answer that counts and the dollars, for every order in which the answers may be drawn."""
    for orders in itertools.product(*(itertools.permutations(answers[name]) for name in of.models)):
        left = {name: list(order) for name, order in zip(of.models, orders, strict=True)}
        usd = 0.0
        for model in [step.model for step in of.steps for _ in range(step.tries)]:
            last = left[model].pop()
            usd += last.usd or 0.0
            if of.accepts(last.score is not None, last.score or 0.0):
                break
        yield last, usd


ANSWERS = st.lists(
    st.builds(StoredAnswer, st.none() | st.floats(0.01, 1.0), st.floats(0, 1), st.none()),
    min_size=4,
    max_size=4,
)
STEPS: Any = st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 2)), min_size=1, max_size=2)


@given(STEPS, ANSWERS, ANSWERS, st.sampled_from(["usable", {"min_score": 0.5}]))
@settings(max_examples=60, deadline=None)
def test_the_estimate_is_the_mean_over_every_order_of_four_answers(
    steps: list[tuple[str, int]],
    a: list[StoredAnswer],
    b: list[StoredAnswer],
    accept: JsonValue,
) -> None:
    of = policy(*steps, accept=accept)
    every = list(runs(of, {"a": a, "b": b}))
    estimate = estimated(of, a=a, b=b)
    expected = math.fsum(answer.score or 0.0 for answer, _ in every) / len(every)
    usable = sum(answer.score is not None for answer, _ in every) / len(every)
    assert estimate.score.expected == pytest.approx(expected)
    assert estimate.score.usable == pytest.approx(usable)
    assert estimate.usd == pytest.approx(math.fsum(usd for _, usd in every) / len(every))
