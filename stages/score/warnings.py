"""Warnings: what is odd about an answer and yet readable. They change no score."""

from collections.abc import Iterator
from operator import attrgetter

from stages.contracts.graph import Edge, GraphReading, Node
from stages.contracts.scorecard import Finding
from stages.score.evidence import Witness, counted, listed
from stages.score.topology import KINDS, Topology

_KINDS = frozenset(KINDS)
_CATEGORIES = frozenset((None, "controllable", "observable", "external"))
_NOT_CHOSEN = frozenset(("observable", "external"))
_NOTHING: frozenset[str] = frozenset()
_ENDS = attrgetter("source", "target")


def warnings(reading: GraphReading, topology: Topology, witness: Witness) -> list[Finding]:
    """The warnings about a graph, in the order of `contracts.codes.WARNINGS`; one finding per code."""
    edges = reading.graph.edges
    found: list[Finding] = []
    if not topology.by_kind.keys() <= _KINDS:
        found.append(_unknown_kinds(topology, witness))
    unfiled: list[Node] = []
    misnamed: list[str] = []
    for node in topology.by_kind["factor"]:
        if node.category in _NOT_CHOSEN:
            if node.id in topology.set_by_option:
                misnamed.append(node.id)
        elif node.category not in _CATEGORIES:
            unfiled.append(node)
    if unfiled:
        found.append(_unknown_categories(unfiled, witness))
    if topology.untyped:
        found.append(_unknown_edge_types(topology, witness))
    if topology.odd:
        found += _odd_edges(topology, witness)
    if len(set(map(_ENDS, edges))) < len(edges):
        found += _repeated_edges(edges, witness)
    if not reading.in_range:
        found += _parameters(edges, witness)
    found += _about_options(topology, witness, misnamed)
    return found


def _unknown_kinds(topology: Topology, witness: Witness) -> Finding:
    strange = [node for kind, nodes in topology.by_kind.items() if kind not in _KINDS for node in nodes]
    kinds = list(dict.fromkeys(node.kind for node in strange))
    message = f"{counted(len(strange), 'node has', 'nodes have')} a kind outside the format: {listed(kinds)}."
    return witness.finding("UNKNOWN_KIND", message, nodes=(node.id for node in strange))


def _unknown_categories(strange: list[Node], witness: Witness) -> Finding:
    categories = list(dict.fromkeys(str(node.category) for node in strange))
    message = (
        f"{counted(len(strange), 'factor has', 'factors have')} a category outside the format: {listed(categories)}."
    )
    return witness.finding("UNKNOWN_CATEGORY", message, nodes=(node.id for node in strange))


def _unknown_edge_types(topology: Topology, witness: Witness) -> Finding:
    strange, edges = topology.untyped, topology.graph.edges
    types = list(dict.fromkeys(str(edges[index].edge_type) for index in strange))
    message = f"{counted(len(strange), 'edge has', 'edges have')} a type outside the format: {listed(types)}."
    return witness.finding("UNKNOWN_EDGE_TYPE", message, edges=strange)


def _odd_edges(topology: Topology, witness: Witness) -> Iterator[Finding]:
    edges = topology.graph.edges
    from_goal: list[int] = []
    odd: list[int] = []
    for index in topology.odd:
        (from_goal if topology.kinds[edges[index].source] == "goal" else odd).append(index)
    if from_goal:
        message = f"{counted(len(from_goal), 'edge leads', 'edges lead')} out of the goal: {witness.arrows(from_goal)}."
        yield witness.finding("EDGE_OUT_OF_GOAL", message, edges=from_goal)
    if odd:
        message = f"{counted(len(odd), 'edge joins', 'edges join')} unusual kinds: {witness.arrows(odd)}."
        yield witness.finding("ODD_EDGE", message, edges=odd)


def _repeated_edges(edges: tuple[Edge, ...], witness: Witness) -> Iterator[Finding]:
    seen: set[tuple[str, str, bool]] = set()
    repeated: list[int] = []
    for index, edge in enumerate(edges):
        key = (edge.source, edge.target, edge.bidirected)
        if key in seen:
            repeated.append(index)
        seen.add(key)
    if repeated:
        message = (
            f"{counted(len(repeated), 'edge repeats', 'edges repeat')} an earlier one: {witness.arrows(repeated)}."
        )
        yield witness.finding("DUPLICATE_EDGE", message, edges=repeated)


def _parameters(edges: tuple[Edge, ...], witness: Witness) -> Iterator[Finding]:
    outside: list[int] = []
    missing: list[int] = []
    for index, edge in enumerate(edges):
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


def _about_options(topology: Topology, witness: Witness, misnamed: list[str]) -> list[Finding]:
    """About options and what they set; `misnamed` are the factors they set that are called something else."""
    set_by = topology.set_by
    apart: list[Node] = []
    unlinked: list[str] = []
    for node in topology.by_kind["option"]:
        if not node.interventions.keys() <= set_by.get(node.id, _NOTHING):
            apart.append(node)
        if node.id not in topology.offered:
            unlinked.append(node.id)
    found: list[Finding] = []
    if apart:
        found += _about_interventions(topology, witness, apart)
    if misnamed:
        message = f"{counted(len(misnamed), 'factor is', 'factors are')} set by options but not called controllable: {listed(misnamed)}."
        found.append(witness.finding("CATEGORY_CONFLICT", message, nodes=misnamed))
    if unlinked:
        message = (
            f"{counted(len(unlinked), 'option is', 'options are')} not linked from the decision: {listed(unlinked)}."
        )
        found.append(witness.finding("UNLINKED_OPTION", message, nodes=unlinked))
    for node in topology.by_kind["goal"]:
        if isinstance(node.goal_threshold, str):
            found.append(witness.finding("THRESHOLD_NOT_A_NUMBER", "The goal's threshold is text.", nodes=[node.id]))
    return found


def _about_interventions(topology: Topology, witness: Witness, apart: list[Node]) -> Iterator[Finding]:
    """About options that set something to which they have no edge."""
    kinds = topology.kinds
    unknown: dict[str, None] = {}
    setting_unknown: dict[str, None] = {}
    forgotten: list[tuple[str, str]] = []
    for node in apart:
        linked = topology.set_by.get(node.id, _NOTHING)
        for key in node.interventions:
            if kinds.get(key) != "factor":
                unknown[key] = setting_unknown[node.id] = None
            elif key not in linked:
                forgotten.append((node.id, key))
    if unknown:
        message = f"Options set {counted(len(unknown), 'id')} of no factor: {listed(list(unknown))}."
        yield witness.finding("INTERVENTION_ON_UNKNOWN_FACTOR", message, nodes=setting_unknown)
    if forgotten:
        pairs = [f"{option} → {key}" for option, key in forgotten]
        message = f"{counted(len(forgotten), 'intervention has', 'interventions have')} no edge from the option: {listed(pairs)}."
        nodes = dict.fromkeys(name for pair in forgotten for name in pair)
        yield witness.finding("INTERVENTION_WITHOUT_EDGE", message, nodes=nodes)
