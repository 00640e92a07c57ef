"""A decision graph as a model drafted it: nodes, edges, coaching. Valid or not: cycles, dangling edges, repeated ids and all.

`read_graph` takes any JSON value. What follows the draft-graph format becomes records in one step; anything else is read
as far as it can be, beside a list of the places where it is not as it should be.
"""

import math

import msgspec

from stages.contracts.draft_graph import (
    BIDIRECTED,
    DIRECTED,
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
from stages.contracts.json_text import JsonValue, parse

_decoder = msgspec.json.Decoder(DraftGraph)

__all__ = [
    "BIDIRECTED",
    "DIRECTED",
    "Coaching",
    "DraftGraph",
    "Edge",
    "GraphReading",
    "Node",
    "NodeData",
    "SchemaProblem",
    "Strength",
    "read_graph",
    "read_graph_json",
]


def read_graph(value: JsonValue) -> GraphReading:
    """The graph in an answer, as far as it can be read, and where it is not in the format. Never raises.

    >>> read_graph({"nodes": [{"id": "g", "kind": "goal"}], "edges": []}).graph.nodes[0].kind
    'goal'
    >>> read_graph([1]).problems
    (SchemaProblem(path='$', message='must be an object with nodes and edges, found an array'),)
    """
    try:
        graph = msgspec.convert(value, DraftGraph)
    except msgspec.ValidationError:
        return lenient_reading(value)
    return _complete(graph) or lenient_reading(value)


def read_graph_json(text: str | bytes) -> GraphReading:
    """What `read_graph` makes of the value of a JSON text, in a third of the time: the value itself is not made.

    Raises:
        NotJson: the text is no JSON.
    """
    try:
        if isinstance(text, bytes):
            text.decode()  # the decoder does not look at the encoding of what it skips
        graph = _decoder.decode(text)
    except (
        msgspec.DecodeError,
        UnicodeError,
        RecursionError,
    ):  # no JSON, not in the format, or nothing for this decoder
        return read_graph(parse(text))
    return _complete(graph) or read_graph(parse(text))


def _complete(graph: DraftGraph) -> GraphReading | None:
    """The reading of a graph in which every edge has its parameters and every number is finite; else None."""
    total = 0.0
    in_range = True
    for edge in graph.edges:
        strength, probability = edge.strength, edge.exists_probability
        if strength is None or probability is None:
            return None
        mean, std = strength.mean, strength.std
        if mean is None or std is None:
            return None
        if not (-1.0 <= mean <= 1.0 and 0.0 <= std <= 1.0 and 0.0 <= probability <= 1.0):
            total += mean + std + probability
            in_range = False
    for node in graph.nodes:
        if node.data is not None and node.data.interventions is not None:
            total += sum(node.data.interventions.values())
        if isinstance(node.goal_threshold, float):
            total += node.goal_threshold
    if not math.isfinite(total):
        return None
    return GraphReading(graph, len(graph.nodes), len(graph.edges), in_range=in_range)
