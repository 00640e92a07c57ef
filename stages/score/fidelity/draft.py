"""A graph as the checks see it: its labels with their words, the numbers that it claims, its options and effects."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from stages.contracts.json_text import JsonValue
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
class Effect:
    """A directed edge with a mean other than zero and a stated direction."""

    source: str
    target: str
    mean: float
    direction: str


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
    effects: tuple[Effect, ...]

    @property
    def all_claims(self) -> tuple[Claim, ...]:
        """The explicit factor values and the threshold."""
        return (*self.claims, self.threshold.raw) if self.threshold else self.claims

    @classmethod
    def of(cls, graph: JsonValue) -> "Draft":
        """Read an answer's graph; whatever does not follow the format is left out."""
        nodes = [node for node in _objects(graph, "nodes") if isinstance(node.get("kind"), str)]
        texts = [(node, _text(node.get("label"))) for node in nodes if node["kind"] in DESCRIBING_KINDS]
        labelled = [(node, text) for node, text in texts if text]
        whole = wording("\n".join(text for _, text in labelled))
        labels = tuple(_split(whole, [text for _, text in labelled]))
        options = (
            Option(label, _interventions(node.get("data")))
            for (node, _), label in zip(labelled, labels, strict=True)
            if node["kind"] == "option"
        )
        return cls(
            labels=labels,
            wording=whole,
            options=tuple(options),
            claims=tuple(_claims(nodes)),
            threshold=next(_thresholds(nodes), None),
            effects=tuple(_effects(graph)),
        )


def _split(whole: Wording, texts: list[str]) -> Iterator[Label]:
    """The labels of a text that has one per line."""
    start, words = 0, iter((*whole.words, None))
    word = next(words)
    for text in texts:
        end, own = start + len(text), list[Word]()
        while word and word.start < end:
            own.append(word)
            word = next(words)
        yield Label(text, normalise(text).strip(), tuple(own))
        start = end + 1


def _claims(nodes: list[dict[str, JsonValue]]) -> Iterator[Claim]:
    for node in nodes:
        data = node.get("data")
        if node["kind"] == "factor" and isinstance(data, dict) and data.get("extractionType") == "explicit":
            raw = data.get("raw_value")
            claim = _claim(node, data.get("value") if raw is None else raw, data.get("unit"))
            if claim:
                yield claim


def _thresholds(nodes: list[dict[str, JsonValue]]) -> Iterator[Threshold]:
    for node in nodes:
        if node["kind"] == "goal" and (
            raw := _claim(node, node.get("goal_threshold_raw"), node.get("goal_threshold_unit"))
        ):
            yield Threshold(raw, _finite(node.get("goal_threshold")), _finite(node.get("goal_threshold_cap")))


def _claim(node: dict[str, JsonValue], value: JsonValue, unit: JsonValue) -> Claim | None:
    label, unit = _text(node.get("label")), _text(unit) or None
    number = _finite(value)
    if number is not None:
        return Claim(label, number, unit, readings_of(number, unit))
    written = numbers_in(value, None) if isinstance(value, str) else ()
    if not written:
        return None
    readings = {reading for number in sorted(written[0].readings) for reading in readings_of(number, unit)}
    return Claim(label, max(written[0].readings), unit, frozenset(readings))


def _effects(graph: JsonValue) -> Iterator[Effect]:
    for edge in _objects(graph, "edges"):
        strength, direction = edge.get("strength"), edge.get("effect_direction")
        mean = _finite(strength.get("mean")) if isinstance(strength, dict) else None
        if mean and isinstance(direction, str) and edge.get("edge_type") != "bidirected":
            yield Effect(_text(edge.get("from")), _text(edge.get("to")), mean, direction)


def _interventions(data: JsonValue) -> tuple[tuple[str, float], ...]:
    found = data.get("interventions") if isinstance(data, dict) else None
    if not isinstance(found, dict):
        return ()
    values = ((factor, _finite(value)) for factor, value in found.items())
    return tuple(sorted((factor, round(value, 4)) for factor, value in values if value is not None))


def _objects(graph: JsonValue, key: str) -> list[dict[str, JsonValue]]:
    entries = graph.get(key) if isinstance(graph, dict) else None
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _finite(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = float(value) if abs(value) < 1e300 else None
    return None if number is None or number != number else number
