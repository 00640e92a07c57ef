"""Why a proposed prompt is not tried: it copies briefs, is too long, or loses the output format.
Pure.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence, Set

import regex

from stages.contracts.brief import Brief
from stages.contracts.graph import DraftGraph
from stages.language.words import normalise
from stages.shell.numbers import count, first_of
from stages.shell.text import visible_lines

COPIED_WORDS, COPIED_CHARACTERS = 10, 40
"""So many words in a row, or characters of scripts without spaces, are a copy."""
_UNSPACED = r"\p{Han}々〆\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_SPACED_WORD = regex.compile(rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+", regex.V1)
_NOT_UNSPACED = regex.compile(rf"[^{_UNSPACED}]+", regex.V1)
_NUMBER = re.compile(r"\d(?:[.,'’٬٫]?\d){2,}")
_NAME = re.compile(r"\w+")


class RefusalRules:
    """What a candidate for a base prompt must not do."""

    def __init__(
        self, base: str, briefs: Iterable[Brief], learned: Sequence[Brief], max_length: float
    ) -> None:
        self.max_characters = int(len(base) * max_length)
        self._copied = frozenset[str]().union(*(_passages(brief.body) for brief in briefs))
        self._copied -= _passages(base)
        self._numbers = frozenset[str]().union(*(_numbers(brief.body) for brief in learned))
        self._numbers -= _numbers(base)
        self._ids = [brief.id for brief in learned if brief.id not in base]
        self._keys = GRAPH_KEYS & set(_NAME.findall(base))

    def refusal(self, text: str) -> str | None:
        """Why a candidate is refused, in words that are in no brief; None if it is not."""
        if visible_lines(text) != text:
            return "it has invisible characters"
        if len(text) > self.max_characters:
            return f"it has {count(len(text))} characters, and {count(self.max_characters)} are allowed"
        if not self._copied.isdisjoint(_passages(text)):
            return "it copies a passage of a brief"
        if not self._numbers.isdisjoint(_numbers(text)):
            return "it has a number of a brief"
        if any(brief_id in text for brief_id in self._ids):
            return "it names a brief"
        lost = sorted(self._keys - set(_NAME.findall(text)))
        return f"it lost keys of the output format: {first_of(lost)}" if lost else None


def _passages(text: str) -> Set[str]:
    """All runs of words, and of characters of scripts without spaces, that count as a copy."""
    words = _SPACED_WORD.findall(normalise(text))
    starts = range(len(words) - COPIED_WORDS + 1)
    of_words = {" ".join(words[start : start + COPIED_WORDS]) for start in starts}
    characters = _NOT_UNSPACED.sub("", normalise(text))
    starts = range(len(characters) - COPIED_CHARACTERS + 1)
    return of_words | {characters[start : start + COPIED_CHARACTERS] for start in starts}


def _numbers(text: str) -> Set[str]:
    """The numbers of three digits or more, by their digits."""
    return {
        "".join(str(unicodedata.decimal(letter)) for letter in number if letter.isdecimal())
        for number in _NUMBER.findall(normalise(text))
    }


def _keys_of(schema: object) -> Iterable[str]:
    """The names of all properties of a JSON Schema."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict):
            yield from properties
        for inner in schema.values():
            yield from _keys_of(inner)


GRAPH_KEYS = frozenset(_keys_of(DraftGraph.model_json_schema(by_alias=True)))
"""Every key of a draft graph."""
