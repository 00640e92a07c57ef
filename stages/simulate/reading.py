"""What the drafter takes from a brief's text."""

import functools
import re

import msgspec

from stages.simulate.language import Language
from stages.simulate.languages import language_of
from stages.simulate.listing import heading, options_in
from stages.simulate.phrases import key_phrases
from stages.simulate.target import Target, target_in

_SURROGATE = re.compile(r"[\ud800-\udfff\x00-\x08\x0b-\x1f]")
_HARD_CHARS = 2500


class OptionRead(msgspec.Struct, frozen=True):
    """An option as the brief words it: a short label, the phrases of its text, and whether it means staying put."""

    label: str
    phrases: tuple[str, ...]
    staying: bool


class Reading(msgspec.Struct, frozen=True):
    """A brief as understood: every part may be empty, for a brief may be one word."""

    language: Language
    options: tuple[OptionRead, ...]
    phrases: tuple[str, ...]
    target: Target | None
    staying_allowed: bool
    difficulty: float
    """0 for a short, plain brief, towards 1 for a long one with many options."""


@functools.lru_cache(maxsize=256)
def read(text: str) -> Reading:
    """What a brief says, by simple rules; never fails, whatever the text."""
    clean = _SURROGATE.sub(" ", text)
    language = language_of(clean)
    staying = re.compile(language.staying, re.IGNORECASE)
    options: dict[str, OptionRead] = {}
    for item in options_in(clean, language):
        label = heading(item)
        if label:
            said = OptionRead(label, key_phrases(item, language)[:4], bool(staying.search(item[: max(48, len(label))])))
            options.setdefault(label.casefold(), said)
    found = tuple(options.values())
    return Reading(
        language=language,
        options=found,
        phrases=key_phrases(clean, language)[:40],
        target=target_in(clean, language),
        staying_allowed=not re.search(language.no_staying, clean[:40_000], re.IGNORECASE),
        difficulty=min(1.0, 0.7 * min(1.0, len(clean) / _HARD_CHARS) + 0.06 * min(5, len(found))),
    )
