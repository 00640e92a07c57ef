"""A graph as the checks see it: its labels with their words, the numbers that it claims, its options and effects."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from stages.contracts.graph import DraftGraph, Edge, Node
from stages.score.fidelity.numbers import numbers_in, readings_of
from stages.score.fidelity.words import Word, Wording, normalise, wording

DESCRIBING_KINDS: Final = frozenset({"option", "factor", "outcome", "risk", "goal"})
"""Kinds whose labels name the subject; the decision's label is often a question that fits any brief."""


@dataclass(frozen=True, slots=True)
class Label:
    """A label as it was written, without case and accents, and its content words."""

    text: str
    normal: str
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its label and which factors it sets, sorted, to four decimals."""

    label: Label
    interventions: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that the graph takes from the brief, with everything that it can mean."""

    label: str
    value: float
    unit: str | None
    readings: frozenset[float]

    @property
    def trivial(self) -> bool:
        """True for 0 and 1, which any brief could give."""
        return self.value in (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Threshold:
    """The threshold of the goal: the claimed target, the same as a share of the cap, and the cap."""

    raw: Claim
    share: float | None
    cap: float | None


@dataclass(frozen=True, slots=True)
class Draft:
    """The parts of a graph that the checks compare with the brief."""

    labels: tuple[Label, ...]
    """Of options, factors, outcomes, risks and the goal."""
    wording: Wording
    """Of all these labels together."""
    options: tuple[Option, ...]
    claims: tuple[Claim, ...]
    """The factor values that are called explicit."""
    threshold: Threshold | None
    effects: tuple[Edge, ...]
    """The directed edges with a mean other than zero and a stated direction."""

    @property
    def all_claims(self) -> tuple[Claim, ...]:
        """The explicit factor values and the threshold."""
        return (*self.claims, self.threshold.raw) if self.threshold else self.claims

    @classmethod
    def of(cls, graph: DraftGraph) -> "Draft":
        """The labels, claims and effects of a graph, valid or not."""
        labelled = [(node, node.label) for node in graph.nodes if node.label and node.kind in DESCRIBING_KINDS]
        whole = wording(*(text for _, text in labelled))
        labels = tuple(
            Label(text, normalise(text).strip(), words) for (_, text), words in zip(labelled, whole.parts, strict=True)
        )
        options = (
            Option(label, _rounded(node.interventions))
            for (node, _), label in zip(labelled, labels, strict=True)
            if node.kind == "option"
        )
        return cls(
            labels=labels,
            wording=whole,
            options=tuple(options),
            claims=tuple(claim for node in graph.nodes if (claim := _explicit_value(node))),
            threshold=next((found for node in graph.nodes if (found := _threshold(node))), None),
            effects=tuple(edge for edge in graph.edges if edge.mean and edge.effect_direction and not edge.bidirected),
        )


def _rounded(interventions: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted((factor, round(value, 4)) for factor, value in interventions.items()))


def _explicit_value(node: Node) -> Claim | None:
    """The raw value of a factor that is called explicit; its value where it has no raw value."""
    data = node.data
    if node.kind != "factor" or data is None or data.extraction_type != "explicit":
        return None
    value = data.value if data.raw_value is None else data.raw_value
    return None if value is None else Claim(node.label or "", value, data.unit, readings_of(value, data.unit))


def _threshold(node: Node) -> Threshold | None:
    raw, unit = node.goal_threshold_raw, node.goal_threshold_unit
    if node.kind != "goal" or raw is None:
        return None
    if isinstance(raw, str):
        written = numbers_in(raw, None)
        if not written:
            return None
        readings = frozenset().union(*(readings_of(reading, unit) for reading in written[0].readings))
        claim = Claim(node.label or "", max(written[0].readings), unit, readings)
    else:
        claim = Claim(node.label or "", raw, unit, readings_of(raw, unit))
    share = node.goal_threshold if isinstance(node.goal_threshold, float) else None
    return Threshold(claim, share, node.goal_threshold_cap)
