"""What a response says about its repair turn: the verdict on the first answer, what both answers
cost, and what the repair changed.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from stages.contracts.graph import DraftGraph, Edge, Node, read
from stages.contracts.json_text import JsonValue
from stages.contracts.response import GraphChanges, Repair
from stages.generate.answers.draws import Draw
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.repair import SENTENCES_VERSION
from stages.generate.prices import Cost
from stages.structure.rules import violation_codes

Key = TypeVar("Key")


def repair_of(planned: PlannedCell, draws: Sequence[Draw], costs: Sequence[Cost]) -> Repair | None:
    """The record of the last draw, with the cost of each, if it is a repair; None for any other."""
    if planned.repair is None or not draws[-1].is_repair:
        return None
    first, repaired = draws[-2], draws[-1]
    violations = planned.repair.find_violations(first)
    changes: GraphChanges | None = None
    if first.status == repaired.status == "success":
        changes = changes_between(first.graph, repaired.graph)
    return Repair(
        first_status=first.status,
        first_violation_codes=violation_codes(violations),
        first_cost_usd=total_usd(costs[:-1]),
        first_latency_ms=first.answer.latency_ms,
        repair_cost_usd=total_usd(costs[-1:]),
        repair_latency_ms=repaired.answer.latency_ms,
        changes=changes,
        message=planned.repair.message(violations),
        sentences_version=SENTENCES_VERSION,
        first_usage=first.answer.content.usage,
    )


def total_usd(costs: Sequence[Cost]) -> float | None:
    """The sum of costs, US dollars; None when one is not known."""
    known_usd = [cost.usd for cost in costs if cost.usd is not None]
    return round(sum(known_usd), 12) if len(known_usd) == len(costs) else None


def changes_between(before: JsonValue, after: JsonValue) -> GraphChanges:
    """How many nodes and edges of a graph another one adds, removes and changes.

    >>> node = {"id": "a", "kind": "goal"}
    >>> changes_between({"nodes": [], "edges": []}, {"nodes": [node], "edges": []}).nodes_added
    1
    """
    earlier, later = read(before)[0], read(after)[0]
    nodes_before, nodes_after = _nodes_by_id(earlier), _nodes_by_id(later)
    edges_before, edges_after = _edges_by_ends(earlier), _edges_by_ends(later)
    return GraphChanges(
        nodes_added=len(nodes_after.keys() - nodes_before.keys()),
        nodes_removed=len(nodes_before.keys() - nodes_after.keys()),
        nodes_changed=_count_changed(nodes_before, nodes_after),
        edges_added=len(edges_after.keys() - edges_before.keys()),
        edges_removed=len(edges_before.keys() - edges_after.keys()),
        edges_changed=_count_changed(edges_before, edges_after),
    )


def _nodes_by_id(graph: DraftGraph) -> dict[str, Node]:
    return {node.id: node for node in graph.nodes}


def _edges_by_ends(graph: DraftGraph) -> dict[tuple[str, str], Edge]:
    edges = [edge.model_copy(update={"index": 0}) for edge in graph.edges]
    return {(edge.source, edge.target): edge for edge in edges}


def _count_changed(before: Mapping[Key, object], after: Mapping[Key, object]) -> int:
    shared = before.keys() & after.keys()
    return len([key for key in shared if before[key] != after[key]])
