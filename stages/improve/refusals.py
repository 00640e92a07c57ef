"""Why a proposed prompt is not tried: it copies briefs, is too long, or loses the output format.
Pure.
"""

import re
from collections.abc import Sequence

from stages.contracts.brief import Brief
from stages.contracts.graph import GRAPH_KEYS
from stages.language.passages import long_numbers, passages
from stages.shell.numbers import count, first_of
from stages.shell.text import visible_lines

_NAME = re.compile(r"\w+")


class RefusalRules:
    """What a candidate for a base prompt must not do; the proposer has seen the `learned`
    briefs.
    """

    def __init__(
        self, base: str, briefs: Sequence[Brief], learned: Sequence[Brief], max_length: float
    ) -> None:
        self.max_characters = int(len(base) * max_length)
        in_briefs = {passage for brief in briefs for passage in passages(brief.body)}
        in_learned = {number for brief in learned for number in long_numbers(brief.body)}
        self._passages = in_briefs - passages(base)
        self._numbers = in_learned - long_numbers(base)
        self._ids = [brief.id for brief in learned if brief.id not in base]
        self._keys = GRAPH_KEYS & set(_NAME.findall(base))

    def refusal(self, text: str) -> str | None:
        """Why a candidate is refused, without a word of a brief; None if it is not."""
        most = self.max_characters
        if len(text) > most:
            return f"it has {count(len(text))} characters, and {count(most)} are allowed"
        if visible_lines(text) != text:
            return "it has invisible characters"
        if self._passages & passages(text):
            return "it copies a passage of a brief"
        if self._numbers & long_numbers(text):
            return "it has a number of a brief"
        if any(brief_id in text for brief_id in self._ids):
            return "it names a brief"
        lost = sorted(self._keys - set(_NAME.findall(text)))
        return f"it lost keys of the output format: {first_of(lost)}" if lost else None
