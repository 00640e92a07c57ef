"""Warnings: what is odd about an answer and yet readable. They change no score."""

from collections.abc import Iterator

from stages.contracts.graph import BIDIRECTED, DraftGraph
from stages.contracts.scorecard import Finding
from stages.score.evidence import Witness, counted, listed
from stages.score.topology import KINDS, ODD, SETTING, STRUCTURAL, Topology

CATEGORIES = ("controllable", "observable", "external")
_CHECKED_CATEGORIES = frozenset((None, *CATEGORIES))
_EDGE_TYPES = frozenset((None, "directed", BIDIRECTED))


def warnings(topology: Topology, witness: Witness) -> list[Finding]:
    """The warnings about a graph, in the order of `contracts.codes.WARNINGS`; one finding per code."""
    return [*_about_kinds(topology, witness), *_about_edges(topology, witness), *_about_options(topology, witness)]


def _about_kinds(topology: Topology, witness: Witness) -> Iterator[Finding]:
    strange = [node for kind, nodes in topology.by_kind.items() if kind not in KINDS for node in nodes]
    if strange:
        kinds = list(dict.fromkeys(node.kind for node in strange))
        message = f"{counted(len(strange), 'node has', 'nodes have')} a kind outside the format: {listed(kinds)}."
        yield witness.finding("UNKNOWN_KIND", message, nodes=(node.id for node in strange))
    misfiled = [node for node in topology.by_kind.get("factor", ()) if node.category not in _CHECKED_CATEGORIES]
    if misfiled:
        found = list(dict.fromkeys(node.category or "" for node in misfiled))
        message = (
            f"{counted(len(misfiled), 'factor has', 'factors have')} a category outside the format: {listed(found)}."
        )
        yield witness.finding("UNKNOWN_CATEGORY", message, nodes=(node.id for node in misfiled))


def _about_edges(topology: Topology, witness: Witness) -> Iterator[Finding]:
    graph = topology.graph
    untyped = [index for index, edge in enumerate(graph.edges) if edge.edge_type not in _EDGE_TYPES]
    if untyped:
        types = list(dict.fromkeys(graph.edges[index].edge_type or "" for index in untyped))
        message = f"{counted(len(untyped), 'edge has', 'edges have')} a type outside the format: {listed(types)}."
        yield witness.finding("UNKNOWN_EDGE_TYPE", message, edges=untyped)
    from_goal: list[int] = []
    odd: list[int] = []
    for index in topology.by_role[ODD]:
        (from_goal if topology.kinds[graph.edges[index].source] == "goal" else odd).append(index)
    if from_goal:
        message = f"{counted(len(from_goal), 'edge leads', 'edges lead')} out of the goal: {witness.arrows(from_goal)}."
        yield witness.finding("EDGE_OUT_OF_GOAL", message, edges=from_goal)
    if odd:
        message = f"{counted(len(odd), 'edge joins', 'edges join')} unusual kinds: {witness.arrows(odd)}."
        yield witness.finding("ODD_EDGE", message, edges=odd)
    yield from _repeated_edges(graph, witness)
    yield from _parameters(graph, witness)


def _repeated_edges(graph: DraftGraph, witness: Witness) -> Iterator[Finding]:
    ends = [(edge.source, edge.target, edge.edge_type == BIDIRECTED) for edge in graph.edges]
    if len(set(ends)) == len(ends):
        return
    seen: set[tuple[str, str, bool]] = set()
    repeated: list[int] = []
    for index, end in enumerate(ends):
        if end in seen:
            repeated.append(index)
        seen.add(end)
    message = f"{counted(len(repeated), 'edge repeats', 'edges repeat')} an earlier one: {witness.arrows(repeated)}."
    yield witness.finding("DUPLICATE_EDGE", message, edges=repeated)


def _parameters(graph: DraftGraph, witness: Witness) -> Iterator[Finding]:
    outside: list[int] = []
    missing: list[int] = []
    for index, edge in enumerate(graph.edges):
        strength, probability = edge.strength, edge.exists_probability
        if strength is None or probability is None or strength.mean is None or strength.std is None:
            missing.append(index)
        elif not (-1.0 <= strength.mean <= 1.0 and strength.std >= 0.0 and 0.0 <= probability <= 1.0):
            outside.append(index)
    if outside:
        message = (
            f"{counted(len(outside), 'edge has', 'edges have')} a parameter out of range: {witness.arrows(outside)}."
        )
        yield witness.finding("VALUE_OUT_OF_RANGE", message, edges=outside)
    if missing:
        message = f"{counted(len(missing), 'edge lacks', 'edges lack')} a parameter: {witness.arrows(missing)}."
        yield witness.finding("MISSING_PARAMETER", message, edges=missing)


def _about_options(topology: Topology, witness: Witness) -> Iterator[Finding]:
    edges = topology.graph.edges
    linked = {(edges[index].source, edges[index].target) for index in topology.by_role[SETTING]}
    options = topology.by_kind.get("option", [])
    settings = [(node.id, key) for node in options for key in node.interventions if (node.id, key) not in linked]
    unknown = [pair for pair in settings if topology.kinds.get(pair[1]) != "factor"]
    if unknown:
        keys = list(dict.fromkeys(key for _, key in unknown))
        message = f"Options set {counted(len(keys), 'id')} of no factor: {listed(keys)}."
        nodes = dict.fromkeys(option for option, _ in unknown)
        yield witness.finding("INTERVENTION_ON_UNKNOWN_FACTOR", message, nodes=nodes)
    apart = [pair for pair in settings if topology.kinds.get(pair[1]) == "factor"]
    if apart:
        pairs = [f"{option} → {key}" for option, key in apart]
        message = f"{counted(len(apart), 'intervention')} without an edge from the option: {listed(pairs)}."
        nodes = dict.fromkeys(name for pair in apart for name in pair)
        yield witness.finding("INTERVENTION_WITHOUT_EDGE", message, nodes=nodes)
    yield from _about_links(topology, witness)


def _about_links(topology: Topology, witness: Witness) -> Iterator[Finding]:
    misnamed = [
        node.id
        for node in topology.by_kind.get("factor", ())
        if node.id in topology.set_by_option and node.category in ("observable", "external")
    ]
    if misnamed:
        message = f"{counted(len(misnamed), 'factor')} set by options but not called controllable: {listed(misnamed)}."
        yield witness.finding("CATEGORY_CONFLICT", message, nodes=misnamed)
    edges = topology.graph.edges
    chosen = {edges[index].target for index in topology.by_role[STRUCTURAL]}
    unlinked = [node.id for node in topology.by_kind.get("option", ()) if node.id not in chosen]
    if unlinked:
        message = f"{counted(len(unlinked), 'option')} not linked from the decision: {listed(unlinked)}."
        yield witness.finding("UNLINKED_OPTION", message, nodes=unlinked)
    textual = [node.id for node in topology.by_kind.get("goal", ()) if isinstance(node.goal_threshold, str)]
    if textual:
        yield witness.finding("THRESHOLD_NOT_A_NUMBER", "The goal's threshold is text.", nodes=textual)
