"""Usable graphs, cost, latency, and the briefs that moved."""

import pytest

from stages.compare.changes import Wins, count_wins, efficiency, moved_cells, moves
from stages.compare.pairing import pair
from stages.contracts.scorecard import CheckResult
from tests.compare.cards import card, cards


def test_a_failure_is_a_loss_and_models_are_averaged_on_each_brief() -> None:
    base = [*cards([0.5, 0.5, 0.5]), *cards([0.5], model="n")]
    head = [*cards([0.6, 0.5, None], codes=()), *cards([0.2], model="n")]
    failed = card(brief="b03", codes=("X",))
    assert count_wins(pair(base, [*head[:2], failed, head[3]]).pairs) == Wins(0, 2, 1)


def test_usable_graphs_are_counted_among_answers() -> None:
    found = efficiency(
        pair([card(0.8), card(None, sample=2)], [card(codes=("X",)), card(0.8, sample=2)]).pairs
    )
    assert (found.base_usable, found.base_answered) == (1, 1)
    assert (found.head_usable, found.head_answered) == (1, 2)


def test_the_cost_ratio_is_of_the_mean_costs_per_answer() -> None:
    base = [card(est_cost_usd=0.01), card(brief="b02", est_cost_usd=0.03)]
    head = [card(est_cost_usd=0.02), card(brief="b02", est_cost_usd=0.04)]
    found = efficiency(pair(base, head).pairs)
    assert found.base_cost_usd == pytest.approx(0.02)
    assert found.head_cost_usd == pytest.approx(0.03)
    assert found.cost_ratio == pytest.approx(1.5)


def test_the_latency_ratio_is_the_geometric_mean_over_pairs() -> None:
    base = [card(latency_ms=100.0), card(brief="b02", latency_ms=1000.0)]
    head = [card(latency_ms=200.0), card(brief="b02", latency_ms=500.0)]
    assert efficiency(pair(base, head).pairs).latency_ratio == pytest.approx(1.0)


def test_what_is_known_on_one_side_only_makes_no_ratio() -> None:
    found = efficiency(pair([card(est_cost_usd=0.01, latency_ms=5.0)], [card()]).pairs)
    assert (found.cost_ratio, found.latency_ratio, found.base_cost_usd) == (None, None, None)


def test_free_answers_make_no_ratio() -> None:
    found = efficiency(pair([card(est_cost_usd=0.0)], [card(est_cost_usd=0.0)]).pairs)
    assert (found.base_cost_usd, found.cost_ratio) == (0.0, None)


def test_the_brief_that_moved_farthest_comes_first_and_one_that_did_not_move_is_left_out() -> None:
    found = moves(pair(cards([0.5, 0.5, 0.5]), cards([0.5, 0.6, 0.2])).pairs)
    assert [move.brief_id for move in found] == ["b03", "b02"]


def test_violations_gained_and_lost_name_their_models() -> None:
    base = [card(model="a", codes=("CYCLE_DETECTED",)), card(model="b", codes=("CYCLE_DETECTED",))]
    head = [card(model="a", codes=("MISSING_GOAL",)), card(0.9, model="b")]
    (found,) = moves(pair(base, head).pairs)
    assert [(cell.model_id, cell.gained, cell.lost) for cell in found.models] == [
        ("a", ("MISSING_GOAL",), ("CYCLE_DETECTED",)),
        ("b", (), ("CYCLE_DETECTED",)),
    ]


def test_a_violation_that_some_sample_had_before_is_not_gained() -> None:
    base = [card(0.8), card(codes=("X",), sample=2)]
    head = [card(codes=("X",)), card(codes=("X",), sample=2)]
    (found,) = moves(pair(base, head).pairs)
    assert [(cell.gained, cell.lost) for cell in found.models] == [((), ())]


def test_a_moved_cell_has_the_violations_of_its_own_model() -> None:
    base = [card(0.8, model="a"), card(0.8, model="b")]
    head = [card(model="a", codes=("X",)), card(0.7, model="b")]
    found = moved_cells(moves(pair(base, head).pairs))
    assert [(cell.model_id, cell.gained) for cell in found] == [("a", ("X",)), ("b", ())]


def test_a_failed_fidelity_check_is_named_and_a_warning_is_not() -> None:
    checks = [
        CheckResult(name="grounding", outcome="fail", message="of another brief"),
        CheckResult(name="numbers", outcome="warn", message="12 is not in the brief"),
    ]
    (found,) = moves(
        pair([card(0.8)], [card(0.8).model_copy(update={"fidelity": tuple(checks)})]).pairs
    )
    assert [cell.gained for cell in found.models] == [("grounding",)]


def test_an_answer_that_does_not_parse_is_named_by_its_status() -> None:
    (found,) = moves(pair([card(0.8)], [card(status="parse_failed", codes=("NO_GRAPH",))]).pairs)
    assert [cell.gained for cell in found.models] == [("parse_failed",)]


def test_models_that_moved_against_each_other_are_shown_though_the_mean_did_not_change() -> None:
    base = [card(0.5, model="a"), card(0.5, model="b")]
    head = [card(0.75, model="a"), card(0.25, model="b")]
    assert [move.difference for move in moves(pair(base, head).pairs)] == [0.0]
