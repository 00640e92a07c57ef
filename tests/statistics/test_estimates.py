"""Mean scores and differences: against small cases computed by hand, and the laws that their intervals obey."""

from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.statistics.estimates import Scores, briefs_for, difference_of, score_of
from stages.statistics.interval import (
    CAVEATS,
    Difference,
    divided,
    joined,
    mean_interval,
    share_difference_interval,
    share_interval,
    step_down,
)

Side: TypeAlias = dict[str, Scores]

QUALITY = [0.70, 0.75, 0.80, 0.85, 0.90, 0.72, 0.78, 0.83]
ANSWERS = st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=3)
PAIRS = st.lists(st.tuples(ANSWERS, ANSWERS), min_size=2, max_size=10)


def side(*scores: float | None) -> Side:
    return {f"b{index:02}": [score] for index, score in enumerate(scores)}


def one(base: Side, head: Side, confidence: float = 0.95) -> Difference:
    return difference_of({"m": base}, {"m": head}, confidence)


def two_sides(pairs: list[tuple[list[float | None], list[float | None]]]) -> tuple[Side, Side]:
    base: Side = {f"b{index:02}": old for index, (old, _) in enumerate(pairs)}
    head: Side = {f"b{index:02}": new for index, (_, new) in enumerate(pairs)}
    return base, head


def ends(found: Difference) -> tuple[float, float, float]:
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    return found.low, found.value, found.high


def test_a_small_case_has_the_estimates_that_were_worked_out() -> None:
    score = score_of({"b1": [0.8], "b2": [0.9], "b3": [None], "b4": [0.7]})
    assert (score.value, score.low, score.high) == pytest.approx((0.6, 0.144, 0.837), abs=5e-4)
    found = one(
        {"b1": [0.6], "b2": [0.5], "b3": [0.7], "b4": [None]},
        {"b1": [0.7], "b2": [0.7], "b3": [0.8], "b4": [0.8]},
    )
    assert ends(found) == pytest.approx((-0.119, 0.3, 0.71), abs=5e-4)
    assert (score.n, found.briefs) == (4, 4)


def test_a_mean_score_joins_the_share_of_usable_graphs_and_their_quality() -> None:
    score = score_of(side(*QUALITY, None))
    quality = sum(QUALITY) / 8
    of_share, of_quality = share_interval(8 / 9, 8), mean_interval(QUALITY)
    assert of_quality is not None
    assert score.value is not None
    assert score.value == pytest.approx(8 / 9 * quality)
    low = joined(quality * (8 / 9 - of_share.low), 8 / 9 * (quality - of_quality.low), 0)
    high = joined(quality * (of_share.high - 8 / 9), 8 / 9 * (of_quality.high - quality), 0)
    assert (score.low, score.high) == pytest.approx((score.value - low, score.value + high))
    assert [score.usable.value, score.quality.value] == pytest.approx([8 / 9, quality])
    assert [score.usable.n, score.quality.n] == [9, 8]


def test_without_a_failure_the_share_may_still_fall_as_low_as_so_many_briefs_allow() -> None:
    score = score_of(side(*QUALITY))
    assert score.usable.high == 1.0
    assert score.usable.low == pytest.approx(share_interval(1.0, 7).low)


def test_samples_that_never_failed_count_as_one_answer_for_each_brief() -> None:
    once, often = (
        score_of({"a": [1.0], "b": [1.0], "c": [1.0]}),
        score_of({"a": [1.0] * 9, "b": [1.0] * 9, "c": [1.0] * 9}),
    )
    assert once.usable == often.usable


def test_samples_that_fail_independently_say_more_than_samples_that_fail_together() -> None:
    spread = {f"b{index}": [0.8, None] if index % 2 else [0.8, 0.8] for index in range(12)}
    together = {f"b{index}": [None, None] if index % 4 == 1 else [0.8, 0.8] for index in range(12)}
    apart, jointly = score_of(spread).usable, score_of(together).usable
    assert apart.value == jointly.value == 0.75
    assert apart.low is not None
    assert jointly.low is not None
    assert apart.low > jointly.low + 0.05


@pytest.mark.parametrize("found", [side(), {"b": []}], ids=["no brief", "no answer"])
def test_nothing_answered_is_not_measured(found: Side) -> None:
    score = score_of(found)
    assert (score.value, score.low, score.high, score.n) == (None, None, None, 0)
    assert one(found, found).value is None


def test_one_brief_has_a_score_and_no_interval() -> None:
    score = score_of(side(0.8))
    assert (score.value, score.low, score.high) == (0.8, None, None)


