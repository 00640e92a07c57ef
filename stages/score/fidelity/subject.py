"""What the checks compare: a graph with its brief and the prompt, which are read once and used for every answer."""

import json
from dataclasses import dataclass
from typing import Final

import regex

from stages.contracts.brief import Brief
from stages.contracts.graph import DraftGraph, Node
from stages.contracts.scorecard import Passage
from stages.score.fidelity.numbers import Number, numbers_in, readings_of
from stages.score.fidelity.words import Vocabulary, Word, Wording, normalise, wording

SMALLEST_VOCABULARY: Final = 25
"""A brief with fewer different stems says too little for its graph to be recognised by its words."""
LISTED_SHARE: Final = 0.12
"""Running text in a language has at least such a share of its listed words; a fifth in Arabic, half in English."""
SHINGLE_WORDS: Final = 4
MOSTLY_IN_PROMPT: Final = 0.5
"""A brief is an example of the prompt if so large a share of its sequences of four words is in the prompt."""
DESCRIBING_KINDS: Final = frozenset({"option", "factor", "outcome", "risk", "goal"})
"""Kinds whose labels name the subject; the decision's label is often a question that fits any brief."""

_LABEL: Final = regex.compile(r'"label"\s*:\s*("(?:[^"\\]|\\.)*+")')


class PromptContent:
    """The prompt as the checks need it: the labels of its example graphs (those written as JSON), and its sequences of words."""

    def __init__(self, text: str) -> None:
        written = [
            label for found in _LABEL.findall(text) if (label := _json_text(found)) is not None
        ]
        self.labels = {
            normalise(label).strip(): {word.form for word in wording(label).words}
            for label in written
        }
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
        self.numbers = {
            reading: number for number in reversed(numbers) for reading in sorted(number.readings)
        }
        shingles = _shingles(words)
        self.in_prompt = bool(shingles) and len(
            shingles & prompt.shingles
        ) >= MOSTLY_IN_PROMPT * len(shingles)

    @property
    def says_enough(self) -> bool:
        """Whether the brief has enough different words to recognise a graph by them."""
        return len(self.vocabulary.stems) >= SMALLEST_VOCABULARY

    def number(self, readings: frozenset[float]) -> Number | None:
        """The number of the brief that has one of these readings, or None."""
        return next(
            (self.numbers[reading] for reading in sorted(readings) if reading in self.numbers), None
        )

    def passage(self, place: Word | Number) -> Passage:
        """The passage of the brief where a word or number is."""
        return Passage(text=self.body[place.start : place.end], start=place.start, end=place.end)


def _shingles(text: Wording) -> frozenset[tuple[str, ...]]:
    stems = [word.stem for word in text.words]
    return frozenset(
        tuple(stems[index : index + SHINGLE_WORDS])
        for index in range(len(stems) - SHINGLE_WORDS + 1)
    )


def _json_text(quoted: str) -> str | None:
    try:
        text: str = json.loads(quoted)
    except json.JSONDecodeError:
        return None
    return text


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a node as it was written, without case and accents, and its content words."""

    node: Node
    text: str
    normal: str
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that a node takes from the brief, with everything that it can mean."""

    node: Node
    value: float
    unit: str | None
    readings: frozenset[float]

    @property
    def label(self) -> str:
        """The label of the node."""
        return self.node.label or ""

    @property
    def trivial(self) -> bool:
        """True for 0 and 1, which any brief could give."""
        return self.value in (0.0, 1.0)


class Draft:
    """The parts of a graph, valid or not, that the checks compare with the brief.

    `labels` are those of `DESCRIBING_KINDS`, `claims` the factor values that are called explicit, `threshold` the goal's raw threshold.
    """

    def __init__(self, graph: DraftGraph) -> None:
        labelled = [
            (node, node.label)
            for node in graph.nodes
            if node.label and node.kind in DESCRIBING_KINDS
        ]
        self.wording = wording(*(text for _, text in labelled))
        self.labels = [
            Label(node, text, normalise(text).strip(), words)
            for (node, text), words in zip(labelled, self.wording.parts, strict=True)
        ]
        self.options = [label for label in self.labels if label.node.kind == "option"]
        claims = (_explicit_value(node) for node in graph.nodes if node.kind == "factor")
        self.claims = [claim for claim in claims if claim]
        thresholds = (_threshold(node) for node in graph.nodes if node.kind == "goal")
        self.threshold = next(filter(None, thresholds), None)


def _explicit_value(node: Node) -> Claim | None:
    data = node.data
    if data is None or data.extraction_type != "explicit":
        return None
    value = data.value if data.raw_value is None else data.raw_value
    return None if value is None else Claim(node, value, data.unit, readings_of(value, data.unit))


def _threshold(node: Node) -> Claim | None:
    raw, unit = node.goal_threshold_raw, node.goal_threshold_unit
    if isinstance(raw, str):
        written = numbers_in(raw, None)
        if not written:
            return None
        readings = frozenset().union(
            *(readings_of(reading, unit) for reading in written[0].readings)
        )
        return Claim(node, max(written[0].readings), unit, readings)
    return None if raw is None else Claim(node, raw, unit, readings_of(raw, unit))
