"""Warnings: what is unusual about an answer that can still be read. They change no score."""

import re
from collections.abc import Iterator

from stages.contracts.codes import WARNINGS
from stages.contracts.graph import DIRECTED, Edge
from stages.contracts.scorecard import Finding
from stages.score.evidence import edge_finding, finding, listed, node_finding
from stages.score.topology import FORBIDDEN, KINDS, Topology
from stages.shell.numbers import counted

CATEGORIES = (None, "controllable", "observable", "external")
EXPECTED_CAUSAL = frozenset(
    {
        ("factor", "factor"),
        ("factor", "outcome"),
        ("factor", "risk"),
        ("outcome", "goal"),
        ("risk", "goal"),
    }
)
"""The kinds of the ends of causal edges in the format; other pairs that are not forbidden give a warning."""
_WORD_END = re.compile(r"(?:s|ed|ing)?(?![^\W\d_])")
_ORDER = {code: position for position, code in enumerate(WARNINGS)}


def warnings(topology: Topology, status_quo_pattern: str) -> tuple[Finding, ...]:
    """The warnings about a graph, one finding per code, in the order of `contracts.codes`."""
    parts = (unknown_names, unusual_edges, parameters, interventions, links_and_threshold)
    found = [
        *(each for part in parts for each in part(topology)),
        *status_quo(topology, status_quo_pattern),
    ]
    return tuple(sorted(found, key=lambda each: _ORDER[each.code]))


def unknown_names(topology: Topology) -> Iterator[Finding]:
    """Kinds, categories and edge types that are not in the format."""
    unknown = [node for node in topology.graph.nodes if node.kind not in KINDS]
    kinds = {kind: place for place, kind in enumerate(dict.fromkeys(node.kind for node in unknown))}
    nodes = [node.id for node in sorted(unknown, key=lambda node: kinds[node.kind])]
    yield from node_finding(
        "UNKNOWN_KIND", nodes, "node has", "nodes have", "a kind outside the format", list(kinds)
    )
    factors = [node for node in topology.of_kind("factor") if node.category not in CATEGORIES]
    categories, names = (
        list(dict.fromkeys(str(node.category) for node in factors)),
        [node.id for node in factors],
    )
    rest = "a category outside the format"
    yield from node_finding(
        "UNKNOWN_CATEGORY", names, "factor has", "factors have", rest, categories
    )
    edges = [
        edge
        for edge in topology.graph.edges
        if not edge.bidirected and edge.edge_type not in (None, DIRECTED)
    ]
    if edges:
        types = listed(list(dict.fromkeys(str(edge.edge_type) for edge in edges)))
        message = (
            f"{counted(len(edges), 'edge has', 'edges have')} a type outside the format: {types}."
        )
        yield finding("UNKNOWN_EDGE_TYPE", message, edges=edges)


def unusual_edges(topology: Topology) -> Iterator[Finding]:
    """Edges that the format does not foresee, and edges that repeat an earlier one."""
    from_goal: list[Edge] = []
    others: list[Edge] = []
    for edge in topology.causal:
        source, target = topology.kinds[edge.source], topology.kinds[edge.target]
        known = source in KINDS and target in KINDS
        if known and (source, target) not in EXPECTED_CAUSAL | FORBIDDEN:
            (from_goal if source == "goal" else others).append(edge)
    yield from edge_finding(
        "EDGE_OUT_OF_GOAL", from_goal, "edge leads", "edges lead", "out of the goal"
    )
    yield from edge_finding("ODD_EDGE", others, "edge joins", "edges join", "unusual kinds")
    seen: set[tuple[str, str, bool]] = set()
    repeated: list[Edge] = []
    for edge in topology.graph.edges:
        key = (edge.source, edge.target, edge.bidirected)
        if key in seen:
            repeated.append(edge)
        seen.add(key)
    yield from edge_finding(
        "DUPLICATE_EDGE", repeated, "edge repeats", "edges repeat", "an earlier one"
    )


def parameters(topology: Topology) -> Iterator[Finding]:
    """Parameters out of range (strength -1 to 1, deviation from 0, probability 0 to 1), or missing where they are not scored."""
    outside: list[Edge] = []
    missing: list[Edge] = []
    for edge in topology.graph.edges:
        mean, std, probability = edge.mean, edge.std, edge.exists_probability
        if mean is None or std is None or probability is None:
            missing.append(edge)
        elif not (-1.0 <= mean <= 1.0 and std >= 0.0 and 0.0 <= probability <= 1.0):
            outside.append(edge)
    yield from edge_finding(
        "VALUE_OUT_OF_RANGE", outside, "edge has", "edges have", "a parameter out of range"
    )
    yield from edge_finding("MISSING_PARAMETER", missing, "edge lacks", "edges lack", "a parameter")


def interventions(topology: Topology) -> Iterator[Finding]:
    """Options that set what is no factor, what they have no edge to, or what is not called controllable."""
    unknown: dict[str, None] = {}
    setting_unknown: dict[str, None] = {}
    without_edge: list[tuple[str, str]] = []
    for node in topology.of_kind("option"):
        linked = topology.set_by.get(node.id, set())
        for key in node.interventions:
            if topology.kinds.get(key) != "factor":
                unknown[key] = setting_unknown[node.id] = None
            elif key not in linked:
                without_edge.append((node.id, key))
    if unknown:
        message = (
            f"Options set {counted(len(unknown), 'id')} of no factor: {listed(list(unknown))}."
        )
        yield finding("INTERVENTION_ON_UNKNOWN_FACTOR", message, nodes=setting_unknown)
    if without_edge:
        pairs = listed([f"{option} → {key}" for option, key in without_edge])
        have = counted(len(without_edge), "intervention has", "interventions have")
        nodes = dict.fromkeys(name for pair in without_edge for name in pair)
        yield finding(
            "INTERVENTION_WITHOUT_EDGE", f"{have} no edge from the option: {pairs}.", nodes=nodes
        )
    factors = [
        node for node in topology.of_kind("factor") if node.category in ("observable", "external")
    ]
    conflicting = [node.id for node in factors if node.id in topology.set_by_option]
    rest = "set by options but not called controllable"
    yield from node_finding("CATEGORY_CONFLICT", conflicting, "factor is", "factors are", rest)


def links_and_threshold(topology: Topology) -> Iterator[Finding]:
    """Options that the decision has no edge to, and a threshold that is text."""
    unlinked = [node.id for node in topology.of_kind("option") if node.id not in topology.offered]
    yield from node_finding(
        "UNLINKED_OPTION", unlinked, "option is", "options are", "not linked from the decision"
    )
    for node in topology.of_kind("goal"):
        if isinstance(node.goal_threshold, str):
            yield finding(
                "THRESHOLD_NOT_A_NUMBER", "The goal's threshold is text.", nodes=[node.id]
            )


def status_quo(topology: Topology, pattern: str) -> Iterator[Finding]:
    """Options that count as the status quo only because the pattern matches within a word; endings such as "-ing" are none."""
    within = [
        node
        for node in topology.of_kind("option")
        if node.label and _matches_within_words(pattern, node.label)
    ]
    names, labels = [node.id for node in within], [node.label or "" for node in within]
    rest = "as the status quo by a match within a word"
    yield from node_finding(
        "STATUS_QUO_WITHIN_A_WORD", names, "option counts", "options count", rest, labels
    )


def _matches_within_words(pattern: str, label: str) -> bool:
    found = list(re.finditer(pattern, label, re.IGNORECASE))
    return bool(found) and all(
        label[: match.start()][-1:].isalpha() or not _WORD_END.match(label, match.end())
        for match in found
    )