def test_a_model_that_never_delivers_scores_zero_and_may_do_better_elsewhere() -> None:
    score = score_of(side(*[None] * 16))
    assert (score.value, score.low) == (0.0, 0.0)
    assert score.high == pytest.approx(share_interval(0.0, 15).high)
    assert score.quality.value is None


def test_a_difference_joins_the_changes_in_quality_and_in_the_share_of_usable_graphs() -> None:
    moves = [0.05, 0.10, 0.00, 0.05, 0.02, 0.08, 0.03]
    base = side(*QUALITY)
    head = side(*(score + move for score, move in zip(QUALITY[:7], moves, strict=True)), None)
    found = one(base, head)
    gain = mean_interval(moves, bounds=(-1, 1))
    assert gain is not None
    old, new = share_interval(1.0, 7), share_interval(7 / 8, 7)
    change = share_difference_interval((1.0, 7 / 8), (old, new), 0)
    quality = (sum(QUALITY) + sum(QUALITY[:7]) + sum(moves)) / 15
    mean = sum(moves) / 7
    low, value, high = ends(found)
    assert value == pytest.approx((sum(moves) - QUALITY[7]) / 8)
    assert value - low == pytest.approx(
        joined(15 / 16 * (mean - gain.low), quality * (-1 / 8 - change.low), 0)
    )
    assert high - value == pytest.approx(
        joined(15 / 16 * (gain.high - mean), quality * (change.high + 1 / 8), 0)
    )
    assert [found.usable.value, found.quality.value] == pytest.approx([-1 / 8, mean])
    assert [found.usable.n, found.quality.n] == [8, 7]


def test_the_estimate_is_the_mean_over_models_of_each_models_own_briefs() -> None:
    base = {"a": side(0.5, 0.5, 0.5, 0.5), "b": side(0.5, 0.5)}
    head = {"a": side(0.6, 0.6, 0.6, 0.6), "b": side(0.9, 0.9)}
    assert difference_of(base, head).value == pytest.approx((0.1 + 0.4) / 2)


def test_losing_the_good_half_of_one_models_answers_changes_nothing_but_the_certainty() -> None:
    strong, weak = side(*[0.9] * 8), side(*[0.4] * 8)
    lost = {brief: scores for brief, scores in weak.items() if brief < "b04"}
    found = difference_of({"strong": strong, "weak": weak}, {"strong": strong, "weak": lost})
    assert [found.value, found.base, found.head] == pytest.approx([0.0, 0.65, 0.65])


def test_a_model_with_fewer_than_two_paired_briefs_is_left_out_and_named() -> None:
    found = difference_of(
        {"a": side(0.5, 0.6), "b": side(0.5)}, {"a": side(0.6, 0.7), "b": side(0.9)}
    )
    assert (found.models, found.left_out) == (("a",), ("b",))
    assert found.value == pytest.approx(0.1)


def test_models_that_fail_on_the_same_brief_are_less_certain_than_models_that_fail_apart() -> None:
    def failing(*briefs: int) -> Side:
        return side(*(None if index in briefs else 0.8 for index in range(12)))

    sound = {"a": failing(), "b": failing(), "c": failing()}
    together = difference_of(sound, {"a": failing(1, 2), "b": failing(1, 2), "c": failing(1, 2)})
    apart = difference_of(sound, {"a": failing(1, 2), "b": failing(3, 4), "c": failing(5, 6)})
    assert together.value == pytest.approx(apart.value)
    assert ends(together)[0] < ends(apart)[0] - 0.02


def test_a_head_without_any_usable_graph_is_far_worse_whatever_its_quality() -> None:
    found = one(side(*QUALITY), side(*[None] * 8))
    low, value, high = ends(found)
    assert value == pytest.approx(-sum(QUALITY) / 8)
    assert -1 <= low < value < high < -0.3


def test_one_failure_leaves_a_clear_lead_far_from_nothing() -> None:
    lead = one(
        side(*[0.60, 0.65, 0.70, 0.62] * 4),
        side(*[0.92, 0.98, 0.95, 0.96] * 3, 0.94, 0.95, 0.93, None),
    )
    assert ends(lead)[0] > 0


@pytest.mark.parametrize(
    ("base", "head", "caveats"),
    [
        (side(*[0.5] * 11), side(*[0.6] * 11), ("few briefs", "few failed")),
        (side(*[0.5] * 12), side(*[0.5] * 10, 0.6, 0.7), ("few moved", "few failed")),
        (side(*[0.5] * 12), side(*[0.6] * 9, *[None] * 3), ()),
        (side(None, *[0.5] * 11), side(None, None, None, *[0.6] * 9), ()),
    ],
    ids=["few briefs", "few moved", "enough of each", "failures on either side count"],
)
def test_caveats_name_what_an_interval_rests_on(
    base: Side, head: Side, caveats: tuple[str, ...]
) -> None:
    assert one(base, head).caveats == caveats
    assert set(caveats) <= CAVEATS.keys()


