"""The numeric target that a brief names, if it names one."""

import re

import msgspec

from stages.simulate.language import Language

_READ_CHARS = 40_000
_SENTENCE = re.compile(r"(?:[^.!?。؟\n]|\.(?=\d)|(?<=\b\d)\.)+")
_CURRENCY = r"(?:[A-Z]{1,3}\$|[$€£¥₹]|\b(?:AUD|USD|EUR|GBP|CHF|SEK|NOK|DKK|CAD|NZD|INR|JPY|CNY)\s)"
_NUMBER = re.compile(
    rf"(?P<currency>{_CURRENCY})?\s?(?P<digits>\d[\d.,]*\d|\d)"
    r"\s?(?P<unit>%|万円|億円|円|室|人|件|トン|年|か?月|日|時間|[^\W\d_]{2,14})?"
)
_MAGNITUDES = frozenset({"million", "Mio", "lakh", "billion", "thousand", "مليون", "万円", "億円"})
_NOT_A_TARGET = re.compile(
    r"年|月|日|(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|years?|months?|weeks?|days?|hours?|points?|Jahren?|Monaten?|Wochen?|Tagen?|سنوات|أشهر|years old)",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"goal|target|resolved|reach|beschlossen|\bziel|目標|هدف|must cut|wants? .{0,60}(?:below|at least|fewer)",
    re.IGNORECASE,
)


class Target(msgspec.Struct, frozen=True):
    """A target: the number as written, its unit, and the sentence that names it."""

    raw: float
    unit: str
    sentence: str

    @property
    def cap(self) -> float:
        """A natural upper end of the scale: 100 for percentages, else 1.25 times the number."""
        return 100.0 if self.unit == "%" else round(abs(self.raw) * 1.25, 6) or 1.0


def target_in(text: str, language: Language) -> Target | None:
    """The first number with a unit or a currency in a sentence that announces an aim; None when there is none."""
    announces = re.compile(language.aim, re.IGNORECASE)
    best: tuple[int, Target] | None = None
    for sentence in _SENTENCE.findall(text[:_READ_CHARS])[:600]:
        said = announces.search(sentence)
        if not said or len(sentence) > 600:
            continue
        strong = len(_STRONG.findall(sentence))
        for number in _NUMBER.finditer(sentence, said.start()):
            value, unit = _value(number["digits"]), _unit(number, language)
            if value is None or not unit or (1900 <= value <= 2100 and unit.isalpha()):
                continue
            if best is None or strong > best[0]:
                best = (strong, Target(value, unit, " ".join(sentence.split())))
            break
    return best[1] if best else None


def _unit(number: re.Match[str], language: Language) -> str:
    currency, unit = (number["currency"] or "").strip(), number["unit"] or ""
    if _NOT_A_TARGET.fullmatch(unit) or (unit.lower() in language.little and unit not in _MAGNITUDES):
        unit = ""
    if currency and unit not in _MAGNITUDES:
        unit = ""
    return " ".join(part for part in (currency, unit) if part)


def _value(digits: str) -> float | None:
    grouped = re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", digits)
    plain = re.sub(r"[.,]", "", digits) if grouped else digits.replace(",", ".")
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if value < 1e15 else None
