"""Whether the numbers that a graph takes from its brief are the brief's: the target, and explicit
factor values.
"""

from collections.abc import Iterator

import regex

from graph_evaluator.language.words import normalise, stem
from graph_evaluator.records.scorecard import CheckOutcome, CheckResult
from graph_evaluator.score.fidelity.numbers import (
    SCALES,
    TextNumber,
    comparable,
    significant_digits,
    unit_scale,
)
from graph_evaluator.score.fidelity.subject import (
    BriefContent,
    ClaimedNumber,
    Draft,
    not_applicable,
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
PERCENT = 0.01
SHARE = "%"
"""The unit of a share."""
SMALLEST_AMOUNT = 10
"""A smaller threshold without % can be a share or a ratio."""
SHARE_DIGITS = 2
"""A share that follows from the brief's numbers may be rounded to this number of significant
digits, not to fewer."""
AMOUNT_DIGITS = 3

_CURRENCY_BEFORE = regex.compile(r"\p{Sc}\s?$")
_UNIT_AFTER = regex.compile(r"[\s\-]?(\p{Sc}|\p{Han}|\p{L}+)")


def target(draft: Draft, subject: BriefContent) -> CheckResult:
    """Whether the goal's threshold is the target that the brief names.

    An invented target fails where the front-matter says that there is none; a wrong one fails only
    where the front-matter gives the target. Not applicable without `goal_threshold_raw`.
    """
    threshold = draft.threshold
    if threshold is None:
        return not_applicable("target", "The goal has no goal_threshold_raw.")
    outcome, message = _judge_target(threshold, subject)
    share = threshold.node.goal_threshold
    cap = threshold.node.goal_threshold_cap
    if outcome == "pass" and isinstance(share, float) and cap:
        implied = threshold.value / cap
        if abs(implied - share) > SHARE_TOLERANCE:
            outcome = "warn"
            message = f"The threshold is {share:g}, but raw divided by cap is {implied:.4g}."
    number = subject.number(threshold.readings)
    return CheckResult(
        name="target",
        outcome=outcome,
        message=message,
        labels=(threshold.label,),
        numbers=(threshold.value,),
        passages=(subject.passage(number),) if number else (),
    )


def _judge_target(threshold: ClaimedNumber, subject: BriefContent) -> tuple[CheckOutcome, str]:
    targets = subject.expectations.targets
    is_in_brief = subject.number(threshold.readings) is not None
    unit = f" {threshold.unit}" if threshold.unit else ""
    shown = f"threshold {threshold.value:g}{unit}"
    if not subject.expectations.has_numeric_target:
        message = f"The goal has the {shown}, but the brief names no target"
        is_whole = bool(threshold.readings & {1.0, 100.0})
        if is_in_brief or threshold.trivial or is_whole:
            return "warn", f"{message}."
        return "fail", f"{message} and does not contain this number."
    if not targets and is_in_brief:
        return "pass", f"The {shown} is in the brief."
    if not targets:
        return "warn", f"The brief names a target, but does not contain the {shown}."
    if any(threshold.readings & _Target(wanted, subject).readings for wanted in targets):
        return "pass", f"The {shown} is the target."
    if follows_from_target(threshold, subject):
        message = f"The {shown} is not the target as the brief gives it, but follows from it."
        return "warn", message
    wanted_targets = " or ".join(f"{wanted:g}" for wanted in targets)
    return "fail", f"The {shown} is not the target, which is {wanted_targets}."


def numbers(draft: Draft, subject: BriefContent) -> CheckResult:
    """Whether every factor value that is called explicit is in the brief; 0 and 1 count nothing."""
    claims = [claim for claim in draft.claims if not claim.trivial]
    if not claims:
        return not_applicable("numbers", "No factor has an explicit value other than 0 and 1.")
    missing: list[ClaimedNumber] = []
    places: dict[int, TextNumber] = {}
    for claim in claims:
        number = subject.number(claim.readings)
        if number is None:
            missing.append(claim)
        else:
            places.setdefault(number.start, number)
    message = f"All {len(claims)} explicit values are in the brief."
    if len(claims) == 1:
        message = "The one explicit value is in the brief."
    if missing:
        values = f"{len(missing)} of {len(claims)} values that are called explicit"
        message = f"{values} are not in the brief in digits."
    return CheckResult(
        name="numbers",
        outcome="warn" if missing else "pass",
        message=message,
        labels=tuple(claim.label for claim in missing),
        numbers=tuple(claim.value for claim in missing),
        passages=tuple(subject.passage(number) for number in places.values()),
        share=1 - len(missing) / len(claims),
    )


def follows_from_target(claim: ClaimedNumber, subject: BriefContent) -> bool:
    """True if the claim is no target of the front-matter as the brief gives it, but follows from
    one.
    """
    targets = subject.expectations.targets
    return any(_Target(wanted, subject).implies(claim) for wanted in targets)


class _Target:
    """A target of the front-matter, as the brief gives it: every reading, and its unit."""

    def __init__(self, wanted: float, subject: BriefContent) -> None:
        number = subject.numbers.get(comparable(wanted))
        self._wanted = wanted
        self._subject = subject
        self._unit = _unit(number, subject) if number else None
        self.readings = number.readings if number else frozenset({comparable(wanted)})

    def implies(self, claim: ClaimedNumber) -> bool:
        """True if the claim is near the target, is the target in another unit, or follows from it
        and one number of the brief.
        """
        if any(abs(reading / self._wanted - 1) <= NEAR for reading in claim.readings):
            return True
        is_percentage = unit_scale(claim.unit) == PERCENT
        can_be_share = is_percentage or max(claim.readings) < SMALLEST_AMOUNT
        if can_be_share and _is_any_of(claim, self._shares(), SHARE_DIGITS):
            return True
        return not is_percentage and _is_any_of(claim, self._amounts(), AMOUNT_DIGITS)

    def _shares(self) -> Iterator[float]:
        """The complement of the target if it is a share; its relative change from comparable
        numbers, ratio and distance in points.
        """
        if self._unit == SHARE:
            yield abs(100 - max(self.readings))
            yield abs(1 - min(self.readings))
        for value, reading in self._comparable_numbers():
            change = abs(value - reading) / value
            ratio = reading / value
            yield from (change, 100 * change, ratio, 100 * ratio)
            if self._unit == SHARE:
                yield abs(value - reading)

    def _amounts(self) -> Iterator[float]:
        """The target with another scale word or per another period, its distance from comparable
        numbers, and what it is a share of.
        """
        for factor in (*UNIT_FACTORS, *SCALES.values()):
            yield self._wanted * factor
            yield self._wanted / factor
        for value, reading in self._comparable_numbers():
            yield abs(value - reading)
        if self._unit == SHARE:
            share = min(self.readings)
            for value, number in self._subject.numbers.items():
                if number.scale != PERCENT:
                    yield value * share
                    yield value * (1 - share)

    def _comparable_numbers(self) -> Iterator[tuple[float, float]]:
        """Each number of the brief in the target's unit and of its order of magnitude, with the
        matching reading of the target.
        """
        for value, number in self._subject.numbers.items():
            if self._unit is not None and _unit(number, self._subject) != self._unit:
                continue
            for reading in self.readings:
                if 0 < reading / COMPARABLE <= value <= reading * COMPARABLE:
                    yield value, reading


def _is_any_of(claim: ClaimedNumber, values: Iterator[float], fewest_digits: int) -> bool:
    """True if a reading is one of the values, rounded to as many significant digits as the reading
    has, but not to fewer than these.
    """
    digits = {
        reading: max(significant_digits(reading), fewest_digits) for reading in claim.readings
    }
    return any(
        f"{reading:.{places}g}" == f"{value:.{places}g}"
        for value in values
        for reading, places in digits.items()
    )


def _unit(number: TextNumber, subject: BriefContent) -> str:
    """The currency sign before a number of the brief, or the first letters of the word behind it;
    `SHARE` for a share.
    """
    if number.scale == PERCENT:
        return SHARE
    sign = _CURRENCY_BEFORE.search(subject.body, max(number.start - 2, 0), number.start)
    if sign:
        return str(sign[0].strip())
    word = _UNIT_AFTER.match(subject.body, number.end)
    return stem(normalise(word[1])) if word else ""
