"""Small draft graphs."""

from typing import Any

from stages.contracts.graph import DraftGraph, read
from stages.contracts.json_text import JsonValue

DRAFT: JsonValue = {
    "nodes": [
        {"id": "d", "kind": "decision", "label": "Which?"},
        {"id": "o", "kind": "option", "label": "Stay", "data": {"interventions": {"f": 1.0}}},
        {"id": "f", "kind": "factor", "label": "Price", "category": "controllable"},
        {
            "id": "g",
            "kind": "goal",
            "label": "Profit",
            "goal_threshold_raw": 20,
            "goal_threshold_unit": "%",
        },
    ],
    "edges": [
        {"from": "d", "to": "o"},
        {
            "from": "f",
            "to": "g",
            "strength": {"mean": 0.4, "std": 0.125},
            "exists_probability": 0.9,
        },
        {"from": "f", "to": "nowhere", "edge_type": "bidirected"},
    ],
}
"""A whole graph as a model returns it, with an edge to a node that it lacks."""


def node(key: str, kind: str = "factor", **fields: Any) -> dict[str, Any]:
    """A node whose label is its id in capitals, unless fields say otherwise."""
    return {"id": key, "kind": kind, "label": key.upper()} | fields


def edge(source: str, target: str, mean: float = 0.5, **fields: Any) -> dict[str, Any]:
    """A causal edge."""
    given = {
        "from": source,
        "to": target,
        "strength": {"mean": mean, "std": 0.1},
        "exists_probability": 0.9,
    }
    return given | fields


def graph(nodes: list[Any], edges: list[Any] | None = None) -> DraftGraph:
    """A graph of these nodes and edges."""
    return read({"nodes": nodes, "edges": edges or []})[0]


CHAIN = [
    node("d", "decision"),
    node("o", "option"),
    node("f"),
    node("r", "risk"),
    node("g", "goal"),
]
LINKS = [edge("d", "o", 1.0), edge("o", "f", 1.0), edge("f", "r", -0.25), edge("r", "g", 0.75)]
