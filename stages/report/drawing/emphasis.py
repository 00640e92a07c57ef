"""Emphasis: which nodes and edges of a drawing are highlighted, how, and with which badge."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from stages.contracts.draft_graph import GraphReading
from stages.contracts.scorecard import Finding

Look = Literal["bad", "added", "removed", "changed"]
_MAX_NUMBERS = 3


@dataclass(frozen=True, slots=True)
class Accent:
    """How one node or edge is highlighted, and the short text of its badge, empty for none."""

    look: Look
    badge: str = ""


@dataclass(frozen=True, slots=True)
class Emphasis:
    """The highlighted parts, by position in the graph's nodes and edges; `absent` by the id of a node that edges name but the graph lacks."""

    nodes: Mapping[int, Accent] = field(default_factory=dict)
    edges: Mapping[int, Accent] = field(default_factory=dict)
    absent: Mapping[str, Accent] = field(default_factory=dict)


NO_EMPHASIS = Emphasis()


def emphasis_of(reading: GraphReading, findings: Iterable[Finding]) -> Emphasis:
    """The nodes and edges that findings name, with the findings' numbers (from 1) as badges."""
    by_node: dict[str, list[int]] = {}
    by_place: dict[int, list[int]] = {}
    for number, finding in enumerate(findings, start=1):
        for node in finding.nodes:
            by_node.setdefault(node, []).append(number)
        for edge in finding.edges:
            by_place.setdefault(edge.index, []).append(number)
    places = reading.edge_places or range(len(reading.graph.edges))
    return Emphasis(
        nodes={at: _accent(by_node[node.id]) for at, node in enumerate(reading.graph.nodes) if node.id in by_node},
        edges={at: _accent(by_place[place]) for at, place in enumerate(places) if place in by_place},
        absent={node: _accent(numbers) for node, numbers in by_node.items()},
    )


def _accent(numbers: list[int]) -> Accent:
    unique = sorted(set(numbers))
    text = ",".join(map(str, unique[:_MAX_NUMBERS]))
    return Accent("bad", text + ("…" if len(unique) > _MAX_NUMBERS else ""))
