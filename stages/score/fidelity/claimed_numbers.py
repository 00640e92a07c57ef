"""Whether the numbers that a graph takes from its brief are the brief's: the target, and explicit factor values."""

from collections.abc import Iterator
from typing import Final

import regex

from stages.contracts.scorecard import CheckResult, Outcome
from stages.score.fidelity.numbers import SCALES, Number, rounded, significant_digits, unit_scale
from stages.score.fidelity.subject import Claim, Draft, Subject
from stages.score.fidelity.words import normalise, stem

SHARE_TOLERANCE: Final = 0.005
"""How far `goal_threshold` may be off raw divided by cap."""
NEAR: Final = 0.0201
"""How far a threshold may be off the target, relatively, to be a reading of "below 9 %" such as 8.9."""
UNIT_FACTORS: Final = (4, 7, 12, 24, 30, 52, 60, 365)
"""Factors between units of time, and between a target per year and the same per quarter, month, week or day."""
COMPARABLE: Final = 20.0
"""Numbers that differ by more than this factor do not measure the same quantity."""
PERCENT: Final = 0.01
SMALLEST_AMOUNT: Final = 10
"""A smaller threshold without % can be a share or a ratio."""
SHARE_DIGITS: Final = 2
"""A share that follows from the brief's numbers may be rounded to so many significant digits, not to fewer."""
AMOUNT_DIGITS: Final = 3

_CURRENCY_BEFORE: Final = regex.compile(r"\p{Sc}\s?$")
_UNIT_AFTER: Final = regex.compile(r"[\s\-]?(\p{Sc}|\p{Han}|\p{L}+)")


def target(draft: Draft, subject: Subject) -> CheckResult:
    """Whether the goal's threshold is the target that the brief names.

    An invented target fails where the front-matter says that there is none; a wrong one fails only where the front-matter
    gives the target. Not applicable without `goal_threshold_raw`.
    """
    threshold = draft.threshold
    if threshold is None:
        return CheckResult(
            name="target", outcome="not_applicable", message="The goal has no goal_threshold_raw."
        )
    outcome, message = _target_outcome(threshold, subject)
    share, cap = threshold.node.goal_threshold, threshold.node.goal_threshold_cap
    if (
        outcome == "pass"
        and isinstance(share, float)
        and cap
        and abs(threshold.value / cap - share) > SHARE_TOLERANCE
    ):
        outcome = "warn"
        message = (
            f"The threshold is {share:g}, but raw divided by cap is {threshold.value / cap:.4g}."
        )
    number = subject.number(threshold.readings)
    return CheckResult(
        name="target",
        outcome=outcome,
        message=message,
        labels=(threshold.label,),
        numbers=(threshold.value,),
        passages=(subject.passage(number),) if number else (),
    )


def numbers(draft: Draft, subject: Subject) -> CheckResult:
    """Whether every factor value that is called explicit is in the brief; 0 and 1 count nothing."""
    claims = [claim for claim in draft.claims if not claim.trivial]
    if not claims:
        message = "No factor has an explicit value other than 0 and 1."
        return CheckResult(name="numbers", outcome="not_applicable", message=message)
    places = [subject.number(claim.readings) for claim in claims]
    missing = [claim for claim, place in zip(claims, places, strict=True) if place is None]
    passages = {place.start: subject.passage(place) for place in places if place}
    message = f"All {len(claims)} explicit values are in the brief."
    if missing:
        message = (
            f"{len(missing)} of {len(claims)} values that are called explicit are not in the brief."
        )
    return CheckResult(
        name="numbers",
        outcome="warn" if missing else "pass",
        message=message,
        labels=tuple(claim.label for claim in missing),
        numbers=tuple(claim.value for claim in missing),
        passages=tuple(passages.values()),
        share=1 - len(missing) / len(claims),
    )


