"""What the drafter takes from the text of a brief: options, clauses, numbers and a target, by the
same rules in every language.

Lists are found by their bullets and numbers, clauses by punctuation, quantities by their digits.
The only words that the reader knows are those that announce a target or mean "as before", and units
of time, which are not targets.
"""

import itertools
import re
from dataclasses import dataclass

_MAX_CHARS = 40_000
_MAX_OPTIONS = 6
_MAX_LABEL_CHARS = 72
_QUESTION_MARKS = ("?", "？", "؟")
_LISTS = (
    # 1. or (a) or 一、
    re.compile(r"^\s*(?:\(?(?:\d{1,2}|[A-Ha-h])[.)]\s|[一二三四五六七八九][、.．])\s*(\S.*)"),
    re.compile(r"^\s*[-*•–·]\s+(\S.*)"),
    re.compile(r"^(?:\S{1,12}\s){0,4}\S{1,12}:\s+(\S.*)"),  # Option 1: text
    re.compile(r"^((?:[^\s.]{1,12}\s){0,4}[^\s.]{1,12}\.\s+\S.*)"),  # a short name. Then sentences
)
_BULLET = re.compile(r"^\s*(?:[-*•–·]|\(?\w{1,2}[.)])\s")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?=\s+[^\Wa-z\d_])|(?<=[。？؟])|\n")
_CLAUSE_END = re.compile(
    r"[.!?](?=\s+[^\Wa-z\d_]|\s*$)|[,;:](?=\s|$)|[。、，；：？！،؛؟\n|()（）]|\s[–—-]\s"
)
_ALTERNATIVE = re.compile(r"[;؛]\s|[,،、]\s+(?:or|oder|أو)\s|\s(?:or|oder|أو)\s|または|それとも")
_QUANTITY = re.compile(
    r"(?P<currency>(?:[A-Z]{1,3})?[$€£¥₹]|\b[A-Z]{3}\s)?\s?(?P<digits>\d[\d.,]*\d|\d)"
    r"\s?(?P<unit>%|(?:million|lakh|billion|Mio\.?|مليون)(?!\w)|[万億]円|[\u3040-\u9fff]"
    r"|[^\W\d_]{1,14})?"
)
_SCALE = re.compile(r"million|lakh|billion|Mio")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORD = re.compile(r"[^\W\d_]{3}")
_TIME = re.compile(
    r"年|月|日|か|year|month|week|day|hour|jahr|monat|woche|tag|سن|شهر"
    r"|jan|feb|mar|apr|may|jun|jul|aug|sep|o[ck]t|nov|de[cz]",
    re.I,
)
_AIM = re.compile(
    r"\b(?:goal|target|resolved|(?:we|i) want|wants|must|ziel|beschlossen|sollen?|wollen)\b"
    r"|目標|هدف|نريد",
    re.I,
)
_UNCHANGED = re.compile(
    r"status quo|\b(?:stay|remain|carry on|go on|as (?:it|we) (?:is|are)|unchanged"
    r"|chang\w+ nothing|no \w* ?change|extend|wie bisher|unverändert)\b"
    r"|現状|このまま|نستمر|كما نحن",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of the brief, short enough for a label, and the first number in it with its unit or
    currency ("" for none).
    """

    text: str
    number: float | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ListedOption:
    """An option in the brief's words: its label, and whether it means going on as before."""

    label: str
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class BriefReading:
    """What was found in a brief; any part but the title may be empty. `aim` has the target as its
    number.
    """

    title: str
    options: tuple[ListedOption, ...]
    clauses: tuple[Clause, ...]
    aim: Clause


def read_brief(text: str) -> BriefReading:
    """The reading of any text, however short or strange; 40,000 characters of it are read."""
    clean = text[:_MAX_CHARS]
    sentences = [" ".join(part.split()) for part in _SENTENCE_END.split(clean) if part.strip()]
    options: dict[str, ListedOption] = {}
    for option_text in _option_texts(clean, sentences)[:_MAX_OPTIONS]:
        option = _listed_option(option_text)
        options.setdefault(option.label, option)
    clauses = tuple(clause for clause in _clauses(clean) if clause.text not in options)
    questions = [sentence for sentence in sentences if sentence.endswith(_QUESTION_MARKS)]
    title, *_ = [*questions, *sentences, "?"]
    return BriefReading(_label(title), tuple(options.values()), clauses, _aim(sentences))


def _listed_option(text: str) -> ListedOption:
    first, *_ = *_clauses(text), Clause(_label(text))
    return ListedOption(first.text, unchanged=bool(_UNCHANGED.search(text[:80])))


def _aim(sentences: list[str]) -> Clause:
    """The first sentence that announces a target with a number, else without one, else none."""
    aims: list[Clause] = []
    for sentence in sentences:
        if announced := _AIM.search(sentence):
            number, unit = _number(sentence[announced.start() :], with_unit=True)
            aims.append(Clause(_label(sentence), number, unit))
    with_number = [aim for aim in aims if aim.number is not None]
    return next(iter([*with_number, *aims]), Clause(""))


def _clauses(text: str) -> tuple[Clause, ...]:
    parts = [_label(_BULLET.sub("", part)) for part in _CLAUSE_END.split(text)]
    worded = [part for part in dict.fromkeys(parts) if _WORD.search(part)]
    return tuple(Clause(part, *_number(part)) for part in worded)


def _label(text: str) -> str:
    label = " ".join(text.split()).strip(" .:;,*`\"'")
    if len(label) > _MAX_LABEL_CHARS:
        cut = label[:_MAX_LABEL_CHARS]
        label = cut.rpartition(" ")[0] or cut
    return label[:1].upper() + label[1:]


def _option_texts(text: str, sentences: list[str]) -> tuple[str, ...]:
    """The longest list of the first kind that there is, else the columns of a table, else the
    alternatives of one sentence.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    for pattern in _LISTS:
        entries = _longest_run([pattern.match(line) for line in lines])
        if len(entries) > 1:
            return entries
    for line, below in itertools.pairwise(lines):
        is_header = line.count("|") > 2 and not below.strip(" |-:")
        if is_header:
            return tuple(cell.strip() for cell in line.split("|") if cell.strip())
    for sentence in sentences:
        parts = tuple(part for part in _ALTERNATIVE.split(sentence) if part.strip())
        is_question = sentence.endswith(_QUESTION_MARKS)
        if len(parts) > 2 or (len(parts) == 2 and is_question):
            return parts
    return ()


def _longest_run(matches: list[re.Match[str] | None]) -> tuple[str, ...]:
    """What the longest run of lines that match says; the first of equally long ones."""
    runs: list[list[str]] = [[]]
    for match in matches:
        if match:
            runs[-1].append(match[1])
        else:
            runs.append([])
    longest: list[str] = max(runs, key=len)
    return tuple(longest)


def _number(text: str, *, with_unit: bool = False) -> tuple[float | None, str]:
    """The first number that is neither a year nor a duration nor a date, with its unit."""
    for match in _QUANTITY.finditer(text):
        digits = match["digits"]
        currency = (match["currency"] or "").strip()
        unit = match["unit"] or ""
        plain = _plain_digits(digits)
        is_readable = plain.count(".") <= 1 and len(plain) <= 15
        if not is_readable or _TIME.match(unit):
            continue
        if not currency:
            full_unit = unit
        elif _SCALE.match(unit):
            full_unit = f"{currency} {unit}"
        else:
            full_unit = currency
        is_year = bool(_YEAR.fullmatch(digits)) and not currency and full_unit != "%"
        if not is_year and (full_unit or not with_unit):
            return float(plain), full_unit
    return None, ""


def _plain_digits(digits: str) -> str:
    if _GROUPED.fullmatch(digits):
        return re.sub(r"[.,]", "", digits)
    return digits.replace(",", ".")
