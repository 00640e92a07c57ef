"""Warnings: what is unusual about an answer that can still be read. They change no score."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TypeAlias

from stages.shared.records.graph import DIRECTED, Edge, Node
from stages.shared.records.scorecard import WARNINGS, Finding
from stages.shared.structure.evidence import edge_finding, finding, in_order_of, listed, sentence
from stages.shared.structure.topology import KINDS, Topology

CATEGORIES = (None, "controllable", "observable", "external")
_NOT_CHOSEN = ("observable", "external")
EXPECTED_CAUSAL = frozenset({
    ("factor", "factor"), ("factor", "outcome"), ("factor", "risk"), ("outcome", "goal"),
    ("risk", "goal"),
})  # fmt: skip
"""The kinds of the ends of causal edges in the format; other pairs that are not forbidden give a
warning."""
_WORD_END = re.compile(r"(?:s|ed|ing)?(?![^\W\d_])")
_Oddity: TypeAlias = tuple[str, str, tuple[str, ...]]
"""A code, what its sentence shows, and the nodes concerned."""


def warnings(topology: Topology, status_quo_pattern: str) -> tuple[Finding, ...]:
    """The warnings about a graph, one finding per code, in the order of `codes.toml`."""
    findings = [*_about_nodes(topology, status_quo_pattern), *_about_edges(topology)]
    return in_order_of(WARNINGS, findings)


def _about_nodes(topology: Topology, pattern: str) -> Iterator[Finding]:
    by_code: defaultdict[str, list[_Oddity]] = defaultdict(list)
    for node in topology.graph.nodes:
        for oddity in _oddities(node, topology, pattern):
            by_code[oddity[0]].append(oddity)
    for code, oddities in by_code.items():
        shown = dict.fromkeys(text for _, text, _ in oddities)
        nodes = dict.fromkeys(name for _, _, names in oddities for name in names)
        yield finding(code, sentence(code, len(oddities), listed([*shown])), nodes=nodes)


def _oddities(node: Node, topology: Topology, pattern: str) -> Iterator[_Oddity]:
    if node.kind not in KINDS:
        yield "UNKNOWN_KIND", node.kind, (node.id,)
    elif node.kind == "factor":
        if node.category not in CATEGORIES:
            yield "UNKNOWN_CATEGORY", str(node.category), (node.id,)
        elif node.category in _NOT_CHOSEN and node.id in topology.set_by_option:
            yield "CATEGORY_CONFLICT", node.id, (node.id,)
    elif node.kind == "option":
        if node.id not in topology.offered:
            yield "UNLINKED_OPTION", node.id, (node.id,)
        if node.label and _matches_only_within_words(pattern, node.label):
            yield "STATUS_QUO_WITHIN_A_WORD", node.label, (node.id,)
        for key in node.interventions:
            if topology.kinds.get(key) != "factor":
                yield "INTERVENTION_ON_UNKNOWN_FACTOR", key, (node.id,)
            elif key not in topology.set_by.get(node.id, ()):
                yield "INTERVENTION_WITHOUT_EDGE", f"{node.id} → {key}", (node.id, key)
    elif node.kind == "goal" and isinstance(node.goal_threshold, str):
        yield "THRESHOLD_NOT_A_NUMBER", node.goal_threshold, (node.id,)


def _matches_only_within_words(pattern: str, label: str) -> bool:
    """Whether the pattern matches, but no whole word; endings such as "-ing" are part of one."""
    matches = list(re.finditer(pattern, label, re.IGNORECASE))
    return bool(matches) and all(_is_within_word(match) for match in matches)


def _is_within_word(match: re.Match[str]) -> bool:
    before = match.string[: match.start()]
    follows_a_letter = before[-1:].isalpha()
    return follows_a_letter or not _WORD_END.match(match.string, match.end())


def _about_edges(topology: Topology) -> Iterator[Finding]:
    by_code: defaultdict[str, list[Edge]] = defaultdict(list)
    seen: set[tuple[str, str, bool]] = set()
    for edge in topology.graph.edges:
        key = (edge.source, edge.target, edge.bidirected)
        if key in seen:
            by_code["DUPLICATE_EDGE"].append(edge)
        seen.add(key)
        mean, std, probability = edge.mean, edge.std, edge.exists_probability
        if mean is None or std is None or probability is None:
            by_code["MISSING_PARAMETER"].append(edge)
        elif not (-1.0 <= mean <= 1.0 and std >= 0.0 and 0.0 <= probability <= 1.0):
            by_code["VALUE_OUT_OF_RANGE"].append(edge)
    for edge in topology.causal:
        ends = (topology.kinds.get(edge.source), topology.kinds.get(edge.target))
        if set(ends) <= set(KINDS) and ends not in EXPECTED_CAUSAL:
            by_code["EDGE_OUT_OF_GOAL" if ends[0] == "goal" else "ODD_EDGE"].append(edge)
    for code, edges in by_code.items():
        yield from edge_finding(code, edges)
    odd = [edge for edge in topology.directed if edge.edge_type not in (None, DIRECTED)]
    types = dict.fromkeys(str(edge.edge_type) for edge in odd)
    yield from edge_finding("UNKNOWN_EDGE_TYPE", odd, [*types])
