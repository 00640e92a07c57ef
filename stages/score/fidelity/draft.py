"""A graph as the checks see it: its labels with their words, and the numbers that it takes from the brief."""

from dataclasses import dataclass
from typing import Final

from stages.contracts.graph import DraftGraph, Node
from stages.score.fidelity.numbers import numbers_in, readings_of
from stages.score.fidelity.words import Word, normalise, wording

DESCRIBING_KINDS: Final = frozenset({"option", "factor", "outcome", "risk", "goal"})
"""Kinds whose labels name the subject; the decision's label is often a question that fits any brief."""


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

    Attributes:
        labels: Of options, factors, outcomes, risks and the goal.
        wording: Of all these labels together.
        options: The labels of the options.
        claims: The factor values that are called explicit.
        threshold: The raw threshold of the goal.
    """

    def __init__(self, graph: DraftGraph) -> None:
        labelled = [(node, node.label) for node in graph.nodes if node.label and node.kind in DESCRIBING_KINDS]
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
    """The raw value of a factor that is called explicit; its value where it has no raw value."""
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
        readings = frozenset().union(*(readings_of(reading, unit) for reading in written[0].readings))
        return Claim(node, max(written[0].readings), unit, readings)
    return None if raw is None else Claim(node, raw, unit, readings_of(raw, unit))
