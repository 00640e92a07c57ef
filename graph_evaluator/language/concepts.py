"""Which concepts a label names, by the words of their aliases or by exact names, and whether it
names the opposite.

An alias matches a label that has each of its words, from the start of a word. Words of reversal
directly next to them turn the meaning: "scrap avoided", "drop in morale", "weniger Personal". An
exact name is what a label is about: words of reversal anywhere before it turn the meaning.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import regex

from graph_evaluator.language.words import ARABIC_PREFIX, normalise, split_names, words_by_language

INSIDE_LETTERS = 5
"""A word of at least this length also matches inside other words."""
NEGATIONS = ("dis", "un", "non")
JOINING_LETTERS = 2
"""At most this many letters join a word of reversal to the word that it ends, or inflect it."""

_OTHER_SCRIPT = regex.compile(r"(?!\p{Latin})\p{L}")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_SEPARATORS = regex.compile(r"[^\w\p{M}\p{Sc}%]+")
_PLURAL = regex.compile(r"(?<=\p{L}{3})(?<!s)s$")
_NUMBER_SIGN = regex.compile(r"\b[Nn]o\.")
_PARTICLE = regex.compile(r"^[のがをはもに]")


def _words_of(name: str) -> frozenset[str]:
    return frozenset[str]().union(*words_by_language(name).values())


_TURNING_BEFORE = _words_of("turning_before")
_FILLERS = _words_of("fillers")
_TURNING_AFTER = _words_of("turning_after")
_BESIDES = _words_of("besides")
_TURNING_UNSPACED = tuple(word for word in sorted(_TURNING_AFTER) if _UNSPACED.search(word))
_JOINING = rf"\p{{L}}{{0,{JOINING_LETTERS}}}"
_COMPOUND_END = regex.compile(rf"{_JOINING}(?:{'|'.join(sorted(_TURNING_AFTER))}){_JOINING}$")
_WORD = regex.compile(r"\S+")

_AND = _words_of("and")
_REVERSED_BEFORE = _TURNING_BEFORE | _words_of("lessening")
_REVERSED_AFTER = _TURNING_AFTER | _words_of("lessening")
_PASSED_OVER = _FILLERS | _words_of("being")
_LISTING = regex.compile(r"[,&+/]")
_CLAUSE_END = regex.compile(r"[();:|<>=]|\s\p{Pd}+\s")


def read_concepts(label: str, concepts: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The concepts that a label names: 1, or -1 where it names the opposite.

    The longest alias that matches decides; of equal ones the opposite.

    >>> read_concepts("Defects avoided", {"scrap": ["defect"]})
    {'scrap': -1}
    """
    text = _Label(label)
    polarities: dict[str, int] = {}
    for concept, aliases in concepts.items():
        places = text.find_aliases(aliases)
        if not places:
            continue
        sign = _sign(next(iter(places)))
        same_sign = [spans for alias, spans in places.items() if _sign(alias) == sign]
        own = list(chain.from_iterable(same_sign))
        if any(text.turns(spans, own) for spans in same_sign):
            sign = -sign
        polarities[concept] = sign
    return polarities


def deciding_alias(label: str, aliases: Sequence[str]) -> str | None:
    """The alias of a concept that decides how a label is read: the longest that matches."""
    return next(iter(_Label(label).find_aliases(aliases)), None)


def _sign(alias: str) -> int:
    return -1 if alias.startswith("-") else 1


