"""Quality, failures, cost, latency, and the briefs that moved."""

from collections.abc import Sequence

import pytest

from stages.commands.compare.changes import (
    Figures,
    Wins,
    count_wins,
    failure_rate,
    figures_of,
    moved_cells,
    moves_of,
)
from stages.shared.records.scorecard import CheckResult, Scorecard
from tests.commands.compare.cards import card, cards, paired


def test_a_failure_is_a_loss_and_models_are_averaged_on_each_brief() -> None:
    base = [*cards([0.5, 0.5, 0.5]), *cards([0.5], model="n")]
    head = [*cards([0.6, 0.5, None], codes=()), *cards([0.2], model="n")]
    failed = card(brief="b03", codes=("X",))
    assert count_wins(paired(base, [*head[:2], failed, head[3]]).pairs) == Wins(0, 2, 1)


def figures(base: Sequence[Scorecard], head: Sequence[Scorecard]) -> Figures:
    found = figures_of(paired(base, head).pairs, 0.95)
    assert found is not None
    return found


def test_where_none_failed_up_to_three_in_so_many_briefs_may() -> None:
    found = figures(cards([0.8] * 16), [*cards([0.8] * 15), card(brief="b16", codes=("X",))])
    none, one = (failure_rate(side, 0.95) for side in (found.baseline, found.candidate))
    assert (none.value, none.low) == (0, 0)
    assert none.high == pytest.approx(3 / 16, rel=0.01)
    assert (one.value, one.n) == pytest.approx((1 / 16, 16))
    assert (one.low or 0) > 0


def test_cost_is_a_ratio_of_means_and_latency_the_geometric_mean_of_ratios() -> None:
    base = [
        card(est_cost_usd=0.01, latency_ms=100.0),
        card(brief="b02", est_cost_usd=0.03, latency_ms=1000.0),
    ]
    head = [
        card(est_cost_usd=0.02, latency_ms=200.0),
        card(brief="b02", est_cost_usd=0.04, latency_ms=500.0),
    ]
    found = figures(base, head)
    assert found.candidate.cost.per_answer == pytest.approx(0.03)
    assert (found.cost_ratio, found.latency_ratio) == pytest.approx((1.5, 1.0))


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(card(), id="known on one side only"),
        pytest.param(card(est_cost_usd=0.0), id="free"),
        pytest.param(card(latency_ms=0.0), id="in no time"),
    ],
)
def test_without_two_costs_there_is_no_ratio(head: Scorecard) -> None:
    found = figures([card(est_cost_usd=0.0, latency_ms=5.0)], [head])
    assert (found.cost_ratio, found.latency_ratio) == (None, None)


def test_the_brief_that_moved_farthest_comes_first_and_one_that_did_not_move_is_left_out() -> None:
    found = moves_of(paired(cards([0.5, 0.5, 0.5]), cards([0.5, 0.6, 0.2])).pairs)
    assert [move.brief_id for move in found] == ["b03", "b02"]


def test_a_moved_cell_has_the_violations_of_its_own_model() -> None:
    base = [card(0.8, model="a"), card(0.8, model="b")]
    head = [card(model="a", codes=("X",)), card(0.7, model="b")]
    found = moved_cells(moves_of(paired(base, head).pairs))
    assert [(cell.model_id, cell.gained) for cell in found] == [("a", ("X",)), ("b", ())]
    assert moved_cells(moves_of(paired(base, base).pairs)) == []


WARNED = CheckResult(name="numbers", outcome="warn", message="12 is not in the brief")
FAILED = CheckResult(name="grounding", outcome="fail", message="of another brief")


@pytest.mark.parametrize(
    ("base", "head", "gained", "lost"),
    [
        pytest.param([card(codes=("X",))], [card(codes=("Y",))], ("Y",), ("X",), id="violations"),
        pytest.param(
            [card(), card(codes=("X",), sample=2)],
            [card(codes=("X",)), card(codes=("X",), sample=2)],
            (),
            (),
            id="a violation that some sample had before",
        ),
        pytest.param(
            [card()],
            [card().model_copy(update={"fidelity": (FAILED, WARNED), "usable": False})],
            ("grounding",),
            (),
            id="a failed check, not a warning",
        ),
        pytest.param(
            [card()],
            [card(status="parse_failed", codes=("NO_GRAPH",))],
            ("parse_failed",),
            (),
            id="the status of an answer that does not parse",
        ),
    ],
)
def test_what_was_gained_and_lost_is_named(
    base: list[Scorecard], head: list[Scorecard], gained: tuple[str, ...], lost: tuple[str, ...]
) -> None:
    (move,) = moves_of(paired(base, head).pairs)
    assert [(cell.gained, cell.lost) for cell in move.models] == [(gained, lost)]


def test_models_that_moved_against_each_other_are_shown_though_the_mean_did_not_change() -> None:
    base = [card(0.5, model="a"), card(0.5, model="b")]
    head = [card(0.75, model="a"), card(0.25, model="b")]
    assert [move.difference for move in moves_of(paired(base, head).pairs)] == [0.0]
