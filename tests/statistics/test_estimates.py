"""Mean scores and differences: recomputed by other means, and the laws that they obey."""

import math
from statistics import fmean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stages.statistics.estimates import (
    BriefScore,
    Difference,
    IntervalEstimate,
    Scores,
    Side,
    brief_score,
    briefs_for,
    difference_of,
    mean_score_of,
    score_of,
    side_of,
)
from stages.statistics.interval import mean_interval, share_interval
from tests.builders.cases import cases

QUALITY = [0.70, 0.75, 0.80, 0.85, 0.90, 0.72, 0.78, 0.83]
SCORES = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)
ANSWERS = st.lists(st.one_of(st.none(), SCORES), max_size=3)
PAIRS = st.lists(st.tuples(ANSWERS, ANSWERS), min_size=2, max_size=10)
Drawn = list[tuple[list[float | None], list[float | None]]]


def side(*scores: float | None) -> dict[str, BriefScore]:
    return side_of({f"b{index:02}": [score] for index, score in enumerate(scores)})


def two_sides(pairs: Drawn) -> tuple[Side, Side]:
    base: dict[str, Scores] = {f"b{index:02}": old for index, (old, _) in enumerate(pairs)}
    head: dict[str, Scores] = {f"b{index:02}": new for index, (_, new) in enumerate(pairs)}
    return side_of(base), side_of(head)


def compared(base: Side, head: Side, confidence: float = 0.95) -> Difference:
    return difference_of({"m": base}, {"m": head}, confidence)


def ends(estimate: Difference | IntervalEstimate) -> tuple[float, float, float]:
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.value, estimate.high


def students(values: list[float]) -> tuple[float, float]:
    interval = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    return float(interval.low), float(interval.high)


@cases(
    "scores, expected",
    {
        "a graph": ([0.8], BriefScore(0.8, 1.0, 0.8)),
        "half failed": ([0.8, None, 0.4, None], BriefScore(0.3, 0.5, 0.6)),
        "none usable": ([None], BriefScore(0.0, 0.0, None)),
    },
)
def test_a_brief_has_the_means_of_its_answers(scores: Scores, expected: BriefScore) -> None:
    score = brief_score(scores)
    assert (score.expected, score.usable) == pytest.approx((expected.expected, expected.usable))
    assert score.quality == pytest.approx(expected.quality)


def test_briefs_without_an_answer_are_left_out() -> None:
    assert list(side_of({"a": [0.5], "b": []})) == ["a"]


def test_a_mean_score_has_students_interval_with_a_brief_of_0_and_one_of_1() -> None:
    score = score_of(side(*QUALITY, None))
    low, high = students([*QUALITY, 0.0, 0.0, 1.0])
    assert ends(score) == pytest.approx((low, sum(QUALITY) / 9, high))
    assert ends(score.usable)[1] == pytest.approx(8 / 9)
    assert score.usable.low == share_interval(8 / 9, 8).low
    spread = mean_interval(QUALITY)
    assert spread is not None
    assert (score.quality.low, score.quality.high, score.quality.n) == (spread.low, spread.high, 8)


def test_models_are_averaged_on_each_brief_before_the_briefs_are() -> None:
    first, second = side(0.2, 0.4, 0.6), side(0.4, 0.4)
    score = mean_score_of({"a": first, "b": second})
    assert score.value == pytest.approx((0.3 + 0.4 + 0.6) / 3)
    assert score.n == 3


@cases(
    "scores",
    {
        "no brief": {},
        "no answer": side_of({"b": []}),
    },
)
def test_nothing_answered_is_not_measured(scores: Side) -> None:
    score = score_of(scores)
    assert (score.value, score.low, score.high, score.n) == (None, None, None, 0)
    assert compared(scores, scores).value is None


def test_one_brief_has_a_score_and_no_interval() -> None:
    score = score_of(side(0.8))
    assert (score.value, score.low, score.high, score.usable.low) == (0.8, None, None, None)


def test_a_model_that_never_delivers_scores_zero_and_may_do_better_elsewhere() -> None:
    score = score_of(side(*[None] * 16))
    assert (score.value, score.low, score.quality.value) == (0.0, 0.0, None)
    assert ends(score)[2] > 0.05


def test_a_difference_is_recomputed_by_hand() -> None:
    moves = [0.05, 0.10, 0.00, 0.05, 0.02, 0.08, 0.03]
    moved = [score + move for score, move in zip(QUALITY[:7], moves, strict=True)]
    difference = compared(side(*QUALITY), side(*moved, None))
    changes = [*moves, -QUALITY[7]]
    quality = max(fmean(QUALITY), fmean(moved))
    squares = sum((change - fmean(changes)) ** 2 for change in changes)
    half = stats.t.ppf(0.975, 11) * math.sqrt((squares + 4 * quality**2) / (11 * 12))
    mean = fmean(changes)
    assert ends(difference) == pytest.approx((mean - half, mean, mean + half))
    gain = mean_interval(moves, bounds=(-1, 1))
    assert gain is not None
    assert ends(difference.quality) == pytest.approx((gain.low, fmean(moves), gain.high))
    assert (difference.base_failures, difference.head_failures) == pytest.approx((0.0, 1 / 8))
    assert [difference.base, difference.base_quality] == pytest.approx([fmean(QUALITY)] * 2)
    assert [difference.n, difference.quality.n, difference.usable.n] == [8, 7, 8]


