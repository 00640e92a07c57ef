"""Structural faults that a simulated model puts into a draft, each named for the violation that it
causes.
"""

from stages.contracts.json_text import JsonObject, JsonValue
from stages.simulate.drafter import DraftedGraph, edge, node

FAULTS = (
    "INVALID_SCHEMA", "DUPLICATE_NODE_ID", "INVALID_EDGE_REF", "MISSING_GOAL", "MISSING_DECISION",
    "INSUFFICIENT_OPTIONS", "TOO_MANY_OPTIONS", "MISSING_BRIDGE", "NODE_LIMIT_EXCEEDED",
    "EDGE_LIMIT_EXCEEDED", "CYCLE_DETECTED", "FORBIDDEN_EDGE", "CONTROLLABLE_NO_OPTION_EDGE",
    "OUTCOME_UNREACHABLE", "OPTION_NO_GOAL_PATH", "ORPHAN_NODE",
)  # fmt: skip
"""The faults in the order in which answers choose among them: adding one changes other answers."""

_MISSING_VALUE: JsonValue = {"interventions": {"fac_1": None}}
_UNSET_LEVER = [
    node("fac_unset", "factor", "Follow-up", category="controllable"),
    node("out_unset", "outcome", "Settled at the first contact"),
]
_EFFECTS_OF_UNSET_LEVER = [
    edge("fac_unset", "out_unset", 0.5, 0.15, 0.8),
    edge("out_unset", "goal_1", 0.2, 0.1, 0.8),
]


def with_fault(graph: DraftedGraph, name: str) -> DraftedGraph:
    """The graph with a fault that has this violation code; other violations may come with it."""
    nodes = list(graph.nodes)
    edges = list(graph.edges)
    options = [str(entry["id"]) for entry in nodes if entry["kind"] == "option"]
    removed: list[str] = []
    match name:
        case "INVALID_SCHEMA":
            for place, entry in enumerate(nodes):
                if entry["kind"] == "option":
                    nodes[place] = entry | {"data": _MISSING_VALUE}
        case "DUPLICATE_NODE_ID":
            nodes.append(nodes[1])
        case "INVALID_EDGE_REF":
            edges.append(edge("fac_missing", "goal_1", 0.3, 0.1, 0.7))
        case "MISSING_GOAL":
            removed = ["goal_1"]
        case "MISSING_DECISION":
            removed = ["dec_1"]
        case "INSUFFICIENT_OPTIONS":
            removed = options[1:]
        case "MISSING_BRIDGE":
            removed = ["out_1", "risk_1", "out_unset"]
        case "TOO_MANY_OPTIONS" | "NODE_LIMIT_EXCEEDED" | "EDGE_LIMIT_EXCEEDED":
            for number in range(1, 51):
                option = f"opt_more_{number}"
                nodes.append(node(option, "option", f"Variant {option}"))
                edges += [edge("dec_1", option), edge(option, "fac_1")]
        case "CYCLE_DETECTED":
            edges.append(edge("out_1", "fac_1", 0.3, 0.15, 0.7))
            edges.append(edge("fac_1", "out_1", 0.3, 0.15, 0.7))
        case "FORBIDDEN_EDGE":
            edges.append(edge("opt_1", "goal_1", 0.4, 0.1, 0.8))
        case "CONTROLLABLE_NO_OPTION_EDGE" | "OUTCOME_UNREACHABLE":
            nodes += _UNSET_LEVER
            edges += _EFFECTS_OF_UNSET_LEVER
        case "OPTION_NO_GOAL_PATH":
            edges = [entry for entry in edges if entry["from"] not in options[-1:]]
        case "ORPHAN_NODE":
            nodes.append(node("fac_aside", "factor", "Weather", category="observable"))
    return _without_nodes(DraftedGraph(nodes, edges, graph.coaching), removed)


def _without_nodes(graph: DraftedGraph, removed: list[str]) -> DraftedGraph:
    nodes = [entry for entry in graph.nodes if entry["id"] not in removed]
    edges: list[JsonObject] = []
    for entry in graph.edges:
        if entry["from"] not in removed and entry["to"] not in removed:
            edges.append(entry)
    return DraftedGraph(nodes, edges, graph.coaching)
