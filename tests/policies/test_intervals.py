"""Intervals of a policy given its briefs: what they hold, and where there are none."""

import numpy as np
import pytest

from stages.contracts.policy import Policy
from stages.policies.estimation import Answers, StoredAnswer, estimate_brief
from stages.policies.intervals import RunIntervals, intervals_given_briefs, means_of_runs
from stages.policies.latency import draw_seconds
from stages.statistics.interval import Interval
from tests.builders.cases import cases
from tests.builders.policies import policy

GOOD, LESS_GOOD = StoredAnswer(0.8, 0.01, 9.0), StoredAnswer(0.7, 0.02, 11.0)
FAILED = StoredAnswer(None, 0.01, 10.0)
ONE_TRY = policy(("a", "tries", 1))


def intervals(of: Policy, *briefs: list[StoredAnswer], seed: int = 1) -> RunIntervals:
    return intervals_of(of, [{"a": answers} for answers in briefs], seed=seed)


def intervals_of(of: Policy, briefs: list[Answers], seed: int = 1) -> RunIntervals:
    random = np.random.default_rng(seed)
    estimates = [estimate for brief in briefs if (estimate := estimate_brief(of, brief))]
    seconds = [drawn for brief in briefs if (drawn := draw_seconds(of, brief, random)) is not None]
    means = means_of_runs(estimates, seconds if len(seconds) == len(briefs) else None)
    return intervals_given_briefs(of, briefs, means, 0.95, random)


def length(interval: Interval | None) -> float:
    assert interval is not None
    return interval.high - interval.low


def test_an_interval_of_each_mean_holds_the_estimate() -> None:
    found = intervals(ONE_TRY, *[[GOOD, LESS_GOOD, FAILED, GOOD]] * 8)
    assert found.score is not None
    assert found.score.low < 0.575 < found.score.high
    assert found.usd is not None
    assert found.usd.low < 0.0125 < found.usd.high
    assert found.p95_s is not None
    assert found.p95_s.low < 11.0 < found.p95_s.high


def test_more_answers_make_a_shorter_interval() -> None:
    some = intervals(ONE_TRY, *[[GOOD, FAILED]] * 8)
    more = intervals(ONE_TRY, *[[GOOD, FAILED] * 4] * 8)
    assert length(more.score) < 0.6 * length(some.score)


def test_equal_seeds_give_equal_intervals() -> None:
    briefs = [[GOOD, FAILED]] * 8
    assert intervals(ONE_TRY, *briefs) == intervals(ONE_TRY, *briefs)


def test_briefs_that_fail_together_leave_less_room_than_answers_that_fail_by_chance() -> None:
    together = intervals(ONE_TRY, *[[GOOD] * 4] * 4, *[[FAILED] * 4] * 4)
    by_chance = intervals(ONE_TRY, *[[GOOD, FAILED] * 2] * 8)
    assert length(together.score) < 0.2 * length(by_chance.score)


def test_as_many_tries_as_answers_leave_room_for_other_answers() -> None:
    found = intervals(policy(("a", "tries", 4)), *[[GOOD, FAILED, FAILED, FAILED]] * 8)
    assert length(found.score) > 0.1


@cases(
    "answers, at_least, at_most",
    {  # a failure, or a graph, may be rarer than the answers at hand can show
        "all pass": ([GOOD] * 4, 0.7, 0.9),
        "all fail": ([FAILED] * 4, 0.0, 0.2),
    },
)
def test_answers_that_are_all_alike_do_not_make_certain(
    answers: list[StoredAnswer], at_least: float, at_most: float
) -> None:
    found = intervals(ONE_TRY, *[answers] * 8)
    assert length(found.score) > 0.01
    assert found.score is not None
    assert at_least <= found.score.low
    assert found.score.high <= at_most


def test_one_brief_has_an_interval() -> None:
    assert length(intervals(ONE_TRY, [GOOD, FAILED, GOOD] * 3).score) > 0.3


@pytest.mark.parametrize(("answers", "has_interval"), [(8, False), (9, True)])
def test_an_interval_takes_eight_answers_more_than_briefs(answers: int, has_interval: bool) -> None:
    found = intervals(ONE_TRY, ([GOOD, FAILED] * 5)[:answers])
    assert (found != RunIntervals()) is has_interval


def test_one_answer_to_each_brief_tells_nothing_of_further_ones() -> None:
    assert intervals(ONE_TRY, [GOOD], [FAILED], [GOOD]) == RunIntervals()
    fall_back = policy(("a", "tries", 2), ("b", "tries", 1))
    once: Answers = {"a": [GOOD, FAILED], "b": [GOOD]}
    assert intervals_of(fall_back, [once] * 8) == RunIntervals()


def test_what_is_not_measured_has_no_interval() -> None:
    unknown = StoredAnswer(0.8)
    found = intervals(ONE_TRY, *[[unknown, GOOD]] * 8)
    assert (found.usd, found.p95_s) == (None, None)
    assert found.score is not None


def test_what_costs_nothing_stays_free() -> None:
    free = StoredAnswer(0.8, 0.0, 9.0)
    assert intervals(ONE_TRY, [free] * 9).usd == Interval(0.0, 0.0)


def test_briefs_may_have_different_numbers_of_answers() -> None:
    found = intervals(policy(("a", "tries", 2)), [GOOD, FAILED], [GOOD] * 3, [FAILED] * 6)
    assert found.score is not None
    assert found.score.low < 2 / 3 * 0.8 < found.score.high


@pytest.mark.parametrize("seed", range(3))
def test_the_ends_depend_little_on_the_seed(seed: int) -> None:
    briefs = [[GOOD, LESS_GOOD, FAILED, GOOD]] * 16
    first, other = intervals(ONE_TRY, *briefs), intervals(ONE_TRY, *briefs, seed=2 + seed)
    assert length(other.score) == pytest.approx(length(first.score), rel=0.25)
