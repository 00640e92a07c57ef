"""The paired test of a candidate against a baseline over briefs: of one number, and of expected
score and content together, which share one error rate. Pure.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from graph_evaluator.analysis.interval import step_down
from graph_evaluator.records.params import CompareParams
from graph_evaluator.records.record import NOT_MEASURED, Measurement

Floats: TypeAlias = NDArray[np.float64]
Verdict = Literal[
    "could not measure",
    "unchanged",
    "better",
    "worse",
    "mixed",
    "no meaningful difference",
    "cannot tell",
]
"""Of a comparison. A test of one number is never *mixed*, and no test says *unchanged*."""
MIN_BRIEFS = 6
"""The fewest briefs with a score on both sides for a verdict."""
FEW_BRIEFS = 25
"""From so many briefs on a long tail is no caveat."""
LONG_SKEWNESS, LONG_KURTOSIS = 1.2, 5.0
"""Differences with a skewness to either side, or a kurtosis, above this have a long tail, as 3 to
5 % of normally distributed ones have by chance.
"""
EQUAL = 0.001
"""Differences are equal if they are in the three decimals that are shown."""
UNSEEN_MOVE, UNSEEN_TIMES = 0.1, 5.0
"""Where all differences are equal, other briefs may differ from them by this much, or by so many
times their size. At 95 % equal differences are a verdict from 14 briefs on, large ones earlier.
"""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The mean difference over briefs, candidate less baseline, -1 to 1, with its interval at
    `confidence`; and its verdict, by the smallest difference that matters.
    """

    min_difference: float
    confidence: float
    difference: Measurement = NOT_MEASURED
    verdict: Verdict = "could not measure"
    has_long_tail: bool = False

    @property
    def not_worse(self) -> bool:
        """Whether the interval lies above minus the smallest difference."""
        return self.difference.low is not None and self.difference.low > -self.min_difference

    @property
    def not_better(self) -> bool:
        """Whether the interval lies below the smallest difference."""
        return self.difference.high is not None and self.difference.high < self.min_difference


def paired_test(
    differences: Sequence[float], min_difference: float, confidence: float
) -> PairedTest:
    """The test of the differences by brief, of which less than `min_difference` does not matter.

    *Better*: the interval of their mean lies above 0. *Worse*: below. *No meaningful difference*:
    within plus or minus `min_difference`. *Cannot tell*: anything else. *Could not measure*: fewer
    than six briefs; below two there is no interval, and of none no value.

    >>> test = paired_test([0.1, 0.2, 0.0, 0.1, 0.2, 0.0], 0.02, 0.95)
    >>> test.verdict, round(test.difference.low, 3), round(test.difference.high, 3)
    ('better', 0.006, 0.194)
    """
    count = len(differences)
    if not count:
        return PairedTest(min_difference, confidence)
    value = math.fsum(differences) / count
    if count < 2:
        return PairedTest(min_difference, confidence, Measurement(value=value, n=count))
    values = np.asarray(differences, dtype=float)
    low, high = map(float, difference_ends(values, confidence))
    return PairedTest(
        min_difference,
        confidence,
        Measurement(value=value, low=low, high=high, n=count),
        verdict=_verdict(count, low, high, min_difference),
        has_long_tail=bool(is_long_tailed(values)),
    )


def _verdict(briefs: int, low: float, high: float, min_difference: float) -> Verdict:
    if briefs < MIN_BRIEFS:
        return "could not measure"
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    if -min_difference < low and high < min_difference:
        return "no meaningful difference"
    return "cannot tell"


