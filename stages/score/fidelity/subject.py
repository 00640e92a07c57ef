"""What a graph is compared with: its brief and the prompt, read once and used for every answer."""

import json
from typing import Final

import regex

from stages.contracts.brief import Brief
from stages.contracts.scorecard import Passage
from stages.score.fidelity.numbers import Number, numbers_in
from stages.score.fidelity.words import Vocabulary, Word, Wording, normalise, wording

SMALLEST_VOCABULARY: Final = 25
"""A brief with fewer different stems says too little for its graph to be recognised by its words."""
LISTED_SHARE: Final = 0.12
"""Running text in a language has at least such a share of its listed words; a fifth in Arabic, half in English."""
SHINGLE_WORDS: Final = 4
MOSTLY_IN_PROMPT: Final = 0.5
"""A brief is an example of the prompt if so large a share of its sequences of four words is in the prompt."""

_LABEL: Final = regex.compile(r'"label"\s*:\s*("(?:[^"\\]|\\.)*+")')


class PromptContent:
    """The prompt as the checks need it.

    Attributes:
        labels: The labels of its example graphs, those written as JSON, `"label": "..."`: normalised text and content words.
        shingles: Its sequences of words.
    """

    def __init__(self, text: str) -> None:
        written = [label for found in _LABEL.findall(text) if (label := _json_text(found)) is not None]
        self.labels = {normalise(label).strip(): {word.form for word in wording(label).words} for label in written}
        self.shingles = _shingles(wording(text))


class Subject:
    """A brief as the checks need it: its words and numbers with their places, and what its front-matter expects.

    Attributes:
        language: The language of the brief, whose number words count; None where there is no word list of it.
        numbers: The first number with each reading.
        in_prompt: The prompt holds the brief, which is then one of its examples.
    """

    def __init__(self, brief: Brief, prompt: PromptContent) -> None:
        self.body, self.expectations = brief.body, brief.expectations
        self.wording = words = wording(brief.body)
        self.vocabulary = Vocabulary(words.words)
        written_in = words.language if words.listed_share >= LISTED_SHARE else None
        self.language = "ja" if words.script == "CJK" else written_in
        numbers = numbers_in(brief.body, self.language)
        self.numbers = {reading: number for number in reversed(numbers) for reading in sorted(number.readings)}
        shingles = _shingles(words)
        self.in_prompt = bool(shingles) and len(shingles & prompt.shingles) >= MOSTLY_IN_PROMPT * len(shingles)

    @property
    def says_enough(self) -> bool:
        """Whether the brief has enough different words to recognise a graph by them."""
        return len(self.vocabulary.stems) >= SMALLEST_VOCABULARY

    def number(self, readings: frozenset[float]) -> Number | None:
        """The number of the brief that has one of these readings, or None."""
        return next((self.numbers[reading] for reading in sorted(readings) if reading in self.numbers), None)

    def passage(self, place: Word | Number) -> Passage:
        """The passage of the brief where a word or number is."""
        return Passage(text=self.body[place.start : place.end], start=place.start, end=place.end)


def _shingles(text: Wording) -> frozenset[tuple[str, ...]]:
    stems = [word.stem for word in text.words]
    return frozenset(tuple(stems[index : index + SHINGLE_WORDS]) for index in range(len(stems) - SHINGLE_WORDS + 1))


def _json_text(quoted: str) -> str | None:
    try:
        text: str = json.loads(quoted)
    except json.JSONDecodeError:
        return None
    return text
