"""What moved."""

from stages.compare.movement import CodeMove, moves
from stages.compare.pairing import pair
from tests.compare.cards import card, cards


def test_the_brief_that_moved_farthest_stands_first_and_the_still_one_nowhere() -> None:
    found = moves(pair(cards([0.5, 0.5, 0.5]), cards([0.5, 0.6, 0.2])).pairs)
    assert [move.brief_id for move in found] == ["b03", "b02"]


def test_violations_gained_and_lost_name_their_models() -> None:
    base = [card(model="a", codes=("CYCLE_DETECTED",)), card(model="b", codes=("CYCLE_DETECTED",))]
    head = [card(model="a", codes=("MISSING_GOAL",)), card(0.9, model="b")]
    (found,) = moves(pair(base, head).pairs)
    assert found.gained == (CodeMove("MISSING_GOAL", ("a",)),)
    assert found.lost == (CodeMove("CYCLE_DETECTED", ("a", "b")),)


def test_a_violation_that_some_sample_had_before_is_not_gained() -> None:
    base = [card(0.8), card(codes=("X",), sample=2)]
    head = [card(codes=("X",)), card(codes=("X",), sample=2)]
    (found,) = moves(pair(base, head).pairs)
    assert (found.gained, found.lost) == ((), ())


def test_an_answer_that_does_not_parse_is_named_by_its_status() -> None:
    (found,) = moves(pair([card(0.8)], [card(status="parse_failed", codes=("NO_GRAPH",))]).pairs)
    assert found.gained == (CodeMove("parse_failed", ("m",)),)


def test_models_that_moved_against_each_other_are_shown_though_the_mean_stood_still() -> None:
    base = [card(0.5, model="a"), card(0.5, model="b")]
    head = [card(0.75, model="a"), card(0.25, model="b")]
    assert [move.difference for move in moves(pair(base, head).pairs)] == [0.0]
