"""Numbers in a text that are written in digits, with every reading that they can have: ambiguous
separators and scale words.

A reading is the number as written, or that times the scale word next to it. Nothing is derived,
because sums, ratios and free scaling would make most invented numbers look given.
"""

from collections.abc import Iterator
from typing import NamedTuple

import regex

from graph_evaluator.language.words import WORDS, normalise

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
    """A number in a text: everything that it can mean, and the value of its scale word."""

    readings: frozenset[float]
    scale: float | None


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
        yield TextNumber(frozenset(map(comparable, values)), scale)


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