def _target_outcome(raw: Claim, subject: Subject) -> tuple[Outcome, str]:
    given, targets = subject.number(raw.readings) is not None, subject.expectations.target
    shown = f"threshold {raw.value:g}" + (f" {raw.unit}" if raw.unit else "")
    if not subject.expectations.has_numeric_target:
        none = f"The goal has the {shown}, but the brief names no target"
        if given or raw.trivial or raw.readings & {1.0, 100.0}:
            return "warn", f"{none}."
        return "fail", f"{none} and does not contain this number."
    if not targets and given:
        return "pass", f"The {shown} is in the brief."
    if not targets:
        return "warn", f"The brief names a target, but does not contain the {shown}."
    if any(raw.readings & _readings(wanted, subject) for wanted in targets):
        return "pass", f"The {shown} is the target."
    if follows_from_target(raw, subject):
        return "warn", f"The {shown} is not the target as the brief gives it, but follows from it."
    return (
        "fail",
        f"The {shown} is not the target, which is {' or '.join(f'{wanted:g}' for wanted in targets)}.",
    )


def _readings(wanted: float, subject: Subject) -> frozenset[float]:
    number = subject.numbers.get(rounded(wanted))
    return number.readings if number else frozenset({rounded(wanted)})


def follows_from_target(raw: Claim, subject: Subject) -> bool:
    """True if the claim is no target of the front-matter as the brief gives it, but follows from one."""
    return any(_is_derived(raw, wanted, subject) for wanted in subject.expectations.target)


def _is_derived(raw: Claim, wanted: float, subject: Subject) -> bool:
    """True if the claim is near the target, is the target in another unit, or follows from it and one number of the brief."""
    percent = unit_scale(raw.unit) == PERCENT
    shares = (
        list(_derived_shares(wanted, subject))
        if percent or max(raw.readings) < SMALLEST_AMOUNT
        else []
    )
    amounts = [] if percent else list(_derived_amounts(wanted, subject))
    return any(
        abs(reading / wanted - 1) <= NEAR
        or any(_is_rounded(reading, exact, SHARE_DIGITS) for exact in shares)
        or any(_is_rounded(reading, exact, AMOUNT_DIGITS) for exact in amounts)
        for reading in raw.readings
    )


def _is_rounded(value: float, exact: float, least_digits: int) -> bool:
    """True if the value is the exact one, rounded to as many significant digits as the value has, but not to fewer than these."""
    digits = max(significant_digits(value), least_digits)
    return f"{value:.{digits}g}" == f"{exact:.{digits}g}"


def _derived_shares(wanted: float, subject: Subject) -> Iterator[float]:
    """The complement of the target if it is a share; its relative change from comparable numbers, ratio and distance in points."""
    readings, is_share = _readings(wanted, subject), _is_share(wanted, subject)
    if is_share:
        yield from (abs(100 - max(readings)), abs(1 - min(readings)))
    for value, reading in _comparable(wanted, subject):
        change, ratio = abs(value - reading) / value, reading / value
        yield from (change, 100 * change, ratio, 100 * ratio)
        if is_share:
            yield abs(value - reading)


def _derived_amounts(wanted: float, subject: Subject) -> Iterator[float]:
    """The target with another scale word or per another period, its distance from comparable numbers, and what it is a share of."""
    for factor in (*UNIT_FACTORS, *SCALES.values()):
        yield from (wanted * factor, wanted / factor)
    for value, reading in _comparable(wanted, subject):
        yield abs(value - reading)
    if _is_share(wanted, subject):
        share = min(_readings(wanted, subject))
        for value, number in subject.numbers.items():
            if number.scale != PERCENT:
                yield from (value * share, value * (1 - share))


def _is_share(wanted: float, subject: Subject) -> bool:
    own = subject.numbers.get(rounded(wanted))
    return own is not None and own.scale == PERCENT


def _comparable(wanted: float, subject: Subject) -> Iterator[tuple[float, float]]:
    """Each number of the brief in the target's unit and of its order of magnitude, with the reading of the target beside it."""
    own = subject.numbers.get(rounded(wanted))
    for value, number in subject.numbers.items():
        if own is None or _unit(number, subject) == _unit(own, subject):
            for reading in _readings(wanted, subject):
                if 0 < reading / COMPARABLE <= value <= reading * COMPARABLE:
                    yield value, reading


def _unit(number: Number, subject: Subject) -> str:
    """The currency sign before a number of the brief, or the first letters of the word behind it; % for a share."""
    if number.scale == PERCENT:
        return "%"
    sign = _CURRENCY_BEFORE.search(subject.body, max(number.start - 2, 0), number.start)
    word = _UNIT_AFTER.match(subject.body, number.end)
    return sign[0].strip() if sign else stem(normalise(word[1])) if word else ""
