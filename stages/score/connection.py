"""The rules about walks: what each node must be reachable from, and lead to.

A factor is controllable when its category says so or a directed edge from an option enters it. A walk may pass any node,
whatever its kind.
"""

from collections.abc import Iterator

from stages.contracts.scorecard import Finding
from stages.score.evidence import Witness, counted, listed
from stages.score.topology import BRIDGES, Topology, reach


def connection_violations(topology: Topology, witness: Witness) -> Iterator[Finding]:
    """What is not linked as it must be; a rule that needs the one goal or decision is silent where there is not one."""
    yield from _unset_factors(topology, witness)
    goals, decisions = topology.by_kind.get("goal", []), topology.by_kind.get("decision", [])
    if len(decisions) == 1:
        yield from _unreachable_outcomes(topology, witness)
    if len(goals) == 1:
        to_goal = reach([goals[0].id], topology.predecessors)
        yield from _options_without_path(topology, witness, to_goal)
        if len(decisions) == 1:
            yield from _orphans(topology, witness, decisions[0].id, goals[0].id, to_goal)


def _unset_factors(topology: Topology, witness: Witness) -> Iterator[Finding]:
    unset = [
        node.id
        for node in topology.by_kind.get("factor", ())
        if node.category == "controllable" and node.id not in topology.set_by_option
    ]
    if unset:
        factors = counted(len(unset), "factor is called controllable but is", "factors are called controllable but are")
        message = f"{factors} set by no option: {listed(unset)}."
        yield witness.finding("CONTROLLABLE_NO_OPTION_EDGE", message, nodes=unset)


def _unreachable_outcomes(topology: Topology, witness: Witness) -> Iterator[Finding]:
    effective = topology.set_by_option
    if effective != topology.controllable:  # factors by category alone count where an option leads to them
        options = [node.id for node in topology.by_kind.get("option", ())]
        effective = topology.controllable & reach(options, topology.successors)
    driven = reach(effective, topology.successors)
    missed = [node.id for kind in BRIDGES for node in topology.by_kind.get(kind, ()) if node.id not in driven]
    if missed:
        message = (
            f"{counted(len(missed), 'outcome or risk depends', 'outcomes or risks depend')} on nothing that an option "
            f"changes: {listed(missed)}."
        )
        yield witness.finding("OUTCOME_UNREACHABLE", message, nodes=missed)


def _options_without_path(topology: Topology, witness: Witness, to_goal: set[str]) -> Iterator[Finding]:
    effective = reach(topology.controllable & to_goal, topology.predecessors)
    stuck = [node.id for node in topology.by_kind.get("option", ()) if node.id not in effective]
    if stuck:
        message = (
            f"{counted(len(stuck), 'option has', 'options have')} no way to the goal through a factor: {listed(stuck)}."
        )
        yield witness.finding("OPTION_NO_GOAL_PATH", message, nodes=stuck)


def _orphans(topology: Topology, witness: Witness, decision: str, goal: str, to_goal: set[str]) -> Iterator[Finding]:
    aside = [name for name in topology.kinds if name not in to_goal and name not in (decision, goal)]
    if not aside:
        return
    from_decision = reach([decision], topology.successors)
    orphans = [name for name in aside if name not in from_decision]
    if orphans:
        message = f"{counted(len(orphans), 'node is', 'nodes are')} linked to nothing that matters: {listed(orphans)}."
        yield witness.finding("ORPHAN_NODE", message, nodes=orphans)
