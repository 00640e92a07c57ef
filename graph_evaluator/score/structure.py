"""Structural validity: the rules that every decision graph must keep, and warnings of what is
unusual about an answer that can still be read. Source: docs/scoring.md.

Each rule is one function whose docstring is the rule; it yields a finding for each violation. A
rule about edges is not applied where the answer has no list of nodes or of edges.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from graph_evaluator.graph.causal_model import BRIDGES, KINDS, MAX_EDGES, Topology
from graph_evaluator.graph.evidence import arrows, counting, finding, listed, sentence
from graph_evaluator.records.codes import VIOLATIONS, WARNINGS
from graph_evaluator.records.graph import BIDIRECTED, DIRECTED, MAX_ENTRIES, MAX_TEXT, Edge
from graph_evaluator.records.scorecard import Finding
from graph_evaluator.shell.numbers import counted

StructuralRule = Callable[[Topology], Iterator[Finding]]

FORBIDDEN = frozenset({
    ("option", "outcome"), ("option", "risk"), ("option", "goal"), ("factor", "goal"),
    ("decision", "factor"), ("decision", "outcome"), ("decision", "risk"),
    ("outcome", "outcome"), ("risk", "risk"), ("outcome", "risk"), ("risk", "outcome"),
})  # fmt: skip
"""The kinds of the ends that make a directed edge invalid. Source: docs/scoring.md."""
MIN_OPTIONS, MAX_OPTIONS = 2, 6
MAX_NODES = 50
CATEGORIES = (None, "controllable", "observable", "external")
_NOT_CHOSEN = ("observable", "external")
FORESEEN = FORBIDDEN | {
    ("factor", "factor"), ("factor", "outcome"), ("factor", "risk"), ("outcome", "goal"),
    ("risk", "goal"),
}  # fmt: skip
"""The kinds of the ends of causal edges in the format, and those that are violations; other pairs
give a warning."""


def violations(topology: Topology, problems: Mapping[str, str]) -> tuple[Finding, ...]:
    """Why the graph is invalid, one finding per violation, in the order of `codes.toml`;
    empty when it is valid.
    """
    findings = [
        Finding(code="INVALID_SCHEMA", message=f"{path} {fault}.", path=path)
        for path, fault in problems.items()
    ]
    findings += sizes(topology)
    nodes, edges = topology.graph.node_count, topology.graph.edge_count
    if nodes is not None and max(nodes, edges or 0) <= MAX_ENTRIES:
        for rule in _RULES_ABOUT_NODES + (() if edges is None else _RULES_ABOUT_EDGES):
            findings += rule(topology)
    order = list(VIOLATIONS)
    return tuple(sorted(findings, key=lambda entry: order.index(entry.code)))


def violation_codes(findings: Sequence[Finding]) -> tuple[str, ...]:
    """The codes of the findings in their order: `FORBIDDEN_EDGE` once per such edge, the others
    once.
    """
    codes: list[str] = []
    for violation in findings:
        if violation.code == "FORBIDDEN_EDGE" or violation.code not in codes:
            codes.append(violation.code)
    return tuple(codes)


def unique_ids(topology: Topology) -> Iterator[Finding]:
    """No two nodes share an id."""
    times = Counter(node.id for node in topology.graph.nodes)
    repeated = [name for name, count in times.items() if count > 1]
    yield from counting("DUPLICATE_NODE_ID", repeated)


def edge_references(topology: Topology) -> Iterator[Finding]:
    """Both ends of every edge, bidirected edges included, are ids of nodes."""
    ids = topology.kinds.keys()
    dangling = [edge for edge in topology.graph.edges if not {edge.source, edge.target} <= ids]
    if dangling:
        code = "INVALID_EDGE_REF"
        yield finding(code, sentence(code, len(dangling), arrows(dangling)), edges=dangling)


def one_of_each(topology: Topology) -> Iterator[Finding]:
    """There is exactly one goal, and exactly one decision."""
    for kind, code in (("goal", "MISSING_GOAL"), ("decision", "MISSING_DECISION")):
        ids = topology.ids_of(kind)
        if len(ids) != 1:
            number = f"{counted(len(ids), kind)}: {listed(ids)}" if ids else f"no {kind}"
            yield finding(code, f"The graph has {number}; exactly one is needed.", ids)


def number_of_options(topology: Topology) -> Iterator[Finding]:
    """There are at least `MIN_OPTIONS` and at most `MAX_OPTIONS` options."""
    ids = topology.ids_of("option")
    number = f"The graph has {counted(len(ids), 'option')}"
    if len(ids) < MIN_OPTIONS:
        message = f"{number}; at least {MIN_OPTIONS} are needed."
        yield finding("INSUFFICIENT_OPTIONS", message, ids)
    if len(ids) > MAX_OPTIONS:
        message = f"{number}; {MAX_OPTIONS} are allowed: {listed(ids)}."
        yield finding("TOO_MANY_OPTIONS", message, ids)


def bridge(topology: Topology) -> Iterator[Finding]:
    """There is at least one outcome or risk."""
    if not topology.of_kind(*BRIDGES):
        message = "The graph has no outcome and no risk between the factors and the goal."
        yield finding("MISSING_BRIDGE", message)


def sizes(topology: Topology) -> Iterator[Finding]:
    """The list of nodes has at most `MAX_NODES` entries, the list of edges at most `MAX_EDGES`."""
    graph = topology.graph
    for code, number, things, allowed in (
        ("NODE_LIMIT_EXCEEDED", graph.node_count, "nodes", MAX_NODES),
        ("EDGE_LIMIT_EXCEEDED", graph.edge_count, "edges", MAX_EDGES),
    ):
        if (number or 0) > allowed:
            yield finding(code, f"The graph has {number} {things}; {allowed} are allowed.")


def no_cycle(topology: Topology) -> Iterator[Finding]:
    """No walk along directed edges returns to its start."""
    cycle = topology.cycle()
    if not cycle:
        return
    following = dict(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
    along = [edge for edge in topology.directed if following.get(edge.source) == edge.target]
    nodes = [name for name in cycle if name in topology.kinds]
    message = f"The edges from {listed(cycle)} lead back to the first of these nodes."
    yield finding("CYCLE_DETECTED", message, nodes, along)


def no_forbidden_edge(topology: Topology) -> Iterator[Finding]:
    """No directed edge connects two kinds that must not be connected; one violation per edge."""
    for edge in topology.directed:
        kinds = topology.ends(edge)
        if kinds in FORBIDDEN:
            source, target = map(_with_article, kinds)
            message = f"{arrows([edge])} leads from {source} to {target}, which is not allowed."
            ends = dict.fromkeys((edge.source, edge.target))
            yield finding("FORBIDDEN_EDGE", message, ends, [edge])


def _with_article(kind: str | None) -> str:
    return f"an {kind}" if kind in ("option", "outcome") else f"a {kind}"


def controllable_factors_are_set(topology: Topology) -> Iterator[Finding]:
    """Every factor with the category controllable has a directed edge from an option."""
    factors = topology.of_kind("factor")
    controllable = [node.id for node in factors if node.category == "controllable"]
    unset = [name for name in controllable if name not in topology.set_by_option]
    yield from counting("CONTROLLABLE_NO_OPTION_EDGE", unset)


def outcomes_are_reachable(topology: Topology) -> Iterator[Finding]:
    """With one decision, every outcome and risk is reachable from an option through a controllable
    factor.
    """
    if len(topology.of_kind("decision")) != 1:
        return
    from_options = topology.reachable_from(topology.ids_of("option"))
    driven = topology.reachable_from(topology.controllable & from_options)
    missed = [name for name in topology.ids_of(*BRIDGES) if name not in driven]
    yield from counting("OUTCOME_UNREACHABLE", missed)


def options_reach_the_goal(topology: Topology) -> Iterator[Finding]:
    """From every option a directed walk leads through a controllable factor to the goal. Applied
    when there is one goal.
    """
    goals = topology.ids_of("goal")
    if len(goals) != 1:
        return
    to_goal = topology.leading_to(goals)
    effective = topology.leading_to(topology.controllable & to_goal)
    stuck = [name for name in topology.ids_of("option") if name not in effective]
    yield from counting("OPTION_NO_GOAL_PATH", stuck)


def no_orphans(topology: Topology) -> Iterator[Finding]:
    """Every node is reachable from the decision or can reach the goal. Applied when there is one of
    each.
    """
    goals = topology.ids_of("goal")
    decisions = topology.ids_of("decision")
    if len(goals) != 1 or len(decisions) != 1:
        return
    connected = topology.leading_to(goals) | topology.reachable_from(decisions)
    orphans = [name for name in topology.kinds if name not in connected]
    yield from counting("ORPHAN_NODE", orphans)


_RULES_ABOUT_NODES: tuple[StructuralRule, ...] = (
    unique_ids,
    one_of_each,
    number_of_options,
    bridge,
)
_RULES_ABOUT_EDGES: tuple[StructuralRule, ...] = (
    edge_references,
    no_cycle,
    no_forbidden_edge,
    controllable_factors_are_set,
    outcomes_are_reachable,
    options_reach_the_goal,
    no_orphans,
)


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
        if any(len(text) > MAX_TEXT for text in node.texts):
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
