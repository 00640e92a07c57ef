"""The paired test of a candidate against a baseline over briefs, of form alone or of form and
content together, and the rule that turns it into a verdict. Pure.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from graph_evaluator.analysis.interval import half_width, mean_interval
from graph_evaluator.records.params import CompareParams
from graph_evaluator.records.record import NOT_MEASURED, Measurement

Verdict = Literal[
    "could not measure",
    "unchanged",
    "better",
    "worse",
    "mixed",
    "no meaningful difference",
    "cannot tell",
]
"""Of a comparison. No test says *unchanged*."""
Change = Literal["not measured", "up", "down", "too small to matter", "open"]
"""The outcome of a test of one number."""
NumberName = Literal["form", "content"]
MIN_BRIEFS = 6
"""The fewest briefs with a value on both sides for a verdict."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The mean difference over briefs, candidate less baseline, -1 to 1, with its interval at
    `confidence`, and what it shows by the smallest difference that matters.
    """

    min_difference: float
    confidence: float
    difference: Measurement = NOT_MEASURED

    @property
    def change(self) -> Change:
        """*Too small to matter*: the interval lies within plus or minus the smallest difference.
        *Up*: it lies above 0 and does not. *Down*: the mirror image. *Open*: anything else. *Not
        measured*: fewer than six briefs.
        """
        ends = self.difference.ends
        if ends is None or self.difference.n < MIN_BRIEFS:
            return "not measured"
        low, high = ends
        if -self.min_difference < low and high < self.min_difference:
            return "too small to matter"
        if low > 0:
            return "up"
        return "down" if high < 0 else "open"

    @property
    def direction(self) -> int:
        """1 for a measured difference that is a gain and matters, shown or not; -1 for a loss that
        matters; else 0.
        """
        value = self.difference.value or 0.0
        return 0 if abs(value) < self.min_difference else (value > 0) - (value < 0)


def paired_test(
    differences: Sequence[float], min_difference: float, confidence: float
) -> PairedTest:
    """The test of the differences by brief; a mean below `min_difference` does not matter;
    without an interval below two briefs, and without a value of none.

    The interval is `half_width` to either side, within -1 to 1. Corrections for skewness and
    kurtosis are not made: they take verdicts away as samples are added, because a failure in one of
    several samples is a longer tail than none.

    >>> test = paired_test([0.1, 0.2, 0.0, 0.1, 0.2, 0.0], 0.05, 0.95)
    >>> test.change, round(test.difference.low, 3), round(test.difference.high, 3)
    ('up', 0.006, 0.194)
    """
    count = len(differences)
    if count < 2:
        return PairedTest(min_difference, confidence, mean_interval(differences))
    mean = float(np.mean(differences))
    half = float(half_width(np.asarray(np.std(differences, ddof=1)), count, confidence))
    low, high = max(-1.0, mean - half), min(1.0, mean + half)
    value = math.fsum(differences) / count
    measured = Measurement(value=value, low=low, high=high, n=count)
    return PairedTest(min_difference, confidence, measured)


@dataclass(frozen=True, slots=True)
class JointTest:
    """The tests of form and content, and the verdict of both; `content` is None where form decides
    alone.
    """

    form: PairedTest
    content: PairedTest | None = None

    @property
    def tests(self) -> dict[NumberName, PairedTest]:
        """Those that decide."""
        tests: dict[NumberName, PairedTest] = {"form": self.form}
        return tests if self.content is None else {**tests, "content": self.content}

    @property
    def outcome(self) -> Verdict:
        """The verdict of both: the first that applies.

        * *could not measure*: a number has fewer than six briefs;
        * *no meaningful difference*: both changes are too small to matter;
        * *better*: one number is up, and the other's measured change is above minus its smallest
          difference; *worse*: the mirror image;
        * *mixed*: one is up and the other down, or both of the above apply;
        * *cannot tell*: anything else; the numbers that are open stand in the way.
        """
        changes = {test.change for test in self.tests.values()}
        directions = {test.direction for test in self.tests.values()}
        if "not measured" in changes:
            return "could not measure"
        if changes == {"too small to matter"}:
            return "no meaningful difference"
        is_better = "up" in changes and -1 not in directions
        is_worse = "down" in changes and 1 not in directions
        if is_better != is_worse:
            return "better" if is_better else "worse"
        return "mixed" if {"up", "down"} <= changes else "cannot tell"


def joint_test(
    forms: Sequence[float], contents: Sequence[float], params: CompareParams, confidence: float
) -> JointTest:
    """The test of the differences by brief in form and, with at least six briefs, in content.

    Two numbers share the error rate: each interval holds at `1 - (1 - confidence) / 2`. One number
    has all of it.

    >>> params = CompareParams.model_validate({})
    >>> gain, loss = [0.1, 0.2, 0.0, 0.1, 0.2, 0.1], [-0.2, -0.1, -0.2, -0.2, -0.1, -0.1]
    >>> joint_test(gain, loss, params, 0.95).outcome, joint_test(gain, [], params, 0.95).outcome
    ('mixed', 'better')
    """
    if len(contents) < MIN_BRIEFS:
        return JointTest(paired_test(forms, params.min_difference, confidence))
    shared = 1 - (1 - confidence) / 2
    return JointTest(
        paired_test(forms, params.min_difference, shared),
        paired_test(contents, params.min_content_difference, shared),
    )
