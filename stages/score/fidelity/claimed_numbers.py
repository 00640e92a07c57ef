"""Whether the numbers that a graph takes from its brief are the brief's: the target, and explicit factor values."""

import math
from collections.abc import Iterator
from typing import Final

from stages.contracts.fidelity import CheckResult, Outcome
from stages.score.fidelity.draft import Claim, Draft
from stages.score.fidelity.numbers import rounded
from stages.score.fidelity.subject import Subject

SHARE_TOLERANCE: Final = 0.005
"""How far `goal_threshold` may be off raw divided by cap."""
NEAR: Final = 0.0201
"""How far a threshold may be off the target, relatively, to be a reading of "below 9 %" such as 8.9."""
PERIODS: Final = (12, 1 / 12, 4, 1 / 4, 52, 1 / 52, 365, 1 / 365)
"""Factors between a target per year and the same per month, quarter, week or day, both ways."""
COMPARABLE: Final = 20.0
"""Numbers that differ by more than this factor do not measure the same quantity."""
PERCENT: Final = 0.01
DERIVED_TOLERANCE: Final = 0.001
"""How far a target may be off a number that is derived from the brief's, relatively."""


def target(draft: Draft, subject: Subject) -> CheckResult:
    """Whether the goal's threshold is the target that the brief names.

    An invented target fails where the front-matter says that there is none; a wrong one fails only where the front-matter
    gives the target. Not applicable without `goal_threshold_raw`.
    """
    threshold = draft.threshold
    if threshold is None:
        return CheckResult(name="target", outcome="not_applicable", message="The goal has no goal_threshold_raw.")
    outcome, message = _target_outcome(threshold.raw, subject)
    if outcome == "pass" and threshold.share is not None and threshold.cap:
        exact = threshold.raw.value / threshold.cap
        if abs(exact - threshold.share) > SHARE_TOLERANCE:
            outcome = "warn"
            message = f"The threshold is {threshold.share:g}, but raw divided by cap is {exact:.4g}."
    number = subject.number(threshold.raw.readings)
    return CheckResult(
        name="target",
        outcome=outcome,
        message=message,
        labels=(threshold.raw.label,),
        numbers=(threshold.raw.value,),
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
    share = 1 - len(missing) / len(claims)
    if not missing:
        message = f"All {len(claims)} explicit values are in the brief."
    else:
        message = f"{len(missing)} of {len(claims)} values that are called explicit are not in the brief."
    return CheckResult(
        name="numbers",
        outcome="warn" if missing else "pass",
        message=message,
        labels=tuple(claim.label for claim in missing),
        numbers=tuple(claim.value for claim in missing),
        passages=tuple(passages.values()),
        share=share,
    )


def _target_outcome(raw: Claim, subject: Subject) -> tuple[Outcome, str]:
    expectations = subject.expectations
    given = subject.number(raw.readings) is not None
    shown = f"{raw.value:g}" + (f" {raw.unit}" if raw.unit else "")
    if not expectations.has_numeric_target:
        if given or raw.trivial or raw.readings & {1.0, 100.0}:
            return "warn", f"The goal has the threshold {shown}, but the brief names no target."
        return (
            "fail",
            f"The goal has the threshold {shown}, but the brief names no target and does not contain this number.",
        )
    targets = expectations.target
    if not targets:
        if given:
            return "pass", f"The threshold {shown} is in the brief."
        return "warn", f"The brief names a target, but does not contain the threshold {shown}."
    if any(raw.readings & _readings(wanted, subject) for wanted in targets):
        return "pass", f"The threshold {shown} is the target."
    if any(_is_derived(raw, wanted, subject) for wanted in targets):
        return "warn", f"The threshold {shown} is not the target as the brief gives it, but follows from it."
    return (
        "fail",
        f"The threshold {shown} is not the target, which is {' or '.join(f'{wanted:g}' for wanted in targets)}.",
    )


def _readings(wanted: float, subject: Subject) -> frozenset[float]:
    """Everything that the target can mean where the brief names it."""
    number = subject.numbers.get(rounded(wanted))
    return number.readings if number else frozenset({rounded(wanted)})


def _is_derived(raw: Claim, wanted: float, subject: Subject) -> bool:
    """True if the claim is near the target, is the target in another unit, or follows from it and one number of the brief."""
    for reading in raw.readings - {0.0}:
        power = math.log10(reading / wanted)
        if abs(power - round(power)) < 1e-6 or abs(reading / wanted - 1) <= NEAR:
            return True
        if any(math.isclose(reading, wanted * factor, rel_tol=DERIVED_TOLERANCE) for factor in PERIODS):
            return True
        if any(math.isclose(reading, derived, rel_tol=DERIVED_TOLERANCE) for derived in _derived(wanted, subject)):
            return True
    return False


def _derived(wanted: float, subject: Subject) -> Iterator[float]:
    """The complement of a share, what it is a share of, and the distance from comparable numbers of the brief."""
    own = subject.numbers.get(rounded(wanted))
    readings, is_share = _readings(wanted, subject), own is not None and own.scale == PERCENT
    if is_share:
        yield from (abs(100 - max(readings)), abs(1 - min(readings)))
    for value, number in subject.numbers.items():
        if is_share and number.scale != PERCENT:
            yield from (value * min(readings), value * (1 - min(readings)))
        for reading in readings if is_share == (number.scale == PERCENT) else ():
            if reading / COMPARABLE <= value <= reading * COMPARABLE:
                distance = abs(value - reading)
                yield from (distance, 100 * distance / value, 100 * reading / value)
