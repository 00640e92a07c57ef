"""Structural validity: is the answer a decision graph at all? Every violation, in the specification's order."""

from collections.abc import Iterator

from stages.contracts.graph import GraphReading, Node
from stages.contracts.scorecard import Finding
from stages.contracts.scoring_rules import Limits
from stages.score.connection import connection_violations
from stages.score.evidence import Witness, counted, listed
from stages.score.topology import BRIDGES, Role, Topology, find_cycle

MAX_FINDINGS = 100
"""How many forbidden edges a scorecard explains; its codes count them all."""


def violations(reading: GraphReading, topology: Topology, limits: Limits) -> list[Finding]:
    """Why the graph is invalid, one finding per violation, in the order of the codes; empty when it is valid.

    Where the answer has no list of nodes or no list of edges, only the rules that need neither of it are looked at.
    """
    witness = Witness(reading.graph, reading.edge_places)
    found = [
        Finding(code="INVALID_SCHEMA", message=f"{problem.path} {problem.message}.", path=problem.path)
        for problem in reading.problems
    ]
    has_nodes, has_edges = reading.node_count is not None, reading.edge_count is not None
    if has_nodes:
        found += _repeated_ids(topology, witness)
    if has_nodes and has_edges:
        found += _dangling_edges(topology, witness)
    if has_nodes:
        found += _node_counts(topology, witness, limits, reading.node_count or 0)
    if has_edges and (reading.edge_count or 0) > limits.max_edges:
        message = f"There are {reading.edge_count} edges; {limits.max_edges} are allowed."
        found.append(witness.finding("EDGE_LIMIT_EXCEEDED", message))
    if has_nodes and has_edges:
        found += _cycle(topology, witness)
        found += _forbidden_edges(topology, witness)
        found += connection_violations(topology, witness)
    return found


def _repeated_ids(topology: Topology, witness: Witness) -> Iterator[Finding]:
    nodes = topology.graph.nodes
    if len(topology.kinds) == len(nodes):
        return
    counts: dict[str, int] = {}
    for node in nodes:
        counts[node.id] = counts.get(node.id, 0) + 1
    repeated = [name for name, count in counts.items() if count > 1]
    message = f"{counted(len(repeated), 'id stands', 'ids stand')} for more than one node: {listed(repeated)}."
    yield witness.finding("DUPLICATE_NODE_ID", message, nodes=repeated)


def _dangling_edges(topology: Topology, witness: Witness) -> Iterator[Finding]:
    dangling = topology.dangling
    if dangling:
        edges = counted(len(dangling), "edge names", "edges name")
        message = f"{edges} a node that is not in the graph: {witness.arrows(dangling)}."
        yield witness.finding("INVALID_EDGE_REF", message, edges=dangling)


def _node_counts(topology: Topology, witness: Witness, limits: Limits, node_count: int) -> Iterator[Finding]:
    for kind in ("goal", "decision"):
        nodes = topology.by_kind.get(kind, [])
        if len(nodes) != 1:
            found = f"there are {len(nodes)}: {_named(nodes)}" if nodes else "there is none"
            message = f"There must be exactly one {kind}; {found}."
            yield witness.finding(f"MISSING_{kind.upper()}", message, nodes=(node.id for node in nodes))
    options = topology.by_kind.get("option", [])
    ids = [node.id for node in options]
    if len(options) < limits.min_options:
        message = f"There {_are(len(options), 'option')}; at least {limits.min_options} are needed."
        yield witness.finding("INSUFFICIENT_OPTIONS", message, nodes=ids)
    if len(options) > limits.max_options:
        message = f"There {_are(len(options), 'option')}; {limits.max_options} are allowed: {_named(options)}."
        yield witness.finding("TOO_MANY_OPTIONS", message, nodes=ids)
    if not any(topology.by_kind.get(kind) for kind in BRIDGES):
        message = "There is no outcome and no risk, so nothing connects what can be done with the goal."
        yield witness.finding("MISSING_BRIDGE", message)
    if node_count > limits.max_nodes:
        message = f"There are {node_count} nodes; {limits.max_nodes} are allowed."
        yield witness.finding("NODE_LIMIT_EXCEEDED", message)


def _cycle(topology: Topology, witness: Witness) -> Iterator[Finding]:
    cycle = find_cycle(topology.successors, topology.predecessors)
    if not cycle:
        return
    following = dict(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
    along = [
        index
        for indices in topology.by_role.values()
        for index in indices
        if following.get(topology.graph.edges[index].source) == topology.graph.edges[index].target
    ]
    message = f"Following the edges from {listed(cycle)} leads back to where it began."
    nodes = (name for name in cycle if name in topology.kinds)
    yield witness.finding("CYCLE_DETECTED", message, nodes=nodes, edges=sorted(along))


def _forbidden_edges(topology: Topology, witness: Witness) -> Iterator[Finding]:
    forbidden = topology.by_role[Role.FORBIDDEN]
    for index in forbidden[:MAX_FINDINGS]:
        edge = topology.graph.edges[index]
        source, target = topology.kinds[edge.source], topology.kinds[edge.target]
        message = f"{witness.arrows([index])} leads from {_a(source)} to {_a(target)}, which is not allowed."
        yield witness.finding("FORBIDDEN_EDGE", message, nodes=dict.fromkeys((edge.source, edge.target)), edges=[index])


def violation_codes(findings: list[Finding], topology: Topology) -> tuple[str, ...]:
    """The codes of the findings: `FORBIDDEN_EDGE` once per such edge, however many findings are kept, the others once."""
    codes: list[str] = []
    for code in dict.fromkeys(finding.code for finding in findings):
        codes += [code] * (len(topology.by_role[Role.FORBIDDEN]) if code == "FORBIDDEN_EDGE" else 1)
    return tuple(codes)


def _a(kind: str) -> str:
    return f"an {kind}" if kind in ("option", "outcome") else f"a {kind}"


def _are(number: int, noun: str) -> str:
    return f"{'is' if number == 1 else 'are'} {counted(number, noun)}"


def _named(nodes: list[Node]) -> str:
    return listed([node.id for node in nodes])
