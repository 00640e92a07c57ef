"""The rules about walks: what each node must be reachable from, and lead to.

A factor is controllable when its category says so or a directed edge from an option enters it. A walk may pass any node,
whatever its kind. Where one step already shows that a node is well linked, no walk is looked for.
"""

from stages.contracts.scorecard import Finding
from stages.score.evidence import Witness, counted, listed
from stages.score.topology import BRIDGES, Topology
from stages.score.walks import reach


def connection_violations(topology: Topology, witness: Witness) -> list[Finding]:
    """What is not linked as it must be; a rule that needs the one goal or decision is silent where there is not one."""
    found: list[Finding] = []
    if topology.controllable is not topology.set_by_option or len(topology.kinds) < len(topology.graph.nodes):
        found += _unset_factors(topology, witness)
    goals, decisions = topology.by_kind.get("goal", ()), topology.by_kind.get("decision", ())
    if len(decisions) == 1:
        found += _unreachable_outcomes(topology, witness)
    if len(goals) == 1:
        goal = goals[0].id
        to_goal = reach([goal], topology.predecessors)
        found += _options_without_path(topology, witness, to_goal)
        if len(decisions) == 1 and not topology.kinds.keys() <= to_goal:
            found += _orphans(topology, witness, decisions[0].id, goal, to_goal)
    return found


def _unset_factors(topology: Topology, witness: Witness) -> list[Finding]:
    unset = [
        node.id
        for node in topology.by_kind.get("factor", ())
        if node.category == "controllable" and node.id not in topology.set_by_option
    ]
    if not unset:
        return []
    factors = counted(len(unset), "factor is called controllable but is", "factors are called controllable but are")
    message = f"{factors} set by no option: {listed(unset)}."
    return [witness.finding("CONTROLLABLE_NO_OPTION_EDGE", message, nodes=unset)]


def _unreachable_outcomes(topology: Topology, witness: Witness) -> list[Finding]:
    chosen, sources = topology.set_by_option, topology.predecessors
    doubtful: list[str] = []
    for kind in BRIDGES:
        for node in topology.by_kind.get(kind, ()):
            if chosen.isdisjoint(sources.get(node.id, ())):
                doubtful.append(node.id)
    if not doubtful:
        return []
    from_options = reach([node.id for node in topology.by_kind.get("option", ())], topology.successors)
    driven = reach(topology.controllable & from_options, topology.successors)
    missed = [name for name in doubtful if name not in driven]
    if not missed:
        return []
    outcomes = counted(len(missed), "outcome or risk depends", "outcomes or risks depend")
    message = f"{outcomes} on nothing that an option changes: {listed(missed)}."
    return [witness.finding("OUTCOME_UNREACHABLE", message, nodes=missed)]


def _options_without_path(topology: Topology, witness: Witness, to_goal: set[str]) -> list[Finding]:
    useful = topology.controllable & to_goal
    followers = topology.successors
    doubtful: list[str] = []
    for node in topology.by_kind.get("option", ()):
        if useful.isdisjoint(followers.get(node.id, ())):
            doubtful.append(node.id)
    if not doubtful:
        return []
    effective = reach(useful, topology.predecessors)
    stuck = [name for name in doubtful if name not in effective]
    if not stuck:
        return []
    options = counted(len(stuck), "option has", "options have")
    message = f"{options} no way to the goal through a controllable factor: {listed(stuck)}."
    return [witness.finding("OPTION_NO_GOAL_PATH", message, nodes=stuck)]


def _orphans(topology: Topology, witness: Witness, decision: str, goal: str, to_goal: set[str]) -> list[Finding]:
    aside = [name for name in topology.kinds if name not in to_goal and name not in (decision, goal)]
    if not aside:
        return []
    from_decision = reach([decision], topology.successors)
    orphans = [name for name in aside if name not in from_decision]
    if not orphans:
        return []
    message = f"{counted(len(orphans), 'node is', 'nodes are')} linked to nothing that matters: {listed(orphans)}."
    return [witness.finding("ORPHAN_NODE", message, nodes=orphans)]
