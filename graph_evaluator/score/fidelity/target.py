"""Whether the goal's threshold is the target that the brief names."""

from collections.abc import Iterator
from typing import NamedTuple

from graph_evaluator.records.graph import MAX_TEXT, Node
from graph_evaluator.records.scorecard import CheckOutcome, CheckResult
from graph_evaluator.score.fidelity.subject import BriefContent, Draft, not_applicable
from graph_evaluator.score.fidelity.written_numbers import (
    PERCENT,
    SCALES,
    TextNumber,
    comparable,
    numbers_in,
    readings_of,
    significant_digits,
    unit_scale,
)

SHARE_TOLERANCE = 0.005
"""How far `goal_threshold` may be off raw divided by cap."""
NEAR = 0.0201
"""How far a threshold may be off the target, relatively, to be a reading of "below 9 %" such as
8.9."""
UNIT_FACTORS = (4, 7, 12, 24, 30, 52, 60, 365)
"""Factors between units of time, and between a target per year and the same per quarter, month,
week or day."""
COMPARABLE = 20.0
"""Numbers that differ by more than this factor do not measure the same quantity."""
SMALLEST_AMOUNT = 10
"""A smaller threshold without % can be a share or a ratio."""
SHARE_DIGITS = 2
"""A share that follows from the brief's numbers may be rounded to two significant digits."""
AMOUNT_DIGITS = 3


class _Threshold(NamedTuple):
    """The raw threshold of a goal, with everything that it can mean."""

    goal: Node
    unit: str
    value: float
    readings: frozenset[float]


def _threshold_of(draft: Draft) -> _Threshold | None:
    """The raw threshold; of a text the first number."""
    for goal in draft.graph.nodes:
        raw = goal.goal_threshold_raw
        if goal.kind != "goal" or raw is None:
            continue
        if isinstance(raw, str):
            numbers = numbers_in(raw[:MAX_TEXT])
        else:
            numbers = iter([TextNumber(frozenset({raw}), None)])
        unit = (goal.goal_threshold_unit or "")[:MAX_TEXT]
        for number in numbers:
            readings = [readings_of(value, unit) for value in number.readings]
            return _Threshold(goal, unit, max(number.readings), frozenset().union(*readings))
    return None


def target(draft: Draft, subject: BriefContent) -> CheckResult:
    """Whether the goal's threshold is the target that the brief names.

    An invented target fails where the front-matter says that there is none; a wrong one fails only
    where the front-matter gives the target. Not applicable without `goal_threshold_raw`.
    """
    threshold = _threshold_of(draft)
    if threshold is None:
        return not_applicable("target", "The goal has no goal_threshold_raw.")
    outcome, message = _judge(threshold, subject)
    share = threshold.goal.goal_threshold
    cap = threshold.goal.goal_threshold_cap
    if outcome == "pass" and isinstance(share, float) and cap:
        implied = threshold.value / cap
        if abs(implied - share) > SHARE_TOLERANCE:
            outcome = "warn"
            message = f"The threshold is {share:g}, but raw divided by cap is {implied:.4g}."
    labels = (threshold.goal.name,)
    return CheckResult(name="target", outcome=outcome, message=message, labels=labels)


def _judge(threshold: _Threshold, subject: BriefContent) -> tuple[CheckOutcome, str]:
    targets = subject.expectations.targets
    is_in_brief = not threshold.readings.isdisjoint(subject.numbers)
    shown = f"threshold {threshold.value:g} {threshold.unit}".strip()
    if not subject.expectations.has_numeric_target:
        message = f"The goal has the {shown}, but the brief names no target"
        if is_in_brief or threshold.value == 0 or threshold.readings & {1.0, 100.0}:
            return "warn", f"{message}."
        return "fail", f"{message} and does not contain this number."
    if not targets and is_in_brief:
        return "pass", f"The {shown} is in the brief."
    if not targets:
        return "warn", f"The brief names a target, but does not contain the {shown}."
    stated = [_Target(wanted, subject) for wanted in targets]
    if any(threshold.readings & one.readings for one in stated):
        return "pass", f"The {shown} is the target."
    if any(one.implies(threshold) for one in stated):
        message = f"The {shown} is not the target as the brief gives it, but follows from it."
        return "warn", message
    wanted_targets = " or ".join(f"{wanted:g}" for wanted in targets)
    return "fail", f"The {shown} is not the target, which is {wanted_targets}."


class _Target:
    """A target of the front-matter, as the brief gives it: every reading, and whether it is a
    share.
    """

    def __init__(self, wanted: float, subject: BriefContent) -> None:
        number = subject.numbers.get(comparable(wanted))
        self._wanted = wanted
        self._subject = subject
        self._is_share = number is not None and number.scale == PERCENT
        self.readings = number.readings if number else frozenset({comparable(wanted)})

    def implies(self, threshold: _Threshold) -> bool:
        """True if the threshold is near the target, is the target in another unit, or follows from
        it and one number of the brief.
        """
        readings = threshold.readings
        if any(abs(reading / self._wanted - 1) <= NEAR for reading in readings):
            return True
        is_percentage = unit_scale(threshold.unit) == PERCENT
        can_be_share = is_percentage or max(readings) < SMALLEST_AMOUNT
        if can_be_share and _has_any_of(readings, self._shares(), SHARE_DIGITS):
            return True
        return not is_percentage and _has_any_of(readings, self._amounts(), AMOUNT_DIGITS)

    def _shares(self) -> Iterator[float]:
        """The complement of the target if it is a share; its relative change from comparable
        numbers, ratio and distance in points.
        """
        if self._is_share:
            yield abs(100 - max(self.readings))
            yield abs(1 - min(self.readings))
        for value, reading in self._comparable_numbers():
            change = abs(value - reading) / value
            ratio = reading / value
            yield from (change, 100 * change, ratio, 100 * ratio)
            if self._is_share:
                yield abs(value - reading)

    def _amounts(self) -> Iterator[float]:
        """The target with another scale word or per another period, and its distance from
        comparable numbers.
        """
        for factor in (*UNIT_FACTORS, *SCALES.values()):
            yield self._wanted * factor
            yield self._wanted / factor
        for value, reading in self._comparable_numbers():
            yield abs(value - reading)

    def _comparable_numbers(self) -> Iterator[tuple[float, float]]:
        """Each number of the brief that is a share as the target is one, and of its order of
        magnitude, with the matching reading of the target.
        """
        for value, number in self._subject.numbers.items():
            if (number.scale == PERCENT) == self._is_share:
                for reading in self.readings:
                    if 0 < reading / COMPARABLE <= value <= reading * COMPARABLE:
                        yield value, reading


def _has_any_of(readings: frozenset[float], values: Iterator[float], fewest_digits: int) -> bool:
    """True if a reading is one of the values, rounded to as many significant digits as the reading
    has, but not to fewer than these.
    """
    digits = {reading: max(significant_digits(reading), fewest_digits) for reading in readings}
    return any(
        f"{reading:.{places}g}" == f"{value:.{places}g}"
        for value in values
        for reading, places in digits.items()
    )
