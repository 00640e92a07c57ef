"""Numbers in a text, with every reading that they can have: ambiguous separators, scale words,
number words.

A reading is what is written, or that times the scale word beside it. Nothing is derived: sums,
ratios and free scaling would make most invented numbers look as if they were given.
"""

import unicodedata
from dataclasses import dataclass, replace
from fractions import Fraction

import regex
from num2words import num2words

from graph_evaluator.language.words import WORDS, normalise

SCALES = {word: float(scale) for scale, words in WORDS["scales"].items() for word in words}
"""What the number before each word is multiplied by."""
FRACTIONS = {
    language: {
        word: float(Fraction(part)) for part, words in parts.items() for word in words.split()
    }
    for language, parts in WORDS["fractions"].items()
}
"""Words for parts of a whole, by language."""


def _cardinals(language: str) -> dict[str, int]:
    """The number words of a language: those up to 100 that are one word (or one with hyphens), and
    those of `words.toml`.
    """
    cardinals: dict[str, int] = {}
    if language != "ar":
        spelt = {normalise(num2words(number, lang=language)): number for number in range(101)}
        cardinals = {word: number for word, number in spelt.items() if " " not in word}
    for number, words in WORDS["cardinals"][language].items():
        cardinals |= dict.fromkeys(words.split(), int(number))
    return cardinals


_CARDINALS = {language: _cardinals(language) for language in WORDS["cardinals"]}
_DIGIT = "[0-9٠-٩۰-۹०-९０-９]"
_HAN = "[〇一二三四五六七八九十百千]"
_TOKEN = regex.compile(
    rf"(?P<digits>{_DIGIT}+(?:[.,٫٬'’]{_DIGIT}+)*"
    rf"(?:[ \u00a0\u202f]{_DIGIT}{{3}}(?!{_DIGIT})(?:[.,]{_DIGIT}+)?)*)"
    rf"|(?P<han>{_HAN}{{1,20}})(?:分の(?P<dividend>{_HAN}{{1,20}}))?|(?P<half>半[分数]?)"
    r"|(?P<word>(?:(?![\p{Han}\p{Hiragana}\p{Katakana}])[\p{L}\p{M}]){1,60})"
)
_SCALE = regex.compile(
    r"[\s\-]{0,2}(?:([百千]?万|[%％٪萬億亿千割]|パーセント)"
    r"|(([\p{L}\p{M}]{1,20}+)\.?(?:\s[\p{L}\p{M}]{1,20}+)?)(?!\p{L}))"
)
_JOINED = regex.compile(r"[\s\-‑]{1,2}(?:and\s|y\s|و\s?)?")
_ARABIC_PARTICLE = regex.compile("^(?:وال|بال|لل|ال|و|ب|ل)")
_GROUPED = regex.compile(r"^\d{1,3}([.,])\d{3}(?:\1\d{3})*|^\d{1,2}(?:,\d{2})+,\d{3}")
_UNIT_WORD = regex.compile(r"[百千]?万|[%％٪萬億亿千割]|(?:(?![百千万萬億亿割])[\p{L}\p{M}])+")
_MARKS = str.maketrans("٫\u00a0\u202f", ".  ", "٬'’")
_CODES = "eur|usd|gbp|sek|nok|dkk|chf|jpy|inr|cad|aud|sar|aed|pln|czk"
_WITH_CURRENCY = regex.compile(
    rf"(?:{_CODES})(?P<scale>k|m|mn|mio|bn)|(?P<scale>k|t|m|mn|mio|bn)(?:{_CODES})"
)


@dataclass(frozen=True, slots=True)
class TextNumber:
    """A number in a text: everything that it can mean, the value of its scale word, and its
    offsets.
    """

    readings: frozenset[float]
    scale: float | None
    start: int
    end: int


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


def numbers_in(text: str, language: str | None) -> tuple[TextNumber, ...]:
    """The numbers of a text in their order; `language` is the code of that whose number words
    count, English where it is not known.

    >>> [sorted(number.readings) for number in numbers_in("1.000 of 2,5 Mio. €", "de")]
    [[1.0, 1000.0], [2.5, 2500000.0]]
    >>> [sorted(number.readings) for number in numbers_in("forty-five of two hundred, 三割", "en")]
    [[45.0], [200.0], [0.3, 3.0]]
    """
    return tuple(_NumberReader(text, language or "en").numbers)


def unit_scale(unit: str | None) -> float | None:
    """The value of the scale word in a unit: 1e6 for "Mio. €", 0.01 for "%", 1e3 for "kEUR"; None
    without one.
    """
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
    if scale is None:
        return frozenset({comparable(value)})
    return frozenset({comparable(value), comparable(value * scale)})


