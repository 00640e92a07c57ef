"""Warnings: what is unusual about an answer that can still be read. They change no score."""

import re
from collections.abc import Iterator

from stages.contracts.codes import WARNINGS
from stages.contracts.graph import Edge
from stages.contracts.scorecard import Finding
from stages.score.evidence import arrows, counted, finding, listed
from stages.score.topology import Topology

_CATEGORIES = (None, "controllable", "observable", "external")
_WORD_END = re.compile(r"(?:s|ed|ing)?(?![^\W\d_])")
_ORDER = {code: position for position, code in enumerate(WARNINGS)}


def warnings(topology: Topology, status_quo_pattern: str) -> tuple[Finding, ...]:
    """The warnings about a graph, one finding per code, in the order of `contracts.codes`."""
    parts = (unknown_names, unusual_edges, parameters, interventions, links_and_threshold)
    found = [*(each for part in parts for each in part(topology)), *status_quo(topology, status_quo_pattern)]
    return tuple(sorted(found, key=lambda each: _ORDER[each.code]))


def unknown_names(topology: Topology) -> Iterator[Finding]:
    """Kinds, categories and edge types that are not in the format."""
    nodes = topology.unknown_kinds()
    if nodes:
        kinds = listed(list(dict.fromkeys(node.kind for node in nodes)))
        message = f"{counted(len(nodes), 'node has', 'nodes have')} a kind outside the format: {kinds}."
        yield finding("UNKNOWN_KIND", message, nodes=(node.id for node in nodes))
    factors = [node for node in topology.of_kind("factor") if node.category not in _CATEGORIES]
    if factors:
        categories = listed(list(dict.fromkeys(str(node.category) for node in factors)))
        message = f"{counted(len(factors), 'factor has', 'factors have')} a category outside the format: {categories}."
        yield finding("UNKNOWN_CATEGORY", message, nodes=(node.id for node in factors))
    edges = topology.unknown_type
    if edges:
        types = listed(list(dict.fromkeys(str(edge.edge_type) for edge in edges)))
        message = f"{counted(len(edges), 'edge has', 'edges have')} a type outside the format: {types}."
        yield finding("UNKNOWN_EDGE_TYPE", message, edges=edges)


def unusual_edges(topology: Topology) -> Iterator[Finding]:
    """Edges that the format does not foresee, and edges that repeat an earlier one."""
    from_goal = [edge for edge in topology.unusual if topology.kinds[edge.source] == "goal"]
    if from_goal:
        message = f"{counted(len(from_goal), 'edge leads', 'edges lead')} out of the goal: {arrows(from_goal)}."
        yield finding("EDGE_OUT_OF_GOAL", message, edges=from_goal)
    others = [edge for edge in topology.unusual if topology.kinds[edge.source] != "goal"]
    if others:
        message = f"{counted(len(others), 'edge joins', 'edges join')} unusual kinds: {arrows(others)}."
        yield finding("ODD_EDGE", message, edges=others)
    seen: set[tuple[str, str, bool]] = set()
    repeated: list[Edge] = []
    for edge in topology.graph.edges:
        key = (edge.source, edge.target, edge.bidirected)
        if key in seen:
            repeated.append(edge)
        seen.add(key)
    if repeated:
        message = f"{counted(len(repeated), 'edge repeats', 'edges repeat')} an earlier one: {arrows(repeated)}."
        yield finding("DUPLICATE_EDGE", message, edges=repeated)


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
    if outside:
        message = f"{counted(len(outside), 'edge has', 'edges have')} a parameter out of range: {arrows(outside)}."
        yield finding("VALUE_OUT_OF_RANGE", message, edges=outside)
    if missing:
        message = f"{counted(len(missing), 'edge lacks', 'edges lack')} a parameter: {arrows(missing)}."
        yield finding("MISSING_PARAMETER", message, edges=missing)


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
        message = f"Options set {counted(len(unknown), 'id')} of no factor: {listed(list(unknown))}."
        yield finding("INTERVENTION_ON_UNKNOWN_FACTOR", message, nodes=setting_unknown)
    if without_edge:
        pairs = listed([f"{option} → {key}" for option, key in without_edge])
        have = counted(len(without_edge), "intervention has", "interventions have")
        nodes = dict.fromkeys(name for pair in without_edge for name in pair)
        yield finding("INTERVENTION_WITHOUT_EDGE", f"{have} no edge from the option: {pairs}.", nodes=nodes)
    conflicting = [
        node.id
        for node in topology.of_kind("factor")
        if node.category in ("observable", "external") and node.id in topology.set_by_option
    ]
    if conflicting:
        are = counted(len(conflicting), "factor is", "factors are")
        message = f"{are} set by options but not called controllable: {listed(conflicting)}."
        yield finding("CATEGORY_CONFLICT", message, nodes=conflicting)


def links_and_threshold(topology: Topology) -> Iterator[Finding]:
    """Options that the decision has no edge to, and a threshold that is text."""
    unlinked = [node.id for node in topology.of_kind("option") if node.id not in topology.offered]
    if unlinked:
        message = (
            f"{counted(len(unlinked), 'option is', 'options are')} not linked from the decision: {listed(unlinked)}."
        )
        yield finding("UNLINKED_OPTION", message, nodes=unlinked)
    for node in topology.of_kind("goal"):
        if isinstance(node.goal_threshold, str):
            yield finding("THRESHOLD_NOT_A_NUMBER", "The goal's threshold is text.", nodes=[node.id])


def status_quo(topology: Topology, pattern: str) -> Iterator[Finding]:
    """Options that count as the status quo only because the pattern matches within a word; endings such as "-ing" are none."""
    within = [
        node
        for node in topology.of_kind("option")
        if (found := list(re.finditer(pattern, node.label or "", re.IGNORECASE)))
        and all(
            node.label[: match.start()][-1:].isalpha() or not _WORD_END.match(node.label, match.end())
            for match in found
            if node.label
        )
    ]
    if within:
        count = counted(len(within), "option counts", "options count")
        message = (
            f"{count} as the status quo by a match within a word: {listed([node.label or '' for node in within])}."
        )
        yield finding("STATUS_QUO_WITHIN_A_WORD", message, nodes=(node.id for node in within))