@settings(deadline=None)
@given(PAIRS)
def test_swapping_the_sides_mirrors_a_difference(
    pairs: list[tuple[list[float | None], list[float | None]]],
) -> None:
    base, head = two_sides(pairs)
    found, swapped = one(base, head), one(head, base)
    if found.value is not None:
        low, value, high = ends(found)
        assert ends(swapped) == pytest.approx((-high, -value, -low), abs=1e-9)


@settings(deadline=None)
@given(PAIRS)
def test_an_interval_holds_its_estimate_within_bounds(
    pairs: list[tuple[list[float | None], list[float | None]]],
) -> None:
    base, head = two_sides(pairs)
    found = one(base, head)
    if found.value is not None:
        low, value, high = ends(found)
        assert -1 <= low <= value <= high <= 1
    score = score_of(base)
    if score.value is not None and score.low is not None and score.high is not None:
        assert 0 <= score.low <= score.value + 1e-12
        assert score.value <= score.high + 1e-12 <= 1 + 1e-12


@settings(deadline=None)
@given(PAIRS)
def test_more_confidence_is_a_longer_interval(
    pairs: list[tuple[list[float | None], list[float | None]]],
) -> None:
    base, head = two_sides(pairs)
    narrow, wide = one(base, head, 0.8), one(base, head, 0.99)
    if narrow.value is not None:
        assert ends(wide)[0] <= ends(narrow)[0] + 1e-9
        assert ends(narrow)[2] <= ends(wide)[2] + 1e-9


@settings(deadline=None)
@given(PAIRS)
def test_four_times_the_same_briefs_give_a_shorter_interval(
    pairs: list[tuple[list[float | None], list[float | None]]],
) -> None:
    once, more = one(*two_sides(pairs)), one(*two_sides(pairs * 4))
    if (
        once.value is not None and more.quality.n == 4 * once.quality.n
    ):  # the quality part is of the same kind in both
        assert ends(more)[0] >= ends(once)[0] - 1e-9
        assert ends(more)[2] <= ends(once)[2] + 1e-9


@settings(deadline=None)
@given(PAIRS, st.integers(2, 4))
def test_the_same_answers_from_several_models_have_the_estimate_of_one(
    pairs: list[tuple[list[float | None], list[float | None]]], models: int
) -> None:
    base, head = two_sides(pairs)
    several = difference_of(
        {str(n): base for n in range(models)}, {str(n): head for n in range(models)}
    )
    single = one(base, head)
    assert [several.value, several.base] == pytest.approx([single.value, single.base])
    assert several.briefs == single.briefs


def test_planned_looks_share_the_error_rate() -> None:
    assert divided(0.95, 1) == pytest.approx(0.95)
    assert divided(0.95, 10) == pytest.approx(0.995)


def test_holm_gives_the_open_comparisons_the_error_rate_of_those_that_are_settled() -> None:
    base = side(*[0.5, 0.52, 0.54, 0.56] * 10)
    clear = side(*[0.9, 0.93, 0.91, 0.92] * 10)
    unclear = side(*[0.5, 0.53, 0.53, 0.57] * 10)
    found = step_down(
        {
            "clear": lambda level: one(base, clear, level),
            "open": lambda level: one(base, unclear, level),
            "unmeasured": lambda level: one(base, side(0.9), level),
        },
        0.95,
    )
    assert found["clear"] == one(base, clear, 0.975)
    assert found["open"] == one(base, unclear, 0.95)
    assert found["unmeasured"].value is None


def test_the_number_of_briefs_that_would_do_is_one_with_which_the_interval_is_short_enough() -> (
    None
):
    base, head = side(*QUALITY), side(*(score + 0.05 for score in QUALITY[:7]), 0.8)
    enough = briefs_for({"m": base}, {"m": head}, 0.08, 0.95)
    assert enough is not None
    base_scores, head_scores = ([scores[0] for scores in each.values()] for each in (base, head))
    more, fewer = (
        one(side(*base_scores * copies), side(*head_scores * copies))
        for copies in (enough // 8, enough // 8 - 1)
    )
    low, value, high = ends(more)
    assert max(value - low, high - value) <= 0.08
    low, value, high = ends(fewer)
    assert max(value - low, high - value) > 0.08


def test_no_number_of_briefs_shortens_an_interval_to_nothing() -> None:
    assert briefs_for({"m": side(*QUALITY)}, {"m": side(*QUALITY[::-1])}, 0.0, 0.95) is None
    assert briefs_for({}, {}, 0.1, 0.95) is None
