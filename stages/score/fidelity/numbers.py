"""Numbers in a text, with every reading that they can have: ambiguous separators, scale words, number words.

A reading is what is written, or that times the scale word beside it. Nothing is derived: sums, ratios and free scaling
would make most invented numbers look as if they were given.
"""

import unicodedata
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Final

import regex
from num2words import num2words

from stages.score.fidelity.words import WORDS, normalise

SCALES: Final = {word: float(scale) for scale, words in WORDS["scales"].items() for word in words}
"""What the number before each word is multiplied by."""
FRACTIONS: Final = {
    language: {
        word: float(Fraction(part)) for part, words in parts.items() for word in words.split()
    }
    for language, parts in WORDS["fractions"].items()
}
"""Words for parts of a whole, by language."""


def _cardinals(language: str) -> dict[str, int]:
    """The number words of a language: those up to 100 that are one word (or one with hyphens), and those of `words.toml`."""
    listed = {
        word: int(number)
        for number, words in WORDS["cardinals"][language].items()
        for word in words.split()
    }
    if language == "ar":  # three to nine hundred are one word
        hundreds = [word for word, number in listed.items() if number == 100]
        few = {word: number for word, number in listed.items() if 3 <= number <= 9}
        return listed | {
            word + hundred: 100 * number for word, number in few.items() for hundred in hundreds
        }
    spelt = {normalise(num2words(number, lang=language)): number for number in range(101)}
    return {word: number for word, number in spelt.items() if " " not in word} | listed


