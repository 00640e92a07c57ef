"""Warnings: what is unusual about an answer that can still be read. They change no score."""

import re
from collections.abc import Iterator

from stages.shared.records.codes import WARNINGS
from stages.shared.records.graph import DIRECTED, Edge
from stages.shared.records.scorecard import Finding
from stages.shared.shell.numbers import counted
from stages.shared.structure.evidence import (
    edge_finding,
    finding,
    in_order_of,
    listed,
    node_finding,
    sentence,
)
from stages.shared.structure.topology import KINDS, Topology

CATEGORIES = (None, "controllable", "observable", "external")
EXPECTED_CAUSAL = frozenset({
    ("factor", "factor"), ("factor", "outcome"), ("factor", "risk"), ("outcome", "goal"),
    ("risk", "goal"),
})  # fmt: skip
"""The kinds of the ends of causal edges in the format; other pairs that are not forbidden give a
warning."""
_WORD_END = re.compile(r"(?:s|ed|ing)?(?![^\W\d_])")


def warnings(topology: Topology, status_quo_pattern: str) -> tuple[Finding, ...]:
    """The warnings about a graph, one finding per code, in the order of `contracts.codes`."""
    findings: list[Finding] = []
    for part in _PARTS:
        findings += part(topology)
    findings += status_quo(topology, status_quo_pattern)
    return in_order_of(WARNINGS, findings)


def unknown_kinds(topology: Topology) -> Iterator[Finding]:
    """Kinds that are not in the format; the nodes are named kind by kind."""
    ids_by_kind: dict[str, list[str]] = {}
    for node in topology.graph.nodes:
        if node.kind not in KINDS:
            ids_by_kind.setdefault(node.kind, []).append(node.id)
    nodes = [name for ids in ids_by_kind.values() for name in ids]
    yield from node_finding("UNKNOWN_KIND", nodes, [*ids_by_kind])


def unknown_categories(topology: Topology) -> Iterator[Finding]:
    """Categories of factors that are not in the format."""
    factors = [node for node in topology.of_kind("factor") if node.category not in CATEGORIES]
    ids = [node.id for node in factors]
    categories = list(dict.fromkeys(str(node.category) for node in factors))
    yield from node_finding("UNKNOWN_CATEGORY", ids, categories)


def unknown_edge_types(topology: Topology) -> Iterator[Finding]:
    """Types of edges that are not in the format; such edges count as directed."""
    edges = [edge for edge in topology.directed if edge.edge_type not in (None, DIRECTED)]
    types = list(dict.fromkeys(str(edge.edge_type) for edge in edges))
    yield from edge_finding("UNKNOWN_EDGE_TYPE", edges, types)


def unusual_edges(topology: Topology) -> Iterator[Finding]:
    """Causal edges between kinds that the format does not foresee."""
    from_goal: list[Edge] = []
    others: list[Edge] = []
    for edge in topology.causal:
        source = topology.kinds.get(edge.source)
        target = topology.kinds.get(edge.target)
        are_known = source in KINDS and target in KINDS
        if not are_known or (source, target) in EXPECTED_CAUSAL:
            continue
        if source == "goal":
            from_goal.append(edge)
        else:
            others.append(edge)
    yield from edge_finding("EDGE_OUT_OF_GOAL", from_goal)
    yield from edge_finding("ODD_EDGE", others)


def repeated_edges(topology: Topology) -> Iterator[Finding]:
    """Edges with the ends of an earlier one."""
    seen: set[tuple[str, str, bool]] = set()
    repeated: list[Edge] = []
    for edge in topology.graph.edges:
        key = (edge.source, edge.target, edge.bidirected)
        if key in seen:
            repeated.append(edge)
        seen.add(key)
    yield from edge_finding("DUPLICATE_EDGE", repeated)


