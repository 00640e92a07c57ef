"""A decision graph as a model drafted it: nodes, edges, coaching. Valid or not: cycles, dangling edges, repeated ids and all.

`read_graph` takes any JSON value. What follows the draft-graph format becomes records in one step; anything else is read
as far as it can be, beside a list of the places where it is not as it should be.
"""

import math

import msgspec

from stages.contracts.draft_graph import (
    BIDIRECTED,
    Coaching,
    DraftGraph,
    Edge,
    GraphReading,
    Node,
    NodeData,
    SchemaProblem,
    Strength,
)
from stages.contracts.graph_leniency import lenient_reading
from stages.contracts.json_text import JsonValue

__all__ = [
    "BIDIRECTED",
    "Coaching",
    "DraftGraph",
    "Edge",
    "GraphReading",
    "Node",
    "NodeData",
    "SchemaProblem",
    "Strength",
    "read_graph",
]


def read_graph(value: JsonValue) -> GraphReading:
    """The graph in an answer, as far as it can be read, and where it is not in the format. Never raises.

    >>> read_graph({"nodes": [{"id": "g", "kind": "goal"}], "edges": []}).graph.nodes[0].kind
    'goal'
    >>> read_graph([1]).problems
    (SchemaProblem(path='$', message='must be an object with nodes and edges, found an array'),)
    """
    if isinstance(value, dict):
        graph = _strictly(value)
        if graph is not None:
            return GraphReading(graph=graph, node_count=len(graph.nodes), edge_count=len(graph.edges))
    return lenient_reading(value)


def _strictly(value: dict[str, JsonValue]) -> DraftGraph | None:
    """The graph when every part of it is as the format says, with every number given and finite; else None."""
    if "nodes" not in value or "edges" not in value:
        return None
    try:
        graph = msgspec.convert(value, DraftGraph)
        total = 0.0
        for edge in graph.edges:
            strength = edge.strength
            total += strength.mean + strength.std + edge.exists_probability  # type: ignore[union-attr,operator]
        for node in graph.nodes:
            if node.data is not None and node.data.interventions is not None:
                total += sum(node.data.interventions.values())
            if isinstance(node.goal_threshold, float):
                total += node.goal_threshold
    except (msgspec.ValidationError, AttributeError, TypeError, OverflowError):
        return None
    return graph if math.isfinite(total) else None
