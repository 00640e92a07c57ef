"""Emphasis: which nodes and edges of a drawing stand out, how, and with which badge."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from stages.contracts.graph import DraftGraph
from stages.contracts.scorecard import Finding

Look = Literal["bad", "added", "removed", "changed"]


class Accent(NamedTuple):
    """How one node or edge stands out, and the short text of its badge, empty for none."""

    look: Look
    badge: str = ""


class Emphasis(NamedTuple):
    """What stands out, by position in the graph's nodes and edges."""

    nodes: Mapping[int, Accent]
    edges: Mapping[int, Accent]
    absent: Mapping[str, Accent]
    """By id: nodes that edges name although they are not there."""


NONE = Emphasis({}, {}, {})


def of_findings(graph: DraftGraph, findings: Iterable[Finding]) -> Emphasis:
    """The nodes and edges that findings name, with the findings' numbers (from 1) as badges."""
    by_node: dict[str, list[int]] = {}
    by_place: dict[int, list[int]] = {}
    for number, finding in enumerate(findings, start=1):
        for node in finding.nodes:
            by_node.setdefault(node, []).append(number)
        for edge in finding.edges:
            by_place.setdefault(edge.index, []).append(number)
    return Emphasis(
        {at: _accent(by_node[node.id]) for at, node in enumerate(graph.nodes) if node.id in by_node},
        {at: _accent(by_place[edge.index]) for at, edge in enumerate(graph.edges) if edge.index in by_place},
        {node: _accent(numbers) for node, numbers in by_node.items()},
    )


def _accent(numbers: list[int]) -> Accent:
    unique = sorted(set(numbers))
    text = ",".join(map(str, unique[:3]))
    return Accent("bad", text + ("…" if len(unique) > 3 else ""))
