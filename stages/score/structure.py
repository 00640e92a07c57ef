"""Structural validity: is the answer a decision graph at all? Every violation, in the specification's order."""

from collections import Counter

from stages.contracts.graph import GraphReading
from stages.contracts.scorecard import Finding
from stages.contracts.scoring_rules import Limits
from stages.score.connection import connection_violations, plainly_connected
from stages.score.counts import count_violations
from stages.score.evidence import Witness, counted, listed
from stages.score.topology import Topology, directed_links
from stages.score.walks import find_cycle

MAX_FINDINGS = 100
"""How many forbidden edges a scorecard explains; its codes count them all."""


def violations(reading: GraphReading, topology: Topology, witness: Witness, limits: Limits) -> list[Finding]:
    """Why the graph is invalid, one finding per violation, in the order of the codes; empty when it is valid.

    Where the answer has no list of nodes or no list of edges, only the rules that need neither of it are looked at; where it
    is too large, only how many there are.
    """
    node_count, edge_count = reading.node_count, reading.edge_count
    found = _schema(reading) if reading.problems else []
    if node_count is not None and not reading.too_large:
        if len(topology.kinds) < len(topology.graph.nodes):
            found.append(_repeated_ids(topology, witness))
        if edge_count is not None and topology.dangling:
            found.append(_dangling_edges(topology, witness))
        found += count_violations(topology, witness, limits)
    if node_count is not None and node_count > limits.max_nodes:
        message = f"There are {node_count} nodes; {limits.max_nodes} are allowed."
        found.append(witness.finding("NODE_LIMIT_EXCEEDED", message))
    if edge_count is not None and edge_count > limits.max_edges:
        message = f"There are {edge_count} edges; {limits.max_edges} are allowed."
        found.append(witness.finding("EDGE_LIMIT_EXCEEDED", message))
    if node_count is not None and edge_count is not None and not reading.too_large:
        found += _edge_violations(topology, witness)
    return found


def _edge_violations(topology: Topology, witness: Witness) -> list[Finding]:
    """The violations of the rules about where edges lead."""
    connected = plainly_connected(topology)
    if connected and topology.layered:
        return []
    successors, predecessors = directed_links(topology.graph)
    cycle = [] if topology.layered else find_cycle(successors, predecessors)
    found = [_cycle(topology, witness, cycle)] if cycle else []
    found += [_forbidden_edge(topology, witness, index) for index in topology.forbidden[:MAX_FINDINGS]]
    if cycle or not connected:
        found += connection_violations(topology, witness, successors, predecessors)
    return found


def _schema(reading: GraphReading) -> list[Finding]:
    found = [
        Finding(code="INVALID_SCHEMA", message=f"{problem.path} {problem.message}.", path=problem.path)
        for problem in reading.problems
    ]
    more = reading.problem_count - len(found)
    if more:
        found.append(Finding(code="INVALID_SCHEMA", message=f"And {more} more places.", path="$"))
    return found


def _repeated_ids(topology: Topology, witness: Witness) -> Finding:
    counts = Counter(node.id for node in topology.graph.nodes)
    repeated = [name for name, count in counts.items() if count > 1]
    message = f"{counted(len(repeated), 'id stands', 'ids stand')} for more than one node: {listed(repeated)}."
    return witness.finding("DUPLICATE_NODE_ID", message, nodes=repeated)


def _dangling_edges(topology: Topology, witness: Witness) -> Finding:
    dangling = topology.dangling
    edges = counted(len(dangling), "edge names", "edges name")
    message = f"{edges} a node that is not in the graph: {witness.arrows(dangling)}."
    return witness.finding("INVALID_EDGE_REF", message, edges=dangling)


def _cycle(topology: Topology, witness: Witness, cycle: list[str]) -> Finding:
    following = dict(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
    along = [
        index
        for index, edge in enumerate(topology.graph.edges)
        if following.get(edge.source) == edge.target and not edge.bidirected
    ]
    message = f"Following the edges from {listed(cycle)} leads back to where it began."
    nodes = (name for name in cycle if name in topology.kinds)
    return witness.finding("CYCLE_DETECTED", message, nodes=nodes, edges=along)


def _forbidden_edge(topology: Topology, witness: Witness, index: int) -> Finding:
    edge = topology.graph.edges[index]
    source, target = topology.kinds[edge.source], topology.kinds[edge.target]
    message = f"{witness.arrows([index])} leads from {_a(source)} to {_a(target)}, which is not allowed."
    return witness.finding("FORBIDDEN_EDGE", message, nodes=dict.fromkeys((edge.source, edge.target)), edges=[index])


def violation_codes(findings: list[Finding], topology: Topology) -> tuple[str, ...]:
    """The codes of the findings: `FORBIDDEN_EDGE` once per such edge, however many findings are kept, the others once."""
    codes: list[str] = []
    for code in dict.fromkeys(finding.code for finding in findings):
        codes += [code] * (len(topology.forbidden) if code == "FORBIDDEN_EDGE" else 1)
    return tuple(codes)


def _a(kind: str) -> str:
    return f"an {kind}" if kind in ("option", "outcome") else f"a {kind}"
