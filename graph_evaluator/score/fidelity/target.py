"""Whether the goal's threshold is the target that the brief names.

Numbers are compared by their readings: a number as it is written in digits, with each meaning of
ambiguous separators, or that times the scale word next to it. Nothing else is derived, because
sums, ratios and free scaling would make most invented numbers look given.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import regex

from graph_evaluator.language.words import WORDS, normalise
from graph_evaluator.records.graph import MAX_TEXT, Node
from graph_evaluator.records.scorecard import CheckOutcome, CheckResult
from graph_evaluator.score.fidelity.subject import BriefContent, Draft, not_applicable

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

SCALES = {word: float(scale) for scale, words in WORDS["scales"].items() for word in words}
"""What the number before each word is multiplied by."""
PERCENT = 0.01
_DIGIT = "[0-9٠-٩۰-۹०-९０-９]"
_DIGITS = regex.compile(
    rf"{_DIGIT}+(?:[.,٫٬'’]{_DIGIT}+)*"
    rf"(?:[ \u00a0\u202f]{_DIGIT}{{3}}(?!{_DIGIT})(?:[.,]{_DIGIT}+)?)*"
)
_SCALE = regex.compile(
    r"[\s\-]{0,2}(?:([百千]?万|[%％٪萬億亿千割]|パーセント)"
    r"|(([\p{L}\p{M}]{1,20}+)\.?(?:\s[\p{L}\p{M}]{1,20}+)?)(?!\p{L}))"
)
_GROUPED = regex.compile(r"^\d{1,3}([.,])\d{3}(?:\1\d{3})*|^\d{1,2}(?:,\d{2})+,\d{3}")
_UNIT_WORD = regex.compile(r"[百千]?万|[%％٪萬億亿千割]|(?:(?![百千万萬億亿割])[\p{L}\p{M}])+")
_MARKS = str.maketrans("٫\u00a0\u202f", ".  ", "٬'’")
_CODES = "eur|usd|gbp|sek|nok|dkk|chf|jpy|inr|cad|aud|sar|aed|pln|czk"
_WITH_CURRENCY = regex.compile(
    rf"(?:{_CODES})(?P<scale>k|m|mn|mio|bn)|(?P<scale>k|t|m|mn|mio|bn)(?:{_CODES})"
)


class TextNumber(NamedTuple):
    """A number in a text: everything that it can mean, and whether a word for percent follows."""

    readings: frozenset[float]
    is_share: bool


class _Threshold(NamedTuple):
    """The raw threshold of a goal, with everything that it can mean."""

    goal: Node
    unit: str
    value: float
    readings: frozenset[float]


def _threshold_of(draft: Draft) -> _Threshold | None:
    """The raw threshold; of a text the first number."""
    for goal in draft.model.topology.of_kind("goal"):
        raw = goal.goal_threshold_raw
        values = {raw} if isinstance(raw, float) else set[float]()
        if isinstance(raw, str) and (number := next(numbers_in(raw[:MAX_TEXT]), None)):
            values |= number.readings
        if values:
            unit = (goal.goal_threshold_unit or "")[:MAX_TEXT]
            readings = [readings_of(value, unit) for value in values]
            return _Threshold(goal, unit, max(values), frozenset().union(*readings))
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
    numbers = _numbers_of(subject.body)
    is_in_brief = not threshold.readings.isdisjoint(numbers)
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
    stated = [_Target(wanted, numbers) for wanted in targets]
    if any(threshold.readings & one.readings for one in stated):
        return "pass", f"The {shown} is the target."
    if any(one.implies(threshold) for one in stated):
        message = f"The {shown} is not the target as the brief gives it, but follows from it."
        return "warn", message
    wanted_targets = " or ".join(f"{wanted:g}" for wanted in targets)
    return "fail", f"The {shown} is not the target, which is {wanted_targets}."


class _Target:
    """A target of the front-matter, as the brief gives it: every reading, and whether it is a
    share; with each number of the brief that is a share as it is one and of its order of magnitude,
    and the matching reading.
    """

    def __init__(self, wanted: float, numbers: Mapping[float, TextNumber]) -> None:
        number = numbers.get(comparable(wanted))
        self._wanted = wanted
        self._is_share = number is not None and number.is_share
        self.readings = number.readings if number else frozenset({comparable(wanted)})
        self._comparable = [
            (value, reading)
            for value, other in numbers.items()
            for reading in self.readings
            if other.is_share == self._is_share
            and 0 < reading / COMPARABLE <= value <= reading * COMPARABLE
        ]

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
        for value, reading in self._comparable:
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
        for value, reading in self._comparable:
            yield abs(value - reading)


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


def comparable(value: float) -> float:
    """The size of a value at six significant digits, so that equal numbers compare equal however
    they were calculated.
    """
    return float(f"{abs(value):.6g}")


def significant_digits(value: float) -> int:
    """How many significant digits a number has, six at most; with two or more it is rarely met by
    chance.

    >>> [significant_digits(value) for value in (0.5, 18, 40, 1.9, 3000, 2340)]
    [1, 2, 1, 2, 1, 3]
    """
    return len(f"{abs(value):.6g}".partition("e")[0].replace(".", "").strip("0"))


def numbers_in(text: str) -> Iterator[TextNumber]:
    """The numbers of a text in their order.

    >>> [sorted(number.readings) for number in numbers_in("1.000 of 2,5 Mio. €, 3割")]
    [[1.0, 1000.0], [2.5, 2500000.0], [0.3, 3.0]]
    """
    for match in _DIGITS.finditer(text):
        values = _separator_values(match[0].translate(_MARKS))
        scale = _scale_after(text, match.end())
        if scale is not None:
            values |= {value * scale for value in values}
        yield TextNumber(frozenset(map(comparable, values)), scale == PERCENT)


@lru_cache(maxsize=1_000)
def _numbers_of(brief: str) -> Mapping[float, TextNumber]:
    """The first number of a brief with each reading."""
    numbers: dict[float, TextNumber] = {}
    for number in numbers_in(brief):
        for reading in sorted(number.readings):
            numbers.setdefault(reading, number)
    return numbers


def _scale_after(text: str, end: int) -> float | None:
    """The value of the scale word behind a number, None without one."""
    after = _SCALE.match(text, end)
    words = after.groups("") if after else ()
    scales = [SCALES.get(normalise(word).rstrip(".")) for word in words]
    return next((scale for scale in scales if scale is not None), None)


def unit_scale(unit: str) -> float | None:
    """The value of the scale word in a unit: 1e6 for "Mio. €", 0.01 for "%", 1e3 for "kEUR"; None
    without one.
    """
    for word in _UNIT_WORD.findall(normalise(unit)):
        if word in SCALES:
            return SCALES[word]
        if with_currency := _WITH_CURRENCY.fullmatch(word):
            letter = with_currency["scale"]
            return 1e3 if letter == "t" else SCALES[letter]
    return None


def readings_of(value: float, unit: str) -> frozenset[float]:
    """What a number of a graph can mean: as it is, or times the scale word of its unit."""
    scales = {1.0, unit_scale(unit) or 1.0}
    return frozenset(comparable(value * scale) for scale in scales)


def _separator_values(digits: str) -> set[float]:
    """Every value of digits with points, commas or spaces between them.

    >>> sorted(_separator_values("1.000")), sorted(_separator_values("1.234,5"))
    ([1.0, 1000.0], [1234.5])
    >>> sorted(_separator_values("2,340"))
    [2.34, 2340.0]
    """
    parts = digits.split()
    if len(parts) > 1:  # groups of three after a space, or numbers in a row
        values: set[float] = set()
        for part in parts:
            values |= _separator_values(part)
        if len(parts[0]) <= 3:
            values |= _separator_values("".join(parts))
        return values
    mark = max(".,", key=digits.rfind)
    whole, _, decimals = digits.rpartition(mark)
    if not whole:
        return {float(digits)}
    values = set()
    if _GROUPED.fullmatch(digits):
        values.add(float(_without_marks(digits)))
    if mark not in whole:
        values.add(float(f"{_without_marks(whole)}.{decimals}"))
    elif not values:  # neither groups nor a decimal: a list, a date, a version
        values |= {float(part) for part in digits.replace(",", ".").split(".")}
    return values


def _without_marks(digits: str) -> str:
    return digits.replace(".", "").replace(",", "")
