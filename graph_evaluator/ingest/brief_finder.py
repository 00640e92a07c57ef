"""Finds the briefs that the inputs of a log are or hold."""

import re
from collections.abc import Mapping

from graph_evaluator.records.brief import MADE_OF_A_LOG


def plain_words(text: str) -> str:
    """A text with one space between its words, in which inputs and briefs are compared."""
    return " ".join(text.split())


class BriefFinder:
    """Finds the briefs of an input: one that is named for all inputs, one whose id or text it has,
    or all that people wrote whose text is within it.
    """

    def __init__(self, bodies: Mapping[str, str], brief_id: str | None) -> None:
        self._brief_id = brief_id
        self._bodies = {name: plain_words(body) for name, body in bodies.items()}
        self._ids = {body: name for name, body in self._bodies.items()}
        self._ids |= {name: name for name in bodies}
        self._within = {
            name: body for name, body in self._bodies.items() if not MADE_OF_A_LOG.fullmatch(name)
        }

    def find(self, text: str) -> list[str]:
        """The ids of the briefs in an input, but not of those within the text of another."""
        words = plain_words(text)
        known = self._brief_id or self._ids.get(words)
        if known:
            return [known]
        found = {name: body for name, body in self._within.items() if _holds(words, body)}
        return [
            name
            for name, body in found.items()
            if not any(body in longer and body != longer for longer in found.values())
        ]

    def around(self, text: str, brief_id: str) -> str:
        """The text around a brief in an input, with `{brief}` in its place; empty for none."""
        words, body = plain_words(text), self._bodies[brief_id]
        if body not in words or body == words:
            return ""
        return words.replace(body, "{brief}")


def _holds(words: str, body: str) -> bool:
    """Whether a text has the words of a brief, one after the other."""
    return body in words and bool(re.search(rf"(?<!\w){re.escape(body)}(?!\w)", words))
