"""Replaces what a log must not bring into the project: matches of a person's patterns, and keys."""

import re
from argparse import ArgumentTypeError
from collections.abc import Iterable

import regex

from graph_evaluator.records.errors import input_error
from graph_evaluator.records.keys import without_keys

MAX_SECONDS = 2.0
"""For one pattern in one text."""
PLACEHOLDER = "[redacted]"
_ESCAPE = re.compile(r"\\u(?!00[0-7])([0-9a-fA-F]{4})")
"""How JSON may write a character beyond ASCII."""


def redaction(text: str) -> regex.Pattern[str]:
    """The pattern that a person wrote; ArgumentTypeError if it is none."""
    try:
        return regex.compile(text)
    except (regex.error, RecursionError, OverflowError) as error:
        raise ArgumentTypeError(f'"{text}" is not a regular expression: {error}') from None


class Redactor:
    """Replaces in texts what its patterns match, and what looks like a key."""

    def __init__(self, patterns: Iterable[regex.Pattern[str]]) -> None:
        self._patterns = tuple(patterns)

    def text(self, text: str) -> str:
        """A text with placeholders; letters that JSON escapes are read as what they stand for.

        Raises:
            InputError: a pattern takes too long.
        """
        plain_text = text
        if "\\u" in text:
            plain_text = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)
        redacted = without_keys(plain_text, PLACEHOLDER)
        for pattern in self._patterns:
            try:
                redacted = pattern.sub(PLACEHOLDER, redacted, timeout=MAX_SECONDS)
            except TimeoutError:
                message = f'"{pattern.pattern}" takes too long: write it without nested *'
                raise input_error("command line", "--redact", message) from None
        return text if redacted == plain_text else redacted
