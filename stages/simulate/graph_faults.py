"""Structural faults that a simulated model puts into a draft, each named for the violation that it
causes.
"""

import tomllib
from importlib.resources import files

from stages.simulate.draft_json import DraftJson, edge, node, nodes_of
from stages.simulate.variation import remove_nodes

FAULTS = (
    "INVALID_SCHEMA", "DUPLICATE_NODE_ID", "INVALID_EDGE_REF", "MISSING_GOAL", "MISSING_DECISION",
    "INSUFFICIENT_OPTIONS", "TOO_MANY_OPTIONS", "MISSING_BRIDGE", "NODE_LIMIT_EXCEEDED",
    "EDGE_LIMIT_EXCEEDED", "CYCLE_DETECTED", "FORBIDDEN_EDGE", "CONTROLLABLE_NO_OPTION_EDGE",
    "OUTCOME_UNREACHABLE", "OPTION_NO_GOAL_PATH", "ORPHAN_NODE",
)  # fmt: skip
"""The faults in the order in which answers choose among them: adding one changes other answers."""


_TEXT = files("stages.simulate").joinpath("faults.toml").read_text("utf-8")
_CHANGES: dict[str, DraftJson] = tomllib.loads(_TEXT)
"""The faults that are the same nodes and edges in every draft."""


def add_fault(graph: DraftJson, code: str) -> None:
    """Put the fault with this violation code into a draft from prose; other violations may come
    with it.
    """
    changes = _CHANGES.get(code, {})
    graph["nodes"] += [node(**fields) for fields in changes.get("nodes", ())]
    graph["edges"] += [edge(*values) for values in changes.get("edges", ())]
    removed: list[str] = changes.get("removes", [])
    options = [entry["id"] for entry in nodes_of(graph, "option")]
    match code:
        case "INVALID_SCHEMA":
            for option in nodes_of(graph, "option"):
                option["data"] = {"interventions": {"fac_1": None}}
        case "DUPLICATE_NODE_ID":
            graph["nodes"].append(graph["nodes"][1])
        case "INSUFFICIENT_OPTIONS":
            removed = options[1:]
        case "MISSING_BRIDGE":
            removed = [entry["id"] for entry in nodes_of(graph, "outcome", "risk")]
        case "TOO_MANY_OPTIONS" | "NODE_LIMIT_EXCEEDED" | "EDGE_LIMIT_EXCEEDED":
            for number in range(1, 51):
                name = f"opt_more_{number}"
                graph["nodes"].append(node(name, "option", f"Variant {number}"))
                graph["edges"] += [edge("dec_1", name), edge(name, "fac_1")]
        case "OPTION_NO_GOAL_PATH":
            graph["edges"] = [link for link in graph["edges"] if link["from"] not in options[-1:]]
    remove_nodes(graph, removed)
