"""Structural faults that a simulated model puts into a draft, each named for the violation that it
causes.
"""

from stages.simulate.draft_json import DraftJson, edge, node, nodes_of
from stages.simulate.variation import remove_nodes

FAULTS = (
    "INVALID_SCHEMA", "DUPLICATE_NODE_ID", "INVALID_EDGE_REF", "MISSING_GOAL", "MISSING_DECISION",
    "INSUFFICIENT_OPTIONS", "TOO_MANY_OPTIONS", "MISSING_BRIDGE", "NODE_LIMIT_EXCEEDED",
    "EDGE_LIMIT_EXCEEDED", "CYCLE_DETECTED", "FORBIDDEN_EDGE", "CONTROLLABLE_NO_OPTION_EDGE",
    "OUTCOME_UNREACHABLE", "OPTION_NO_GOAL_PATH", "ORPHAN_NODE",
)  # fmt: skip
"""The faults in the order in which answers choose among them: adding one changes other answers."""


def add_fault(graph: DraftJson, code: str) -> None:
    """Put the fault with this violation code into a draft from prose; other violations may come
    with it.
    """
    nodes: list[DraftJson] = graph["nodes"]
    edges: list[DraftJson] = graph["edges"]
    options = [entry["id"] for entry in nodes_of(graph, "option")]
    match code:
        case "INVALID_SCHEMA":
            for option in nodes_of(graph, "option"):
                option["data"] = {"interventions": {"fac_1": None}}
        case "DUPLICATE_NODE_ID":
            nodes.append(nodes[1])
        case "INVALID_EDGE_REF":
            edges.append(edge("fac_missing", "goal_1", 0.3, 0.1, 0.7))
        case "MISSING_GOAL":
            remove_nodes(graph, ["goal_1"])
        case "MISSING_DECISION":
            remove_nodes(graph, ["dec_1"])
        case "INSUFFICIENT_OPTIONS":
            remove_nodes(graph, options[1:])
        case "MISSING_BRIDGE":
            remove_nodes(graph, [entry["id"] for entry in nodes_of(graph, "outcome", "risk")])
        case "TOO_MANY_OPTIONS" | "NODE_LIMIT_EXCEEDED" | "EDGE_LIMIT_EXCEEDED":
            for number in range(1, 51):
                name = f"opt_more_{number}"
                nodes.append(node(name, "option", f"Variant {number}"))
                edges += [edge("dec_1", name), edge(name, "fac_1")]
        case "CYCLE_DETECTED":
            edges += [
                edge("out_1", "fac_1", 0.3, 0.15, 0.7),
                edge("fac_1", "out_1", 0.3, 0.15, 0.7),
            ]
        case "FORBIDDEN_EDGE":
            edges.append(edge("opt_1", "goal_1", 0.4, 0.1, 0.8))
        case "CONTROLLABLE_NO_OPTION_EDGE" | "OUTCOME_UNREACHABLE":
            nodes.append(node("fac_unset", "factor", "Follow-up", category="controllable"))
            nodes.append(node("out_unset", "outcome", "Settled at the first contact"))
            edges.append(edge("fac_unset", "out_unset", 0.5, 0.15, 0.8))
            edges.append(edge("out_unset", "goal_1", 0.2, 0.1, 0.8))
        case "OPTION_NO_GOAL_PATH":
            graph["edges"] = [entry for entry in edges if entry["from"] not in options[-1:]]
        case "ORPHAN_NODE":
            nodes.append(node("fac_aside", "factor", "Weather", category="observable"))
