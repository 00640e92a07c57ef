"""Key phrases of a text: what a brief is about, in its own words.

Rapid automatic keyword extraction (Rose, Engel, Cramer and Cowley, 2010): runs of words between stop-words, numbers and
punctuation are candidates; a word counts for the length of the runs it stands in over the number of them. Where a script sets
no spaces, runs of kanji and katakana are the candidates.
"""

import re
from collections import Counter

from stages.simulate.language import Language

_LONGEST = 3
_READ_CHARS = 40_000
_CHUNK = re.compile(r"[^\s.,;:!?()\[\]{}\"“”„«»|/、。「」…؟،؛*#_–—-][^\n.,;:!?()\[\]{}\"“”„«»|/、。「」…؟،؛*#_–—]*")
_WORD = re.compile(r"\S+")
_UNSPACED = re.compile(r"[\u4e00-\u9fff\u30a0-\u30ff]{2,8}")
_PLAIN = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")


def key_phrases(text: str, language: Language) -> tuple[str, ...]:
    """The phrases that a text is about, the weightiest first, each once; empty when it has none. Reads 40,000 characters."""
    candidates = (
        _unspaced(text[:_READ_CHARS], language.little)
        if language.code == "ja"
        else _spaced(text[:_READ_CHARS], language.little)
    )
    if not candidates:
        return ()
    frequency: Counter[str] = Counter()
    degree: Counter[str] = Counter()
    for words in candidates:
        for word in words:
            frequency[word.lower()] += 1
            degree[word.lower()] += len(words)
    repeats = Counter(_key(words) for words in candidates)
    shown: dict[str, str] = {}
    score: dict[str, float] = {}
    for words in candidates:
        key = _key(words)
        if key in score or len(key) > 48 or (len(words) == 1 and len(key) < (2 if language.code == "ja" else 5)):
            continue
        shown[key] = " ".join(words)
        weight = sum(degree[word.lower()] / frequency[word.lower()] for word in words) / len(words)
        score[key] = weight * repeats[key]
    order = {key: place for place, key in enumerate(score)}
    return tuple(shown[key] for key in sorted(score, key=lambda key: (-score[key], order[key])))


def _key(words: tuple[str, ...]) -> str:
    return " ".join(words).lower()


def _unspaced(text: str, little: frozenset[str]) -> list[tuple[str, ...]]:
    return [(match,) for match in _UNSPACED.findall(text) if match not in little]


def _spaced(text: str, little: frozenset[str]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for chunk in _CHUNK.findall(text):
        run: list[str] = []
        for token in _WORD.findall(chunk):
            word = token.strip("'’-")
            if _PLAIN.fullmatch(word) and word.lower() not in little and 2 < len(word) < 28:
                run.append(word)
            else:
                found += _cut(run)
                run = []
        found += _cut(run)
    return found


def _cut(run: list[str]) -> list[tuple[str, ...]]:
    return [tuple(run[start : start + _LONGEST]) for start in range(0, len(run), _LONGEST)]
