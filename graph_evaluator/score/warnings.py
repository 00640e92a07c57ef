"""Warnings: what is unusual about an answer that can still be read. They change no score."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from graph_evaluator.graph.evidence import arrows, finding, listed, sentence
from graph_evaluator.graph.topology import KINDS, Topology
from graph_evaluator.records.graph import BIDIRECTED, DIRECTED, MAX_TEXT, Edge
from graph_evaluator.records.scorecard import WARNINGS, Finding
from graph_evaluator.score.structure import FORBIDDEN

CATEGORIES = (None, "controllable", "observable", "external")
_NOT_CHOSEN = ("observable", "external")
FORESEEN = FORBIDDEN | {
    ("factor", "factor"), ("factor", "outcome"), ("factor", "risk"), ("outcome", "goal"),
    ("risk", "goal"),
}  # fmt: skip
"""The kinds of the ends of causal edges in the format, and those that are violations; other pairs
give a warning."""


class _Oddity(NamedTuple):
    """One odd thing: its code, the nodes and edges concerned, and how its sentence names it, where
    not by the edges.
    """

    code: str
    edges: Sequence[Edge] = ()
    nodes: Sequence[str] = ()
    name: str | None = None


def warnings(topology: Topology) -> tuple[Finding, ...]:
    """The warnings about a graph, one finding per code, in the order of `codes.toml`."""
    by_code: dict[str, list[_Oddity]] = {code: [] for code in WARNINGS}
    for oddity in (*_odd_nodes(topology), *_odd_edges(topology)):
        by_code[oddity.code].append(oddity)
    return tuple(_finding_of(oddities) for oddities in by_code.values() if oddities)


def _finding_of(oddities: Sequence[_Oddity]) -> Finding:
    """The finding about odd things of one code."""
    code = oddities[0].code
    edges = [edge for oddity in oddities for edge in oddity.edges]
    nodes = dict.fromkeys(node for oddity in oddities for node in oddity.nodes)
    names = dict.fromkeys(oddity.name for oddity in oddities if oddity.name is not None)
    shown = listed(names) if names else arrows(edges)
    return finding(code, sentence(code, len(oddities), shown), nodes, edges)


def _odd_nodes(topology: Topology) -> Iterator[_Oddity]:
    steps = {(edge.source, edge.target) for edge in topology.directed}
    decisions = topology.ids_of("decision")
    for node in topology.graph.nodes:
        odd = partial(_Oddity, nodes=[node.id])
        if node.kind not in KINDS:
            yield odd("UNKNOWN_KIND", name=node.kind)
        if node.kind == "factor" and node.category not in CATEGORIES:
            yield odd("UNKNOWN_CATEGORY", name=str(node.category))
        if node.category in _NOT_CHOSEN and node.id in topology.set_by_option:
            yield odd("CATEGORY_CONFLICT", name=node.id)
        if node.kind == "option" and steps.isdisjoint((start, node.id) for start in decisions):
            yield odd("UNLINKED_OPTION", name=node.id)
        if isinstance(node.goal_threshold, str):
            yield odd("THRESHOLD_NOT_A_NUMBER", name=node.goal_threshold)
        if node.has_misplaced_interventions:
            yield odd("INTERVENTIONS_NEXT_TO_DATA", name=node.id)
        if any(isinstance(text, str) and len(text) > MAX_TEXT for text in node.texts):
            yield odd("LONG_TEXT", name=node.id)
        for key in node.interventions:
            if topology.kinds.get(key) != "factor":
                yield odd("INTERVENTION_ON_UNKNOWN_FACTOR", name=key)
            elif (node.id, key) not in steps:
                step = f"{node.id} → {key}"
                yield _Oddity("INTERVENTION_WITHOUT_EDGE", nodes=[node.id, key], name=step)


def _odd_edges(topology: Topology) -> Iterator[_Oddity]:
    pairs: set[tuple[str, str, bool]] = set()
    for edge in topology.graph.edges:
        pair = (edge.source, edge.target, edge.bidirected)
        if pair in pairs:
            yield _Oddity("DUPLICATE_EDGE", [edge])
        pairs.add(pair)
        mean, std, probability = edge.mean, edge.std, edge.exists_probability
        if mean is None or std is None or probability is None:
            yield _Oddity("MISSING_PARAMETER", [edge])
        elif not (-1.0 <= mean <= 1.0 and std >= 0.0 and 0.0 <= probability <= 1.0):
            yield _Oddity("VALUE_OUT_OF_RANGE", [edge])
        if edge.edge_type not in (None, DIRECTED, BIDIRECTED):
            yield _Oddity("UNKNOWN_EDGE_TYPE", [edge], name=edge.edge_type)
    for edge in topology.causal:
        ends = topology.ends(edge)
        if set(ends) <= set(KINDS) and ends not in FORESEEN:
            yield _Oddity("EDGE_OUT_OF_GOAL" if ends[0] == "goal" else "ODD_EDGE", [edge])