_CARDINALS: Final = {language: _cardinals(language) for language in WORDS["cardinals"]}
_HAN_DIGITS: Final = {digit: value for value, digit in enumerate("〇一二三四五六七八九")}
_HAN_POWERS: Final = {"十": 10, "百": 100, "千": 1000}
_HAN: Final = "".join((*_HAN_DIGITS, *_HAN_POWERS))
_INTEGER: Final = rf"[{_HAN}]{{1,20}}|\p{{Nd}}{{1,20}}"
_TOKEN: Final = regex.compile(
    rf"(?P<divisor>{_INTEGER})分の(?P<dividend>{_INTEGER})"
    r"|(?P<digits>\p{Nd}+(?:[.,٫٬'’]\p{Nd}+)*(?:[ \u00a0\u202f]\p{Nd}{3}(?!\p{Nd})(?:[.,]\p{Nd}+)?)*)"
    rf"|(?P<han>[{_HAN}]{{1,20}})|(?P<half>半[分数]?)"
    r"|(?P<word>(?:(?![\p{Han}\p{Hiragana}\p{Katakana}])[\p{L}\p{M}]){1,60})"
)
_SCALE: Final = regex.compile(
    r"[\s\-]{0,2}(?:([百千]?万|[%％٪萬億亿千割]|パーセント)|(([\p{L}\p{M}]{1,20}+)\.?(?:\s[\p{L}\p{M}]{1,20}+)?)(?!\p{L}))"
)
_RANGE: Final = regex.compile(
    r"\s?[-–—~〜]\s?|\W{0,2}(?:to|and|or|bis|und|oder|a|et|y|から|و|الي)\W{1,3}"
)
_JOINED: Final = regex.compile(r"[\s\-‑]{1,2}(?:and\s|y\s|و\s?)?")
_ARABIC_PARTICLE: Final = regex.compile("^(?:وال|بال|لل|ال|و|ب|ل)")
_GROUPED: Final = regex.compile(r"\d{1,3}([.,])\d{3}(?:\1\d{3})*|\d{1,2}(?:,\d{2})+,\d{3}")
_UNIT_WORD: Final = regex.compile(
    r"[百千]?万|[%％٪萬億亿千割]|(?:(?![百千万萬億亿割])[\p{L}\p{M}])+"
)
_SEPARATORS: Final = {"٫": ".", ".": ".", ",": ",", " ": " ", "\u00a0": " ", "\u202f": " "}
_CODES: Final = "eur|usd|gbp|sek|nok|dkk|chf|jpy|inr|cad|aud|sar|aed|pln|czk"
_WITH_CURRENCY: Final = regex.compile(
    rf"(?:{_CODES})(?P<scale>k|m|mn|mio|bn)|(?P<scale>k|t|m|mn|mio|bn)(?:{_CODES})"
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text: everything that it can mean, the value of its scale word, and its offsets."""

    readings: frozenset[float]
    scale: float | None
    start: int
    end: int


def rounded(value: float) -> float:
    """The size of a value at six significant digits, so that equal numbers compare equal however they were calculated."""
    return float(f"{abs(value):.6g}")


def significant_digits(value: float) -> int:
    """How many significant digits a number has, six at most; with two or more it is rarely met by chance.

    >>> [significant_digits(value) for value in (0.5, 18, 40, 1.9, 3000, 2340)]
    [1, 2, 1, 2, 1, 3]
    """
    return len(f"{abs(value):.6g}".partition("e")[0].replace(".", "").strip("0"))


def numbers_in(text: str, language: str | None) -> tuple[Number, ...]:
    """The numbers of a text in their order; `language` is the code of that whose number words count, English where it is not known.

    >>> [sorted(number.readings) for number in numbers_in("1.000 of 2,5 Mio. €", "de")]
    [[1.0, 1000.0], [2.5, 2500000.0]]
    >>> [sorted(number.readings) for number in numbers_in("forty-five of two hundred, 三割", "en")]
    [[45.0], [200.0], [0.3, 3.0]]
    """
    return _with_sums(_with_shared_scales(_as_written(text, language or "en"), text), text)


def unit_scale(unit: str | None) -> float | None:
    """The value of the scale word in a unit: 1e6 for "Mio. €", 0.01 for "%", 1e3 for "kEUR"; None without one."""
    for word in _UNIT_WORD.findall(normalise(unit or "")):
        if word in SCALES:
            return SCALES[word]
        if with_currency := _WITH_CURRENCY.fullmatch(word):
            letter = with_currency["scale"]
            return 1e3 if letter == "t" else SCALES[letter]
    return None


def readings_of(value: float, unit: str | None) -> frozenset[float]:
    """What a number of a graph can mean: as it is, or times the scale word of its unit."""
    scale = unit_scale(unit)
    return frozenset(
        {rounded(value)} if scale is None else {rounded(value), rounded(value * scale)}
    )


def _as_written(text: str, language: str) -> list[Number]:
    found: list[Number] = []
    cardinals, fractions = _CARDINALS.get(language, {}), FRACTIONS.get(language, {})
    words_end = -1  # where the last number of words ends, if no other number follows it
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        if found and start < found[-1].end:  # a scale word
            continue
        if not token["word"]:
            found.append(_number(_digit_values(token), text, start, end))
            continue
        form = normalise(token["word"])
        if form not in fractions and form not in cardinals and language == "ar":
            form = _ARABIC_PARTICLE.sub("", form)
        before = (
            found[-1]
            if found and found[-1].end == words_end and _JOINED.fullmatch(text[words_end:start])
            else None
        )
        times = min(before.readings) if before and len(before.readings) == 1 else None
        if form in fractions:
            numerator = times if times is not None and 1 <= times <= 9 else None
            values = _fraction_values((numerator or 1) * fractions[form]) | {
                1 / fractions[form]
            }  # a third, the third
            start = found.pop().start if numerator and before else start
        elif form in cardinals:
            whole = None if times is None else _composed(times, cardinals[form])
            values = {float(cardinals[form]) if whole is None else whole}
            start = found.pop().start if whole is not None and before else start
        else:
            continue
        found.append(_number(values, text, start, end))
        words_end = found[-1].end
    return found


def _composed(before: float, value: int) -> float | None:
    """The number of two number words that belong together: forty-five, two hundred, two hundred and fifty; else None."""
    if value == 100 and before < 10:
        return before * value
    hundreds = before >= 100 and before % 100 == 0 and value < 100
    tens = 20 <= before < 100 and before % 10 == 0 and value < 10
    arabic = before < 10 and (
        value == 10 or (20 <= value < 100 and value % 10 == 0)
    )  # five and forty
    return before + value if hundreds or tens or arabic else None


def _number(values: set[float], text: str, start: int, end: int) -> Number:
    scale, after = None, _SCALE.match(text, end)
    for group in (1, 2, 3) if after else ():
        scale = SCALES.get(normalise(after[group] or "").rstrip("."))
        if scale is not None:
            end = after.end(group)
            break
    scaled = set() if scale is None else {value * scale for value in values}
    return Number(frozenset(rounded(value) for value in values | scaled), scale, start, end)


def _digit_values(token: regex.Match[str]) -> set[float]:
    if token["divisor"]:
        return _fraction_values(_integer(token["dividend"]) / max(_integer(token["divisor"]), 1))
    if token["half"]:
        return _fraction_values(1 / 2)
    if token["han"]:
        return {float(han_number(token["han"]))}
    return _separator_values(_ascii_digits(token["digits"]))


def _ascii_digits(text: str) -> str:
    """The text with its digits in ASCII: `regex` may know digits that `float` does not."""
    return "".join(
        _SEPARATORS.get(letter) or str(unicodedata.digit(letter, 0))
        for letter in text
        if letter not in "٬'’"
    )


def _integer(digits: str) -> int:
    return han_number(digits) if digits[0] in _HAN else int(_ascii_digits(digits))


def _fraction_values(value: float) -> set[float]:
    """How people write a fraction: 0.33, 0.333, 33, 33.3 and so on."""
    return {value, round(value, 2), round(value, 3), 100 * value, float(int(100 * value)), *(
        round(100 * value, places) for places in (0, 1, 2)
    )}  # fmt: skip


def han_number(digits: str) -> int:
    """The number that Han digits write, without 万 and 億.

    >>> han_number("三百二十"), han_number("二〇二七"), han_number("十")
    (320, 2027, 10)
    """
    if not any(digit in _HAN_POWERS for digit in digits):
        return int("".join(str(_HAN_DIGITS[digit]) for digit in digits))
    total = part = 0
    for digit in digits:
        if digit in _HAN_POWERS:
            total += max(part, 1) * _HAN_POWERS[digit]
            part = 0
        else:
            part = _HAN_DIGITS[digit]
    return total + part


def _separator_values(digits: str) -> set[float]:
    """Every value of digits with points, commas or spaces between them.

    >>> sorted(_separator_values("1.000")), sorted(_separator_values("1.234,5")), sorted(_separator_values("2,340"))
    ([1.0, 1000.0], [1234.5], [2.34, 2340.0])
    """
    parts = digits.split()
    if len(parts) > 1:  # groups of three after a space, or numbers in a row
        grouped = _separator_values("".join(parts)) if len(parts[0]) <= 3 else set[float]()
        return grouped.union(*map(_separator_values, parts))
    mark = max(".,", key=digits.rfind)
    whole, _, decimals = digits.rpartition(mark)
    if not whole:
        return {float(digits)}
    values = (
        {float(digits.replace(".", "").replace(",", ""))}
        if _GROUPED.fullmatch(digits)
        else set[float]()
    )
    if mark not in whole:
        values.add(float(f"{whole.replace('.', '').replace(',', '')}.{decimals}"))
    elif not values:  # neither groups nor a decimal: a list, a date, a version
        values |= {float(part) for part in digits.replace(",", ".").split(".")}
    return values


def _with_shared_scales(numbers: list[Number], text: str) -> list[Number]:
    """The same numbers; the first of a range takes the scale word of the second: "0.5 to 2.2 million"."""
    shared = numbers.copy()
    for index, (one, other) in enumerate(pairwise(numbers)):
        if (
            one.scale is None
            and other.scale is not None
            and _RANGE.fullmatch(normalise(text[one.end : other.start]))
        ):
            scaled = {rounded(reading * other.scale) for reading in one.readings}
            shared[index] = replace(one, readings=one.readings | scaled, scale=other.scale)
    return shared


def _with_sums(numbers: list[Number], text: str) -> tuple[Number, ...]:
    """The same numbers; parts that follow each other with falling scales also read as their sum: 1億1,000万."""
    summed = numbers.copy()
    for index in range(len(numbers) - 1, 0, -1):
        one, other = summed[index - 1], summed[index]
        between = text[one.end : other.start]
        if (one.scale or 0) > (other.scale or 1) >= 1 and not (
            between.strip() if other.scale else between
        ):
            total = rounded(max(one.readings) + max(other.readings))
            summed[index - 1] = replace(one, readings=one.readings | {total}, end=other.end)
    return tuple(summed)
