"""Structural validity: the rules that every decision graph must keep. Source: docs/scoring.md.

Each rule is one function whose docstring is the rule; it yields a finding for each violation. A rule about edges is not
applied where the answer has no list of nodes or of edges.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from stages.contracts.codes import VIOLATIONS
from stages.contracts.graph import MAX_ENTRIES, SchemaProblem
from stages.contracts.params import Limits
from stages.contracts.scorecard import Finding
from stages.score.evidence import arrows, edge_finding, finding, listed, node_finding
from stages.score.topology import BRIDGES, Topology
from stages.shell.numbers import counted

Rule = Callable[[Topology, Limits], Iterator[Finding]]

_ORDER = {code: position for position, code in enumerate(VIOLATIONS)}


def violations(
    topology: Topology, problems: Sequence[SchemaProblem], limits: Limits
) -> tuple[Finding, ...]:
    """Why the graph is invalid, one finding per violation, in the order of `contracts.codes`; empty when it is valid."""
    graph = topology.graph
    found = [
        Finding(
            code="INVALID_SCHEMA", message=f"{problem.path} {problem.message}.", path=problem.path
        )
        for problem in problems
    ]
    rules: list[Rule] = [sizes]
    if (
        max(graph.node_count or 0, graph.edge_count or 0) <= MAX_ENTRIES
        and graph.node_count is not None
    ):
        rules += _ABOUT_NODES
        if graph.edge_count is not None:
            rules += _ABOUT_EDGES
    for rule in rules:
        found += rule(topology, limits)
    return tuple(sorted(found, key=lambda each: _ORDER[each.code]))


def violation_codes(findings: Sequence[Finding]) -> tuple[str, ...]:
    """The codes of the findings in their order: `FORBIDDEN_EDGE` once per such edge, the others once."""
    codes = [each.code for each in findings]
    return tuple(
        code
        for place, code in enumerate(codes)
        if code == "FORBIDDEN_EDGE" or code not in codes[:place]
    )


def unique_ids(topology: Topology, _: Limits) -> Iterator[Finding]:
    """No two nodes share an id."""
    repeated = [
        name
        for name, count in Counter(node.id for node in topology.graph.nodes).items()
        if count > 1
    ]
    yield from node_finding(
        "DUPLICATE_NODE_ID", repeated, "id is", "ids are", "used by more than one node"
    )


def edge_references(topology: Topology, _: Limits) -> Iterator[Finding]:
    """Both ends of every edge, bidirected edges included, are ids of nodes."""
    rest = "a node that is not in the graph"
    yield from edge_finding("INVALID_EDGE_REF", topology.dangling, "edge names", "edges name", rest)


def one_of_each(topology: Topology, _: Limits) -> Iterator[Finding]:
    """There is exactly one goal, and exactly one decision."""
    for kind, code in (("goal", "MISSING_GOAL"), ("decision", "MISSING_DECISION")):
        ids = [node.id for node in topology.of_kind(kind)]
        if len(ids) != 1:
            found = f"there are {len(ids)}: {listed(ids)}" if ids else "there is none"
            yield finding(code, f"There must be exactly one {kind}; {found}.", nodes=ids)


def number_of_options(topology: Topology, limits: Limits) -> Iterator[Finding]:
    """There are at least `min_options` and at most `max_options` options."""
    ids = [node.id for node in topology.of_kind("option")]
    there_are = f"There {'is' if len(ids) == 1 else 'are'} {counted(len(ids), 'option')}"
    if len(ids) < limits.min_options:
        yield finding(
            "INSUFFICIENT_OPTIONS",
            f"{there_are}; at least {limits.min_options} are needed.",
            nodes=ids,
        )
    if len(ids) > limits.max_options:
        message = f"{there_are}; {limits.max_options} are allowed: {listed(ids)}."
        yield finding("TOO_MANY_OPTIONS", message, nodes=ids)


def bridge(topology: Topology, _: Limits) -> Iterator[Finding]:
    """There is at least one outcome or risk."""
    if not topology.of_kind(*BRIDGES):
        yield finding(
            "MISSING_BRIDGE",
            "There is no outcome and no risk, so nothing connects the factors with the goal.",
        )


def sizes(topology: Topology, limits: Limits) -> Iterator[Finding]:
    """The list of nodes has at most `max_nodes` entries, the list of edges at most `max_edges`."""
    nodes, edges = topology.graph.node_count or 0, topology.graph.edge_count or 0
    if nodes > limits.max_nodes:
        yield finding(
            "NODE_LIMIT_EXCEEDED", f"There are {nodes} nodes; {limits.max_nodes} are allowed."
        )
    if edges > limits.max_edges:
        yield finding(
            "EDGE_LIMIT_EXCEEDED", f"There are {edges} edges; {limits.max_edges} are allowed."
        )


def no_cycle(topology: Topology, _: Limits) -> Iterator[Finding]:
    """No walk along directed edges returns to its start."""
    cycle = topology.cycle()
    if cycle:
        following = dict(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        directed = (edge for edge in topology.graph.edges if not edge.bidirected)
        along = (edge for edge in directed if following.get(edge.source) == edge.target)
        message = f"The edges from {listed(cycle)} lead back to the first of these nodes."
        nodes = (name for name in cycle if name in topology.kinds)
        yield finding("CYCLE_DETECTED", message, nodes=nodes, edges=along)


def no_forbidden_edge(topology: Topology, _: Limits) -> Iterator[Finding]:
    """No directed edge connects two kinds that must not be connected; one violation per edge."""
    for edge in topology.forbidden:
        source, target = topology.kinds[edge.source], topology.kinds[edge.target]
        message = f"{arrows([edge])} leads from {_a(source)} to {_a(target)}, which is not allowed."
        yield finding(
            "FORBIDDEN_EDGE", message, nodes=dict.fromkeys((edge.source, edge.target)), edges=[edge]
        )


def _a(kind: str) -> str:
    return f"an {kind}" if kind in ("option", "outcome") else f"a {kind}"


def controllable_factors_are_set(topology: Topology, _: Limits) -> Iterator[Finding]:
    """Every factor with the category controllable has a directed edge from an option."""
    called = [node.id for node in topology.of_kind("factor") if node.category == "controllable"]
    unset = [name for name in called if name not in topology.set_by_option]
    one, many = "factor is called controllable but is", "factors are called controllable but are"
    yield from node_finding("CONTROLLABLE_NO_OPTION_EDGE", unset, one, many, "set by no option")


def outcomes_are_reachable(topology: Topology, _: Limits) -> Iterator[Finding]:
    """With one decision, every outcome and risk is reachable from an option through a controllable factor."""
    if len(topology.of_kind("decision")) != 1:
        return
    from_options = topology.reachable_from(node.id for node in topology.of_kind("option"))
    driven = topology.reachable_from(topology.controllable & from_options)
    missed = [node.id for node in topology.of_kind(*BRIDGES) if node.id not in driven]
    one, many = "outcome or risk depends", "outcomes or risks depend"
    yield from node_finding(
        "OUTCOME_UNREACHABLE", missed, one, many, "on nothing that an option changes"
    )


def options_reach_the_goal(topology: Topology, _: Limits) -> Iterator[Finding]:
    """From every option a directed walk leads through a controllable factor to the goal. Applied when there is one goal."""
    goals = topology.of_kind("goal")
    if len(goals) != 1:
        return
    to_goal = topology.leading_to([goals[0].id])
    effective = topology.leading_to(topology.controllable & to_goal)
    stuck = [node.id for node in topology.of_kind("option") if node.id not in effective]
    rest = "no path to the goal through a controllable factor"
    yield from node_finding("OPTION_NO_GOAL_PATH", stuck, "option has", "options have", rest)


def no_orphans(topology: Topology, _: Limits) -> Iterator[Finding]:
    """Every node is reachable from the decision or can reach the goal. Applied when there is one of each."""
    goals, decisions = topology.of_kind("goal"), topology.of_kind("decision")
    if len(goals) != 1 or len(decisions) != 1:
        return
    connected = topology.leading_to([goals[0].id]) | topology.reachable_from([decisions[0].id])
    orphans = [name for name in topology.kinds if name not in connected]
    rest = "connected neither from the decision nor to the goal"
    yield from node_finding("ORPHAN_NODE", orphans, "node is", "nodes are", rest)


_ABOUT_NODES: tuple[Rule, ...] = (unique_ids, one_of_each, number_of_options, bridge)
_ABOUT_EDGES: tuple[Rule, ...] = (
    edge_references, no_cycle, no_forbidden_edge, controllable_factors_are_set, outcomes_are_reachable,
    options_reach_the_goal, no_orphans,
)  # fmt: skip
