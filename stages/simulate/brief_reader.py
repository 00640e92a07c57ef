"""What the drafter takes from the text of a brief: options, clauses, numbers and a target, by the same rules in every language.

Lists are found by their bullets and numbers, clauses by punctuation, quantities by their digits. The only words that the
reader knows are those that announce a target or mean "as before", and units of time, which are not targets.
"""

import itertools
import re
from dataclasses import dataclass

_READ_CHARS, _MOST_OPTIONS, _LABEL_CHARS = 40_000, 6, 72
_LISTS = (
    re.compile(
        r"^\s*(?:\(?(?:\d{1,2}|[A-Ha-h])[.)]\s|[一二三四五六七八九][、.．])\s*(\S.*)"
    ),  # 1. or (a) or 一、
    re.compile(r"^\s*[-*•–·]\s+(\S.*)"),
    re.compile(r"^(?:\S{1,12}\s){0,4}\S{1,12}:\s+(\S.*)"),  # Option 1: text
    re.compile(r"^((?:[^\s.]{1,12}\s){0,4}[^\s.]{1,12}\.\s+\S.*)"),  # a short name. Then sentences
)
_SENTENCE_END = re.compile(r"(?<=[.!?])(?=\s+[^\Wa-z\d_])|(?<=[。？؟])|\n")
_CLAUSE_END = re.compile(
    r"[.!?](?=\s+[^\Wa-z\d_]|\s*$)|[,;:](?=\s|$)|[。、，；：？！،؛؟\n|()（）]|\s[–—-]\s"
)
_ALTERNATIVE = re.compile(r"[;؛]\s|[,،、]\s+(?:or|oder|أو)\s|\s(?:or|oder|أو)\s|または|それとも")
_QUANTITY = re.compile(
    r"(?P<currency>(?:[A-Z]{1,3})?[$€£¥₹]|\b[A-Z]{3}\s)?\s?(?P<digits>\d[\d.,]*\d|\d)"
    r"\s?(?P<unit>%|(?:million|lakh|billion|Mio\.?|مليون)(?!\w)|[万億]円|[\u3040-\u9fff]|[^\W\d_]{1,14})?"
)
_SCALE = re.compile(r"million|lakh|billion|Mio")
_TIME = re.compile(
    r"年|月|日|か|year|month|week|day|hour|jahr|monat|woche|tag|سن|شهر|jan|feb|mar|apr|may|jun|jul|aug|sep|o[ck]t|nov|de[cz]",
    re.I,
)
_AIM = re.compile(
    r"\b(?:goal|target|resolved|(?:we|i) want|wants|must|ziel|beschlossen|sollen?|wollen)\b|目標|هدف|نريد",
    re.I,
)
_UNCHANGED = re.compile(
    r"status quo|\b(?:stay|remain|carry on|go on|as (?:it|we) (?:is|are)|unchanged|chang\w+ nothing|no \w* ?change|extend"
    r"|wie bisher|unverändert)\b|現状|このまま|نستمر|كما نحن",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of the brief, short enough for a label, and the first number in it with its unit or currency ("" for none)."""

    text: str
    number: float | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ListedOption:
    """An option in the brief's words: its label, the other clauses of its text, whether it means going on as before."""

    label: str
    clauses: tuple[Clause, ...] = ()
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class BriefReading:
    """What was found in a brief; any part but the title may be empty. `aim` has the target as its number."""

    title: str
    options: tuple[ListedOption, ...]
    clauses: tuple[Clause, ...]
    aim: Clause


def read_brief(text: str) -> BriefReading:
    """The reading of any text, however short or strange; 40,000 characters of it are read."""
    clean = text[:_READ_CHARS]
    sentences = [" ".join(part.split()) for part in _SENTENCE_END.split(clean) if part.strip()]
    options: dict[str, ListedOption] = {}
    for item in _option_texts(clean, sentences)[:_MOST_OPTIONS]:
        label, *rest = _clauses(item) or (Clause(_label(item)),)
        options.setdefault(
            label.text, ListedOption(label.text, tuple(rest), bool(_UNCHANGED.search(item[:80])))
        )
    clauses = tuple(clause for clause in _clauses(clean) if clause.text not in options)
    questions = [sentence for sentence in sentences if sentence.endswith(("?", "？", "؟"))]
    starts = [
        (sentence, match.start()) for sentence in sentences if (match := _AIM.search(sentence))
    ]
    aims = [
        Clause(_label(sentence), *_number(sentence[start:], with_unit=True))
        for sentence, start in starts
    ]
    aim = next((aim for aim in aims if aim.number is not None), (aims or [Clause("")])[0])
    return BriefReading(
        _label((questions or sentences or ["?"])[0]), tuple(options.values()), clauses, aim
    )


def _clauses(text: str) -> tuple[Clause, ...]:
    parts = (
        _label(re.sub(r"^\s*(?:[-*•–·]|\(?\w{1,2}[.)])\s", "", part))
        for part in _CLAUSE_END.split(text)
    )
    return tuple(
        Clause(part, *_number(part))
        for part in dict.fromkeys(parts)
        if re.search(r"[^\W\d_]{3}", part)
    )


def _label(text: str) -> str:
    words = " ".join(text.split()).strip(" .:;,*`\"'")
    if len(words) > _LABEL_CHARS:
        words = words[:_LABEL_CHARS].rpartition(" ")[0] or words[:_LABEL_CHARS]
    return words[:1].upper() + words[1:]


def _option_texts(text: str, sentences: list[str]) -> tuple[str, ...]:
    """The longest list of the first kind that there is, else the columns of a table, else the alternatives of one sentence."""
    lines = [line for line in text.splitlines() if line.strip()]
    for pattern in _LISTS:
        matches = [pattern.match(line) for line in lines]
        runs = [
            [match[1] for match in run if match] for _, run in itertools.groupby(matches, key=bool)
        ]
        if len(longest := max(runs, key=len, default=[])) > 1:
            return tuple(longest)
    for line, below in itertools.pairwise(lines):
        if line.count("|") > 2 and not below.strip(" |-:"):
            return tuple(cell.strip() for cell in line.split("|") if cell.strip())
    for sentence in sentences:
        parts = tuple(part for part in _ALTERNATIVE.split(sentence) if part.strip())
        if len(parts) > 2 or (len(parts) == 2 and sentence.endswith(("?", "？", "؟"))):
            return parts
    return ()


def _number(text: str, *, with_unit: bool = False) -> tuple[float | None, str]:
    """The first number that is neither a year nor a duration nor a date, with its unit."""
    for match in _QUANTITY.finditer(text):
        digits, currency, unit = (
            match["digits"],
            (match["currency"] or "").strip(),
            match["unit"] or "",
        )
        grouped = re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", digits)
        plain = re.sub(r"[.,]", "", digits) if grouped else digits.replace(",", ".")
        if plain.count(".") > 1 or len(plain) > 15 or _TIME.match(unit):
            continue
        unit = f"{currency} {unit}".strip() if not currency or _SCALE.match(unit) else currency
        if (unit or not with_unit) and not (
            re.fullmatch(r"(?:19|20)\d\d", digits) and not currency and unit != "%"
        ):
            return float(plain), unit
    return None, ""
