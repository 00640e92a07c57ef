"""Replaces what a log must not bring into the project: matches of a person's patterns, and keys."""

import re
from collections.abc import Iterable

from stages.contracts.errors import KEY_STARTS, InputError, Problem
from stages.contracts.json_text import JsonValue

PLACEHOLDER = "[redacted]"
_KEYS = {
    start: re.compile(rf"{start}(?<!\w{start})(?=[\w.*-]*\d)[\w.*-]{{12,}}") for start in KEY_STARTS
} | {"earer ": re.compile(r"earer [\w.~+/=-]{16,}")}
"""What looks like a key in a text, by how it begins: longer than words that hyphens join, with a
digit. To look for each beginning is ten times as fast as one expression.
"""
_ESCAPE = re.compile(r"\\u(?!00[0-7])([0-9a-fA-F]{4})")
"""How JSON may write a character beyond ASCII."""


class Redactor:
    """Replaces in texts what its patterns match, and what looks like a key; `replaced` counts."""

    def __init__(self, patterns: Iterable[str]) -> None:
        """Compile the patterns; InputError names those that are none, or that match an empty
        text.
        """
        problems: list[Problem] = []
        self.replaced = 0
        self._patterns: list[re.Pattern[str]] = []
        for pattern in patterns:
            try:
                compiled = re.compile(pattern)
            except (re.error, RecursionError, OverflowError) as error:
                message = f'"{pattern}" is not a regular expression: {error}'
                problems.append(Problem("command line", "--redact", message))
                continue
            if compiled.search("") is not None:
                message = f'"{pattern}" matches an empty text, so it would match everywhere'
                problems.append(Problem("command line", "--redact", message))
            self._patterns.append(compiled)
        if problems:
            raise InputError(problems)

    def text(self, text: str) -> str:
        """A text with placeholders; letters that JSON escapes are read as what they stand for."""
        keys = [pattern for start, pattern in _KEYS.items() if start in text]
        patterns = [*keys, *self._patterns]
        if "\\u" in text:
            plain_text = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)
            if any(pattern.search(plain_text) for pattern in patterns):
                text = plain_text
        for pattern in patterns:
            text, count = pattern.subn(PLACEHOLDER, text)
            self.replaced += count
        return text

    def value(self, value: JsonValue) -> JsonValue:
        """A JSON value with placeholders in all of its texts, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(entry) for entry in value]
        if isinstance(value, dict):
            return {self.text(key): self.value(entry) for key, entry in value.items()}
        return value