@lru_cache(maxsize=1_000)
def _by_preference(aliases: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """The aliases with their parts: the longest first, of equal ones the opposite."""
    texts = {alias: comparable(alias.removeprefix("-")) for alias in aliases}
    ordered = sorted(texts, key=lambda alias: (-len(texts[alias]), _sign(alias)))
    return [(alias, _parts(texts[alias])) for alias in ordered]


def _parts(alias: str) -> tuple[str, ...]:
    """What a label must have of an alias: two words or more without fillers, else a word
    together with the fillers before it.
    """
    words = alias.split()
    telling = [word for word in words if word not in _FILLERS]
    if len(telling) > 1 or not telling:
        return tuple(telling or words)
    place = words.index(telling[0])
    return " ".join(words[: place + 1]), *words[place + 1 :]


def comparable(text: str) -> str:
    """A text as labels and aliases are compared: joined names split, one space between words."""
    separated: str = _SEPARATORS.sub(" ", normalise(split_names(text)))
    return separated.strip()


Span = tuple[int, int]


class _Label:
    """A label in which parts of aliases are looked for: its words with a space before each."""

    def __init__(self, label: str) -> None:
        self.text = f" {comparable(_NUMBER_SIGN.sub(' ', label))}"

    def find_aliases(self, aliases: Sequence[str]) -> dict[str, list[Span]]:
        """The aliases that match, by preference, each with the places of its parts."""
        return {
            alias: spans
            for alias, parts in _by_preference(tuple(aliases))
            if (spans := self._find_all(parts))
        }

    def _find_all(self, parts: Sequence[str]) -> list[Span]:
        """Where the label has each of the parts; empty unless it has all."""
        spans = [span for part in parts if (span := self._find(part))]
        if not spans or len(spans) < len(parts):
            return []
        _, before = next(self._words_before(min(spans)[0]), (0, ""))
        return [] if before in _BESIDES else spans

    def _find(self, part: str) -> Span | None:
        """Where the label has a part: from a word's start, in the singular; a longer one also
        inside, but not behind dis-, un- or non-; one of another script than Latin
        anywhere.
        """
        start = self.text.find(f" {part}")
        if start >= 0:
            return start + 1, start + 1 + len(part)
        if part in self.text and self._may_be_inside(part):
            start = self.text.index(part)
            return start, start + len(part)
        singular: str = _PLURAL.sub("", part)
        start = f"{self.text} ".find(f" {singular} ")
        if start >= 0:
            return start + 1, start + 1 + len(singular)
        return None

    def _may_be_inside(self, part: str) -> bool:
        if _OTHER_SCRIPT.search(part):
            return True
        if sum(map(str.isalpha, part)) < INSIDE_LETTERS:
            return False
        text = self.text
        for negation in NEGATIONS:
            text = text.replace(f" {negation}{part}", " ")
        return part in text

    def turns(self, spans: Sequence[Span], own: Sequence[Span]) -> bool:
        """Whether an odd number of words of reversal is directly next to these places. Words in
        `own` places do not count.
        """
        before = {place for start, _ in spans for place in self._turning_before(start)}
        after = {place for _, end in spans for place in self._turning_after(end)}
        outside = (before | after).difference(*(range(*span) for span in own))
        return len(outside) % 2 == 1

    def _words_before(self, start: int) -> Iterator[tuple[int, str]]:
        """The words before a place with their places, the last one first; words that may be
        between are left out.
        """
        end = self.text.rfind(" ", 0, start)
        for word in reversed([*_WORD.finditer(self.text, 0, end)]):
            if word[0] not in _FILLERS and not any(map(str.isdecimal, word[0])):
                yield word.start(), word[0]

    def _turning_before(self, start: int) -> Iterator[int]:
        """Where the words of reversal begin that a place follows."""
        for begin, word in self._words_before(start):
            if _TURNING_BEFORE.isdisjoint({word, ARABIC_PREFIX.sub("", word)}):
                return
            yield begin

    def _turning_after(self, end: int) -> Iterator[int]:
        """Where a word of reversal begins at a place: the rest of a compound, or the next word."""
        rest, _, following = self.text[end:].partition(" ")
        next_word = following.partition(" ")[0]
        if _PARTICLE.sub("", rest).startswith(_TURNING_UNSPACED) or _COMPOUND_END.match(rest):
            yield end
        elif not _TURNING_AFTER.isdisjoint({next_word, ARABIC_PREFIX.sub("", next_word)}):
            yield end + len(rest) + 1


class _Name(NamedTuple):
    """Where a text has the name of a concept, the sign of the alias, and the rest of a compound
    that the name begins.
    """

    start: int
    end: int
    concept: str
    sign: int
    rest: str


def read_names(label: str, concepts: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The concepts that a label is about, by exact names: 1, or -1 where it is about the opposite.

    The first name counts, and others that "and", a comma or a slash joins to it.

    >>> names = {"dumum": ["dumum"], "fimel": ["fimel"]}
    >>> read_names("Cut in weekly dumum", names), read_names("Fimel lost to dumum", names)
    ({'dumum': -1}, {'fimel': -1})
    """
    for clause in _CLAUSE_END.split(_NUMBER_SIGN.sub(" ", label)):
        text = comparable(_LISTING.sub(" and ", clause))
        subjects: list[_Name] = []
        for name in sorted(_find_names(text, concepts)):
            before = [word for word in text[: name.start].split() if word not in _FILLERS]
            if subjects and not _AND.issuperset(text[subjects[-1].end : name.start].split()):
                break
            if subjects or _BESIDES.isdisjoint(before[-1:]):
                subjects.append(name)
        if subjects:
            turns = sum(word in _REVERSED_BEFORE for word in text[: subjects[0].start].split())
            turns += _is_reversed_after(text, subjects[-1])
            return {name.concept: name.sign * (-1) ** turns for name in subjects}
    return {}


def _find_names(text: str, concepts: Mapping[str, Sequence[str]]) -> Iterator[_Name]:
    """The first place of each alias, also within a compound, up to the end of the word."""
    for concept, aliases in concepts.items():
        for alias in aliases:
            name = comparable(alias.removeprefix("-"))
            start = text.find(name)
            if start >= 0:
                end = f"{text} ".find(" ", start + len(name))
                yield _Name(start, end, concept, _sign(alias), text[start + len(name) : end])


def _is_reversed_after(text: str, name: _Name) -> bool:
    """Whether a word of reversal follows a name, or ends the compound that it begins."""
    following = [word for word in text[name.end :].split() if word not in _PASSED_OVER]
    return bool(_COMPOUND_END.match(name.rest)) or not _REVERSED_AFTER.isdisjoint(following[:1])
