"""Replaces what a log must not bring into the project: matches of a person's patterns, and keys."""

import re
from argparse import ArgumentTypeError
from collections.abc import Iterable

import regex

from stages.shared.records.errors import KEY_STARTS, input_error
from stages.shared.records.json_text import JsonValue

MAX_SECONDS = 2.0
"""For one pattern in one text."""
PLACEHOLDER = "[redacted]"
_KEYS = {
    start: re.compile(rf"{start}(?<!\w{start})(?=[\w.*-]*\d)[\w.*-]{{12,}}") for start in KEY_STARTS
} | {"earer ": re.compile(r"earer [\w.~+/=-]{16,}")}
"""What looks like a key in a text, by how it begins: longer than words that hyphens join, with a
digit.
"""
_STARTS = re.compile("|".join(_KEYS))
"""To look for the beginnings first is five times as fast as to look for keys."""
_ESCAPE = re.compile(r"\\u(?!00[0-7])([0-9a-fA-F]{4})")
"""How JSON may write a character beyond ASCII."""


def redaction(text: str) -> regex.Pattern[str]:
    """The pattern that a person wrote; ArgumentTypeError if it is none or matches an empty text."""
    try:
        pattern = regex.compile(text)
        if pattern.search("", timeout=MAX_SECONDS) is None:
            return pattern
    except (regex.error, RecursionError, OverflowError) as error:
        raise ArgumentTypeError(f'"{text}" is not a regular expression: {error}') from None
    raise ArgumentTypeError(f'"{text}" matches an empty text, so it would everywhere')


class Redactor:
    """Replaces in texts what its patterns match, and what looks like a key; `replaced` counts."""

    def __init__(self, patterns: Iterable[regex.Pattern[str]]) -> None:
        self.replaced = 0
        self._patterns = tuple(patterns)

    def text(self, text: str) -> str:
        """A text with placeholders; letters that JSON escapes are read as what they stand for.

        Raises:
            InputError: a pattern takes too long.
        """
        plain_text = _ESCAPE.sub(_unescaped, text) if "\\u" in text else text
        replaced = 0
        for start in dict.fromkeys(_STARTS.findall(plain_text)):
            plain_text, count = _KEYS[start].subn(PLACEHOLDER, plain_text)
            replaced += count
        for pattern in self._patterns:
            try:
                plain_text, count = pattern.subn(PLACEHOLDER, plain_text, timeout=MAX_SECONDS)
            except TimeoutError:
                limit = f"{MAX_SECONDS:g} seconds for a text of {len(text):,} characters"
                message = f'"{pattern.pattern}" takes more than {limit}: write it without nested *'
                raise input_error("command line", "--redact", message) from None
            replaced += count
        self.replaced += replaced
        return plain_text if replaced else text

    def value(self, value: JsonValue) -> JsonValue:
        """A JSON value with placeholders in all of its texts, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(entry) for entry in value]
        if isinstance(value, dict):
            return {self.text(key): self.value(entry) for key, entry in value.items()}
        return value


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))
