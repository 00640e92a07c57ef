"""A decision graph as a model drafted it: nodes, edges, coaching. Valid or not: cycles, dangling edges, repeated ids and all.

`read_graph` takes any JSON value. What follows the draft-graph format becomes records in one step; anything else is read
as far as it can be, beside a list of the places where it is not as it should be.
"""

import math

import msgspec

from stages.contracts.draft_graph import (
    BIDIRECTED,
    DIRECTED,
    MOST_ENTRIES,
    Coaching,
    DraftGraph,
    Edge,
    GraphReading,
    Node,
    NodeData,
    SchemaProblem,
    SoundGraph,
    Strength,
    too_large,
)
from stages.contracts.graph_leniency import lenient_reading
from stages.contracts.json_text import JsonValue, parse

_sound_decoder = msgspec.json.Decoder(SoundGraph)
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
    graph = _converted(value)
    return (_reading(graph) if graph is not None and _is_finite(graph) else None) or lenient_reading(value)


def _converted(value: JsonValue) -> DraftGraph | None:
    """The records of a value in the format, else None: as well where a key is a lone surrogate, which msgspec cannot read."""
    try:
        return msgspec.convert(value, SoundGraph)
    except UnicodeError:
        return None
    except msgspec.ValidationError:
        pass
    try:
        return msgspec.convert(value, DraftGraph)
    except (UnicodeError, msgspec.ValidationError):
        return None


def read_graph_json(text: str | bytes) -> GraphReading:
    """What `read_graph` makes of the value of a JSON text, in a third of the time: the value itself is not made.

    Raises:
        NotJson: the text is no JSON.
    """
    try:
        if isinstance(text, bytes):
            text.decode()  # the decoder does not look at the encoding of what it skips
        return _decoded(text) or read_graph(parse(text))
    except (
        msgspec.DecodeError,
        UnicodeError,
        RecursionError,
    ):  # no JSON, not in the format, or nothing for this decoder
        return read_graph(parse(text))


def _decoded(text: str | bytes) -> GraphReading | None:
    """The reading of a graph in the format, in which every edge has its parameters; else None. JSON numbers are finite."""
    try:
        return _reading(_sound_decoder.decode(text))
    except msgspec.ValidationError:
        return _reading(_decoder.decode(text))


def _reading(graph: DraftGraph) -> GraphReading | None:
    """The reading of a graph in which every edge has its parameters; else None."""
    sound, node_count, edge_count = isinstance(graph, SoundGraph), len(graph.nodes), len(graph.edges)
    if node_count > MOST_ENTRIES or edge_count > MOST_ENTRIES:
        return too_large(node_count, edge_count)
    if not sound:
        for edge in graph.edges:
            if edge.mean is None or edge.std is None or edge.exists_probability is None:
                return None
    return GraphReading(graph, node_count, edge_count, in_range=sound)


def _is_finite(graph: DraftGraph) -> bool:
    numbers = [number for edge in graph.edges for number in (edge.mean, edge.std, edge.exists_probability)]
    for node in graph.nodes:
        numbers += node.interventions.values()
        if isinstance(node.goal_threshold, float):
            numbers.append(node.goal_threshold)
    return all(number is None or math.isfinite(number) for number in numbers)
