"""Passages and numbers of a text, by which a copy of it is recognised in another text."""

import re
import unicodedata

import regex

from stages.shared.language.words import normalise

COPIED_WORDS, COPIED_CHARACTERS = 10, 40
"""So many words in a row, or characters of scripts without spaces, are a passage."""
_UNSPACED = r"\p{Han}々〆\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_SPACED_WORD = regex.compile(rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+", regex.V1)
_NOT_UNSPACED = regex.compile(rf"[^{_UNSPACED}]+", regex.V1)
_NUMBER = re.compile(r"\d(?:[.,'’٬٫]?\d){2,}")


def passages(text: str) -> set[str]:
    """All runs of ten words, and of forty characters of scripts without spaces, whatever stands
    between them.

    >>> len(passages("one two three four five six seven eight nine ten, eleven"))
    2
    """
    words = _SPACED_WORD.findall(normalise(text))
    starts = range(len(words) - COPIED_WORDS + 1)
    of_words = {" ".join(words[start : start + COPIED_WORDS]) for start in starts}
    characters = _NOT_UNSPACED.sub("", normalise(text))
    starts = range(len(characters) - COPIED_CHARACTERS + 1)
    return of_words | {characters[start : start + COPIED_CHARACTERS] for start in starts}


def long_numbers(text: str) -> set[str]:
    """The numbers of three digits or more, by their digits in ASCII.

    >>> sorted(long_numbers("12 of 1,200, or ٣٤٥"))
    ['1200', '345']
    """
    return {
        "".join(str(unicodedata.decimal(letter)) for letter in number if letter.isdecimal())
        for number in _NUMBER.findall(normalise(text))
    }
