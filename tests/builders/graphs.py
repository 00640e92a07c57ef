"""Small draft graphs."""

from typing import Any

from hypothesis import strategies as st

from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.json_text import JsonValue

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


def node(key, kind="factor", **fields) -> dict[str, Any]:
    """A node whose label is its id in capitals, unless fields say otherwise."""
    return {"id": key, "kind": kind, "label": key.upper()} | fields


def edge(source, target, mean=0.5, std=0.1, probability=0.9, **fields) -> dict[str, Any]:
    """An edge with its parameters."""
    given = {
        "from": source,
        "to": target,
        "strength": {"mean": mean, "std": std},
        "exists_probability": probability,
    }
    return given | fields


def graph(nodes, edges=None) -> DraftGraph:
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

VALUES: Any = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=2)
    | st.just([])
    | st.just({})
)
NODES = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from("ab") | VALUES, "kind": st.sampled_from(["option", "goal", "factor"]) | VALUES, "label": VALUES,
        "category": VALUES, "goal_threshold": VALUES, "goal_threshold_raw": VALUES,
        "goal_threshold_unit": VALUES, "goal_threshold_cap": VALUES,
        "data": VALUES | st.fixed_dictionaries({"interventions": VALUES | st.dictionaries(st.text(max_size=2), VALUES, max_size=2)}, optional={
            "raw_value": VALUES, "value": VALUES, "unit": VALUES, "cap": VALUES, "extractionType": st.just("explicit") | VALUES}),
    },
)  # fmt: skip
EDGES = st.fixed_dictionaries(
    {},
    optional={
        "from": st.sampled_from("ab") | VALUES, "to": st.sampled_from("ab") | VALUES, "edge_type": VALUES, "exists_probability": VALUES,
        "strength": VALUES | st.fixed_dictionaries({}, optional={"mean": VALUES, "std": VALUES}), "effect_direction": VALUES,
    },
)  # fmt: skip
ANSWERS = st.fixed_dictionaries(
    {"nodes": st.lists(NODES | VALUES, max_size=3), "edges": st.lists(EDGES | VALUES, max_size=3)}
)
"""Answers of any shape, most of them faulty."""