def parameters(topology: Topology) -> Iterator[Finding]:
    """Parameters out of range (strength -1 to 1, deviation from 0, probability 0 to 1), or missing
    where they are not scored.
    """
    outside: list[Edge] = []
    missing: list[Edge] = []
    for edge in topology.graph.edges:
        mean, std, probability = edge.mean, edge.std, edge.exists_probability
        if mean is None or std is None or probability is None:
            missing.append(edge)
        elif not (-1.0 <= mean <= 1.0 and std >= 0.0 and 0.0 <= probability <= 1.0):
            outside.append(edge)
    yield from edge_finding("VALUE_OUT_OF_RANGE", outside)
    yield from edge_finding("MISSING_PARAMETER", missing)


def interventions(topology: Topology) -> Iterator[Finding]:
    """Options that set what is no factor, or what they have no edge to."""
    unknown_ids: dict[str, None] = {}
    options_with_unknown: dict[str, None] = {}
    without_edge: list[tuple[str, str]] = []
    for option in topology.of_kind("option"):
        linked = topology.set_by.get(option.id, set())
        for key in option.interventions:
            if topology.kinds.get(key) != "factor":
                unknown_ids[key] = None
                options_with_unknown[option.id] = None
            elif key not in linked:
                without_edge.append((option.id, key))
    if unknown_ids:
        ids = counted(len(unknown_ids), "id")
        message = f"Options set {ids} of no factor: {listed(list(unknown_ids))}."
        yield finding("INTERVENTION_ON_UNKNOWN_FACTOR", message, nodes=options_with_unknown)
    if without_edge:
        pairs = [f"{option} → {key}" for option, key in without_edge]
        code = "INTERVENTION_WITHOUT_EDGE"
        nodes = dict.fromkeys(name for pair in without_edge for name in pair)
        yield finding(code, sentence(code, len(pairs), listed(pairs)), nodes=nodes)


def conflicting_categories(topology: Topology) -> Iterator[Finding]:
    """Factors that options set although their category says that nobody can."""
    conflicting: list[str] = []
    for node in topology.of_kind("factor"):
        if node.category in ("observable", "external") and node.id in topology.set_by_option:
            conflicting.append(node.id)
    yield from node_finding("CATEGORY_CONFLICT", conflicting)


def unlinked_options(topology: Topology) -> Iterator[Finding]:
    """Options that the decision has no edge to."""
    unlinked = [name for name in topology.ids_of("option") if name not in topology.offered]
    yield from node_finding("UNLINKED_OPTION", unlinked)


def threshold(topology: Topology) -> Iterator[Finding]:
    """A threshold that is text."""
    for node in topology.of_kind("goal"):
        if isinstance(node.goal_threshold, str):
            message = "The goal's threshold is text."
            yield finding("THRESHOLD_NOT_A_NUMBER", message, nodes=[node.id])


def status_quo(topology: Topology, pattern: str) -> Iterator[Finding]:
    """Options that count as the status quo only because the pattern matches within a word; endings
    such as "-ing" are none.
    """
    ids: list[str] = []
    labels: list[str] = []
    for node in topology.of_kind("option"):
        if node.label and _matches_only_within_words(pattern, node.label):
            ids.append(node.id)
            labels.append(node.label)
    yield from node_finding("STATUS_QUO_WITHIN_A_WORD", ids, labels)


def _matches_only_within_words(pattern: str, label: str) -> bool:
    matches = list(re.finditer(pattern, label, re.IGNORECASE))
    return bool(matches) and all(_is_within_word(match) for match in matches)


def _is_within_word(match: re.Match[str]) -> bool:
    before = match.string[: match.start()]
    follows_a_letter = before[-1:].isalpha()
    return follows_a_letter or not _WORD_END.match(match.string, match.end())


_PARTS = (
    unknown_kinds,
    unknown_categories,
    unknown_edge_types,
    unusual_edges,
    repeated_edges,
    parameters,
    interventions,
    conflicting_categories,
    unlinked_options,
    threshold,
)