def test_a_change_in_the_share_of_usable_graphs_leaves_room_for_unseen_failures_too() -> None:
    usable = compared(side(*[0.5] * 8), side(*[0.5] * 6, None, None)).usable
    changes = [0.0] * 6 + [-1.0] * 2
    extended = [*changes, -1.25, -1.25, 0.75, 0.75]
    half = stats.t.ppf(0.975, 11) * stdev(extended) / math.sqrt(12)
    assert ends(usable) == pytest.approx((-0.25 - half, -0.25, -0.25 + half))


def test_what_the_models_gain_is_averaged_on_each_brief() -> None:
    base = {"a": side(0.5, 0.5, 0.5, 0.5), "b": side(0.5, 0.5)}
    head = {"a": side(0.6, 0.6, 0.6, 0.6), "b": side(0.9, 0.9)}
    assert difference_of(base, head).value == pytest.approx((0.25 + 0.25 + 0.1 + 0.1) / 4)


def test_a_model_with_fewer_than_two_paired_briefs_is_left_out_and_named() -> None:
    difference = difference_of(
        {"a": side(0.5, 0.6), "b": side(0.5), "c": side(0.1, 0.2)},
        {"a": side(0.6, 0.7), "b": side(0.9)},
    )
    assert (difference.models, difference.left_out) == (("a",), ("b",))
    assert difference.value == pytest.approx(0.1)


def test_models_that_fail_on_the_same_brief_are_less_certain_than_models_that_fail_apart() -> None:
    def failing(*briefs: int) -> Side:
        return side(*(None if index in briefs else 0.8 for index in range(12)))

    sound = {"a": failing(), "b": failing(), "c": failing()}
    together = difference_of(sound, {"a": failing(1, 2), "b": failing(1, 2), "c": failing(1, 2)})
    apart = difference_of(sound, {"a": failing(1, 2), "b": failing(3, 4), "c": failing(5, 6)})
    assert together.value == pytest.approx(apart.value)
    assert ends(together)[0] < ends(apart)[0] - 0.02


def test_a_head_without_any_usable_graph_is_far_worse_whatever_its_quality() -> None:
    difference = compared(side(*QUALITY), side(*[None] * 8))
    low, value, high = ends(difference)
    assert value == pytest.approx(-fmean(QUALITY))
    assert -1 <= low < value < high < -0.3
    assert difference.quality.value is None


def test_without_any_usable_graph_a_failure_less_could_move_a_brief_by_all_of_the_scale() -> None:
    low, value, high = ends(compared(side(*[None] * 8), side(*[None] * 8)))
    assert (value, high) == pytest.approx((0.0, stats.t.ppf(0.975, 11) * 2 / math.sqrt(11 * 12)))
    assert low == -high


@settings(deadline=None)
@given(PAIRS)
def test_swapping_the_sides_mirrors_a_difference(pairs: Drawn) -> None:
    base, head = two_sides(pairs)
    difference, swapped = compared(base, head), compared(head, base)
    for part, mirror in ((difference, swapped), (difference.quality, swapped.quality)):
        if part.low is not None:
            low, value, high = ends(part)
            assert ends(mirror) == pytest.approx((-high, -value, -low), abs=1e-9)
    assert difference.base_failures == swapped.head_failures


@settings(deadline=None)
@given(PAIRS)
def test_an_interval_holds_its_estimate_within_bounds(pairs: Drawn) -> None:
    base, head = two_sides(pairs)
    difference = compared(base, head)
    if difference.value is not None:
        low, value, high = ends(difference)
        assert -1 <= low <= value <= high <= 1
    score = score_of(base)
    if score.low is not None:
        low, value, high = ends(score)
        assert 0 <= low <= value <= high <= 1


@settings(deadline=None)
@given(PAIRS, st.integers(2, 4))
def test_the_same_answers_from_several_models_are_the_answers_of_one(
    pairs: Drawn, models: int
) -> None:
    base, head = two_sides(pairs)
    names = [str(number) for number in range(models)]
    several = difference_of(dict.fromkeys(names, base), dict.fromkeys(names, head))
    single = compared(base, head)
    assert [several.value, several.low] == pytest.approx([single.value, single.low])
    assert several.n == single.n


@cases(
    "estimate, half_width",
    {
        "no length": (IntervalEstimate(0.05, -0.01, 0.11, 16), 0.0),
        "more than 64 times as many": (IntervalEstimate(0.05, -0.01, 0.11, 16), 0.0074),
        "no interval": (IntervalEstimate(0.05, n=1), 0.1),
    },
)
def test_no_number_of_briefs_is_proposed(estimate: IntervalEstimate, half_width: float) -> None:
    assert briefs_for(estimate, half_width) is None