class _NumberReader:
    """Reads the numbers of a text in their order: digits, Han digits and number words."""

    def __init__(self, text: str, language: str) -> None:
        self.numbers: list[TextNumber] = []
        self._text = text
        self._language = language
        self._cardinals = _CARDINALS.get(language, {})
        self._fractions = FRACTIONS.get(language, {})
        self._words_end = -1  # where the last number of words ends, if no other number follows it
        for token in _TOKEN.finditer(text):
            is_scale_word = bool(self.numbers) and token.start() < self.numbers[-1].end
            if is_scale_word:
                continue
            if token["word"]:
                self._add_word(token["word"], *token.span())
            else:
                self._add(_digit_values(token), *token.span())

    def _add_word(self, word: str, start: int, end: int) -> None:
        form = normalise(word)
        is_known = form in self._fractions or form in self._cardinals
        if self._language == "ar" and not is_known:
            form = _ARABIC_PARTICLE.sub("", form)
        before = self._number_word_before(start)
        belongs_together = False
        if form in self._fractions:
            part = self._fractions[form]
            belongs_together = 1 <= before <= 9
            values = _fraction_values((before if belongs_together else 1) * part)
            values.add(1 / part)  # a third, the third
        elif form in self._cardinals:
            cardinal = self._cardinals[form]
            composed = _composed(before, cardinal)
            belongs_together = composed is not None
            values = {float(cardinal) if composed is None else composed}
        else:
            return
        if belongs_together:
            start = self.numbers.pop().start
        self._add(values, start, end)
        self._words_end = self.numbers[-1].end

    def _number_word_before(self, start: int) -> float:
        """The value of the number word that this place directly follows; 0 where there is none."""
        if not self.numbers or self.numbers[-1].end != self._words_end:
            return 0.0
        readings = self.numbers[-1].readings
        is_joined = _JOINED.fullmatch(self._text[self._words_end : start])
        return min(readings) if is_joined and len(readings) == 1 else 0.0

    def _add(self, values: set[float], start: int, end: int) -> None:
        scale = None
        after = _SCALE.match(self._text, end)
        for group in (1, 2, 3) if after else ():
            scale = SCALES.get(normalise(after[group] or "").rstrip("."))
            if scale is not None:
                end = after.end(group)
                break
        scaled = set() if scale is None else {value * scale for value in values}
        readings = frozenset(comparable(value) for value in values | scaled)
        number = TextNumber(readings, scale, start, end)
        if self.numbers:
            self.numbers[-1] = self._with_sum(self.numbers[-1], number)
        self.numbers.append(number)

    def _with_sum(self, first: TextNumber, second: TextNumber) -> TextNumber:
        """The first of two numbers; with their sum where they follow each other with a falling
        scale: 1億1,000万.
        """
        between = self._text[first.end : second.start]
        if second.scale:
            between = between.strip()
        if between or not (first.scale or 0) > (second.scale or 1) >= 1:
            return first
        total = comparable(max(first.readings) + max(second.readings))
        return replace(first, readings=first.readings | {total}, end=second.end)


def _composed(before: float, value: int) -> float | None:
    """The value of two number words that belong together: forty-five, two hundred, two hundred and
    fifty; None of others.
    """
    if value == 100:
        return before * value if 0 < before < 10 else None
    belong_together = before % 100 == 0 and before > 0 and value < 100
    if before < 10:
        belong_together = before > 0 and 10 <= value < 100 and value % 10 == 0  # five and forty
    elif before < 100:
        belong_together = before >= 20 and before % 10 == 0 and value < 10
    return before + value if belong_together else None


def _digit_values(token: regex.Match[str]) -> set[float]:
    if token["half"]:
        return _fraction_values(1 / 2)
    if token["dividend"]:  # 三分の二: two of three
        return _fraction_values(han_number(token["dividend"]) / max(han_number(token["han"]), 1))
    if token["han"]:
        return {float(han_number(token["han"]))}
    return _separator_values(token["digits"].translate(_MARKS))


def _fraction_values(value: float) -> set[float]:
    """How people write a fraction: 0.33, 0.333, 33, 33.3 and so on."""
    percentage = 100 * value
    rounded_percentages = {round(percentage, places) for places in (0, 1, 2)}
    shares = {value, round(value, 2), round(value, 3)}
    return shares | rounded_percentages | {percentage, float(int(percentage))}


def han_number(digits: str) -> int:
    """The number that Han digits write, without 万 and 億.

    >>> han_number("三百二十"), han_number("二〇二七"), han_number("十")
    (320, 2027, 10)
    """
    values = [int(unicodedata.numeric(digit)) for digit in digits]
    if max(values) < 10:
        return int("".join(map(str, values)))
    total = part = 0
    for value in values:
        if value < 10:
            part = value
        else:
            total += max(part, 1) * value
            part = 0
    return total + part


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