def difference_ends(differences: Floats, confidence: float) -> tuple[Floats, Floats]:
    """The ends of the interval of the mean difference along the last axis, -1 to 1.

    Student's t: mean ± t(n - 1) s / sqrt(n). Differences that are all equal have no spread, which
    does not make their mean certain: at the given confidence at most the share
    `1 - (1 - confidence) ** (1 / n)` of all briefs is different, about 3 / n at 95 %, and by
    `UNSEEN_MOVE` or `UNSEEN_TIMES` their size, whichever is larger, as far as scores allow.

    Corrections for skewness and kurtosis (`mean_interval`) are not made: they take verdicts away as
    samples are added, because a failure in one of several samples is a longer tail than none.
    """
    count = differences.shape[-1]
    mean = differences.mean(-1)
    quantile = stdtrit(count - 1, 0.5 + confidence / 2)
    of_spread = quantile * np.std(differences, axis=-1, ddof=1) / math.sqrt(count)
    different = 1 - (1 - confidence) ** (1 / count)
    move = np.maximum(UNSEEN_MOVE, UNSEEN_TIMES * np.abs(mean))
    are_equal = np.ptp(differences, -1) <= EQUAL
    below = np.where(are_equal, different * np.minimum(move, 1.0 + mean), of_spread)
    above = np.where(are_equal, different * np.minimum(move, 1.0 - mean), of_spread)
    return np.maximum(mean - below, -1.0), np.minimum(mean + above, 1.0)


def is_long_tailed(differences: Floats) -> NDArray[np.bool_]:
    """Whether the differences along the last axis have a long tail; equal ones have none."""
    deviations = differences - differences.mean(-1, keepdims=True)
    spread = np.maximum(np.sqrt((deviations**2).mean(-1)), EQUAL)
    skewness = (deviations**3).mean(-1) / spread**3
    kurtosis = (deviations**4).mean(-1) / spread**4
    return np.asarray((np.abs(skewness) > LONG_SKEWNESS) | (kurtosis > LONG_KURTOSIS))


def detectable_difference(sd: float, briefs: int, confidence: float) -> float:
    """The mean difference that the test finds four times in five, where differences by brief have
    this standard deviation; two briefs at least.

    >>> round(detectable_difference(0.1, 16, 0.95), 3)
    0.074
    """
    quantiles = float(stdtrit(briefs - 1, 0.5 + confidence / 2)) + float(ndtri(0.8))
    return quantiles * sd / math.sqrt(briefs)


@dataclass(frozen=True, slots=True)
class JointTest:
    """The verdict on expected score and content, and the test of each."""

    verdict: Verdict
    score: PairedTest
    content: PairedTest


def joint_test(
    scores: Sequence[float],
    contents: Sequence[float],
    params: CompareParams,
    confidence: float,
    *,
    by_score: bool = False,
) -> JointTest:
    """The test of the differences by brief; `by_score`, and without six briefs in `contents`, that
    of the scores alone.

    *Better*: one number is better, the other not worse. *Worse*: one is worse, the other not
    better. *Mixed*: one is better and the other worse. The two share the error rate by Holm's
    procedure. *No meaningful difference*: both are within their smallest difference, which is one
    claim about both, so that each has the whole error rate. *Cannot tell*: anything else.

    >>> params = CompareParams.model_validate({})
    >>> gain, loss = [0.1, 0.2, 0.0, 0.1, 0.2, 0.1], [-0.2, -0.1, -0.2, -0.2, -0.1, -0.1]
    >>> joint_test(gain, loss, params, 0.95).verdict, joint_test(gain, [], params, 0.95).verdict
    ('mixed', 'better')
    """
    of_score = partial(paired_test, scores, params.min_difference)
    of_content = partial(paired_test, contents, params.min_content_difference)
    at_full_rate = of_score(confidence), of_content(confidence)
    if by_score or len(contents) < MIN_BRIEFS:
        return JointTest(at_full_rate[0].verdict, *at_full_rate)
    tests = step_down({"score": of_score, "content": of_content}, confidence, _excludes_zero)
    verdict = _joint_verdict(tests.values())
    if verdict == "cannot tell" and all(map(_is_within, at_full_rate)):
        return JointTest("no meaningful difference", *at_full_rate)
    return JointTest(verdict, tests["score"], tests["content"])


def _joint_verdict(tests: Collection[PairedTest]) -> Verdict:
    verdicts = {test.verdict for test in tests}
    is_better, is_worse = "better" in verdicts, "worse" in verdicts
    if all(map(_is_within, tests)) and is_better == is_worse:
        return "no meaningful difference"
    if is_better and all(test.not_worse for test in tests):
        return "better"
    if is_worse and all(test.not_better for test in tests):
        return "worse"
    return "mixed" if is_better and is_worse else "cannot tell"


def _excludes_zero(test: PairedTest) -> bool:
    return test.difference.excludes_zero


def _is_within(test: PairedTest) -> bool:
    return test.not_worse and test.not_better
