"""The rules about walks: what each node must be reachable from, and lead to.

A factor is controllable when its category says so or a directed edge from an option enters it. A walk may pass any node,
whatever its kind. Where single steps already show that all is well linked, no walk is looked for.
"""

from stages.contracts.scorecard import Finding
from stages.score.evidence import Witness, counted, listed
from stages.score.topology import BRIDGES, Topology
from stages.score.walks import Neighbours, reach


def plainly_connected(topology: Topology) -> bool:
    """True when single steps show that no rule about walks is broken, given that there is no cycle; False proves nothing.

    Without a cycle every walk ends, and when every node but the goal leads on, it ends at the goal.
    """
    kinds, leading, chosen = topology.kinds, topology.leading, topology.set_by_option
    goals, by_kind = topology.by_kind["goal"], topology.by_kind
    if len(goals) != 1 or len(kinds) < len(topology.graph.nodes) or topology.dangling:
        return False
    if len(leading) != len(kinds) - 1 or goals[0].id in leading or topology.controllable is not chosen:
        return False
    for node in by_kind["option"]:
        if node.id not in topology.set_by:
            return False
    edges = topology.graph.edges
    driven: set[str] = set()
    for index in topology.effects:
        edge = edges[index]
        if edge.source in chosen:
            driven.add(edge.target)
    for kind in BRIDGES:
        for node in by_kind[kind]:
            if node.id not in driven:
                return False
    return True


def connection_violations(
    topology: Topology, witness: Witness, successors: Neighbours, predecessors: Neighbours
) -> list[Finding]:
    """What is not linked as it must be; a rule that needs the one goal or decision is silent where there is not one.

    `successors` and `predecessors` are the graph's `directed_links`.
    """
    found: list[Finding] = []
    if topology.controllable is not topology.set_by_option or len(topology.kinds) < len(topology.graph.nodes):
        found += _unset_factors(topology, witness)
    goals, decisions = topology.by_kind["goal"], topology.by_kind["decision"]
    if len(decisions) == 1:
        found += _unreachable_outcomes(topology, witness, successors)
    if len(goals) == 1:
        goal = goals[0].id
        to_goal = reach([goal], predecessors)
        found += _options_without_path(topology, witness, to_goal, predecessors)
        if len(decisions) == 1:
            found += _orphans(topology, witness, to_goal | reach([decisions[0].id], successors))
    return found


def _unset_factors(topology: Topology, witness: Witness) -> list[Finding]:
    unset = [
        node.id
        for node in topology.by_kind["factor"]
        if node.category == "controllable" and node.id not in topology.set_by_option
    ]
    if not unset:
        return []
    factors = counted(len(unset), "factor is called controllable but is", "factors are called controllable but are")
    message = f"{factors} set by no option: {listed(unset)}."
    return [witness.finding("CONTROLLABLE_NO_OPTION_EDGE", message, nodes=unset)]


def _unreachable_outcomes(topology: Topology, witness: Witness, successors: Neighbours) -> list[Finding]:
    from_options = reach([node.id for node in topology.by_kind["option"]], successors)
    driven = reach(topology.controllable & from_options, successors)
    missed = [node.id for kind in BRIDGES for node in topology.by_kind[kind] if node.id not in driven]
    if not missed:
        return []
    outcomes = counted(len(missed), "outcome or risk depends", "outcomes or risks depend")
    message = f"{outcomes} on nothing that an option changes: {listed(missed)}."
    return [witness.finding("OUTCOME_UNREACHABLE", message, nodes=missed)]


def _options_without_path(
    topology: Topology, witness: Witness, to_goal: set[str], predecessors: Neighbours
) -> list[Finding]:
    effective = reach(topology.controllable & to_goal, predecessors)
    stuck = [node.id for node in topology.by_kind["option"] if node.id not in effective]
    if not stuck:
        return []
    options = counted(len(stuck), "option has", "options have")
    message = f"{options} no way to the goal through a controllable factor: {listed(stuck)}."
    return [witness.finding("OPTION_NO_GOAL_PATH", message, nodes=stuck)]


def _orphans(topology: Topology, witness: Witness, linked: set[str]) -> list[Finding]:
    orphans = [name for name in topology.kinds if name not in linked]
    if not orphans:
        return []
    message = f"{counted(len(orphans), 'node is', 'nodes are')} linked to nothing that matters: {listed(orphans)}."
    return [witness.finding("ORPHAN_NODE", message, nodes=orphans)]
