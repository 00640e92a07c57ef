"""Pairing by model and brief, and what moved."""

from typing import Any

import pytest

from stages.commands.compare.changes import (
    Figures,
    Wins,
    count_wins,
    failure_rate,
    figures_of,
    moves_of,
)
from stages.commands.compare.pairs import Pair, content_differences, score_differences
from stages.shared.records.scorecard import CheckResult, Scorecard
from tests.builders.cases import cases
from tests.commands.compare.cards import card, cards, paired

FAILED = CheckResult(name="grounding", outcome="fail", message="of another brief")
WARNED = CheckResult(name="numbers", outcome="warn", message="12 is not in the brief")
OF_ANOTHER_BRIEF = card().model_copy(update={"fidelity": (FAILED, WARNED), "usable": False})


def test_answers_are_averaged_a_failure_counts_0_and_a_cell_without_an_answer_is_left_out() -> None:
    base = [card(0.8), card(codes=("X",), sample=2), card(None, sample=3)]
    pairing = paired(base, [card(0.9)])
    (found,) = pairing.pairs
    assert (found.baseline.scores, found.baseline.expected) == ((0.8, 0.0), 0.4)
    assert (pairing.baseline_unanswered, pairing.candidate_unanswered) == (1, 0)


def test_what_only_one_side_has_is_named() -> None:
    base = [card(brief="old"), card(brief="lost")]
    head = [card(brief="new"), card(model="z", brief="old"), card(None, brief="lost")]
    pairing = paired(base, head)
    assert pairing.only_baseline == (("m", "old"),)
    assert pairing.only_candidate == (("m", "new"), ("z", "old"))
    assert (pairing.pairs, pairing.unpaired) == ((), (("m", "lost"),))
    assert pairing.lost == {"m": 0.5}


def test_models_are_averaged_on_each_brief() -> None:
    base = [*cards([0.5, 0.5]), *cards([0.5], model="n")]
    head = [card(0.7), card(0.7, brief="b02"), card(model="n", codes=("X",))]
    pairs = paired(base, head).pairs
    assert score_differences(pairs) == pytest.approx({"b01": (0.2 - 0.5) / 2, "b02": 0.2})
    assert count_wins(pairs) == Wins(1, 1, 0)


def contents(*values: float | None, **more: Any) -> list[Scorecard]:
    return [card(content=value, sample=sample, **more) for sample, value in enumerate(values, 1)]


@cases(
    "base, head, difference",
    {
        "means over samples": (contents(0.5, 0.25), contents(1.0, 0.75), 0.5),
        "a graph that is invalid has none right": (contents(0.5), [card(codes=("X",))], -0.5),
        "and so has one that is not usable": (contents(0.5), contents(0.7, usable=False), -0.5),
        "no answer": (contents(0.5), [*contents(0.9), card(None, sample=2)], 0.4),
        "labels that cannot be read": (contents(0.5), contents(None), None),
        "nothing is stated": ([card(codes=("X",))], contents(None), None),
    },
)
def test_content_counts_an_answer_without_a_usable_graph_as_0_where_effects_are_stated(
    base: list[Scorecard], head: list[Scorecard], difference: float | None
) -> None:
    found = content_differences(paired(base, head).pairs)
    assert found == ({} if difference is None else {"b01": pytest.approx(difference)})


@cases(
    "head, unchanged",
    {
        "the same answer": (card(fingerprint="f", content=0.5), True),
        "another answer": (card(fingerprint="g", content=0.5), False),
        "by other rules": (card(fingerprint="f", content=0.5, rules="other"), False),
        "an unknown answer": (card(content=0.5), False),
        "its score to four decimals": (card(0.80004, fingerprint="f", content=0.5), True),
        "scored differently": (card(0.801, fingerprint="f", content=0.5), False),
        "read by another codebook": (card(fingerprint="f", content=0.75), False),
    },
)
def test_the_same_answers_with_the_same_scores_are_unchanged(
    head: Scorecard, unchanged: bool
) -> None:
    (found,) = paired([card(fingerprint="f", content=0.5)], [head]).pairs
    assert found.unchanged is unchanged


def pairs_of(base: list[Scorecard], head: list[Scorecard]) -> tuple[Pair, ...]:
    return paired(base, head).pairs


@cases(
    "base, head, gained, lost",
    {
        "violations": ([card(codes=("X",))], [card(codes=("Y",))], ("Y",), ("X",)),
        "one that a sample had": (
            [card(), card(codes=("X",), sample=2)],
            [card(codes=("X",)), card(codes=("X",), sample=2)],
            (),
            (),
        ),
        "a failed check, not a warning": ([card()], [OF_ANOTHER_BRIEF], ("grounding",), ()),
        "a status": ([card()], [card(status="parse_failed", codes=("X",))], ("parse_failed",), ()),
    },
)
def test_what_was_gained_and_lost_is_named(
    base: list[Scorecard], head: list[Scorecard], gained: tuple[str, ...], lost: tuple[str, ...]
) -> None:
    (move,) = moves_of(pairs_of(base, head))
    assert [(cell.gained, cell.lost) for cell in move.models] == [(gained, lost)]


def test_the_brief_that_moved_farthest_comes_first_and_one_that_did_not_move_is_left_out() -> None:
    base = [*cards([0.5] * 4), *cards([0.5], model="n"), card(0.5, brief="b05", content=0.2)]
    head = [*cards([0.75, 0.5, 0.4, 0.2]), *cards([0.25], model="n")]
    found = moves_of(pairs_of(base, [*head, card(0.5, brief="b05", content=0.4)]))
    assert [(move.brief_id, len(move.models)) for move in found] == [
        ("b04", 1), ("b03", 1), ("b01", 2), ("b05", 1),
    ]  # fmt: skip


def figures(base: list[Scorecard], head: list[Scorecard]) -> Figures:
    found = figures_of(pairs_of(base, head), 0.95)
    assert found is not None
    return found


def test_where_none_failed_up_to_three_in_so_many_briefs_may() -> None:
    found = figures([*cards([0.8] * 16)], [*cards([0.8] * 15), card(brief="b16", codes=("X",))])
    none, one = (failure_rate(side, 0.95) for side in (found.baseline, found.candidate))
    assert (none.value, none.low) == (0, 0)
    assert none.high == pytest.approx(3 / 16, rel=0.01)
    assert (one.value, one.n) == pytest.approx((1 / 16, 16))
    assert (one.low or 0) > 0


def test_cost_is_a_ratio_of_means_and_latency_the_geometric_mean_of_ratios() -> None:
    base, head = (
        [
            card(brief=brief, est_cost_usd=usd, latency_ms=latency)
            for brief, usd, latency in zip(("b01", "b02"), *values, strict=True)
        ]
        for values in (((0.01, 0.03), (100.0, 1000.0)), ((0.02, 0.04), (200.0, 500.0)))
    )
    found = figures(base, head)
    assert found.candidate.cost.per_answer == pytest.approx(0.03)
    assert (found.cost_ratio, found.latency_ratio) == pytest.approx((1.5, 1.0))


@cases(
    "head",
    {"not known": card(), "free": card(est_cost_usd=0.0), "no time": card(latency_ms=0.0)},
)
def test_without_two_costs_there_is_no_ratio(head: Scorecard) -> None:
    found = figures([card(est_cost_usd=0.0, latency_ms=5.0)], [head])
    assert (found.cost_ratio, found.latency_ratio) == (None, None)
