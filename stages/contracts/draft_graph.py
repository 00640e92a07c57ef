"""The records of a draft graph: nodes, edges, coaching, in the order and with the faults of the answer."""

from typing import Annotated, Any

import msgspec

DIRECTED = "directed"
"""The `edge_type` of a directed edge; an edge without one is directed too."""
BIDIRECTED = "bidirected"
"""The one `edge_type` that makes an edge bidirected (a confounder); every other text is a directed edge."""


class NodeData(msgspec.Struct, frozen=True, gc=False):
    """The `data` of a node: for an option, which factors it sets (factor id to value)."""

    interventions: dict[str, float] | None = None


class Node(msgspec.Struct, frozen=True, gc=False):
    """One node. `label` and `category` are None where the answer has none; `goal_threshold` counts on goals only."""

    id: str
    kind: str
    label: str | None = None
    category: str | None = None
    data: NodeData | None = None
    goal_threshold: float | str | None = None
    goal_threshold_raw: float | str | None = None
    goal_threshold_unit: str | None = None

    @property
    def interventions(self) -> dict[str, float]:
        """Which factors the node sets, to what; empty when it sets none."""
        return (self.data.interventions or {}) if self.data else {}


class Strength(msgspec.Struct, frozen=True, gc=False):
    """The parameters of an effect; None where the answer has none."""

    mean: float | None = None
    std: float | None = None


class Edge(msgspec.Struct, frozen=True, gc=False, rename={"source": "from", "target": "to"}):
    """One edge from `source` to `target` (ids of nodes, which need not exist)."""

    source: str
    target: str
    strength: Strength | None = None
    exists_probability: float | None = None
    edge_type: str | None = None
    effect_direction: str | None = None

    @property
    def mean(self) -> float | None:
        """The mean strength of the effect, if it is given."""
        return self.strength.mean if self.strength else None

    @property
    def std(self) -> float | None:
        """The standard deviation of the strength, if it is given."""
        return self.strength.std if self.strength else None

    @property
    def bidirected(self) -> bool:
        """True for a confounder between two nodes, which is no causal step from one to the other."""
        return self.edge_type == BIDIRECTED


class Coaching(msgspec.Struct, frozen=True, gc=False):
    """The advice beside the graph: a summary and items to strengthen it with (any JSON values)."""

    summary: str | None = None
    strengthen_items: list[Any] | None = None


class DraftGraph(msgspec.Struct, frozen=True, gc=False):
    """A draft graph: nodes and edges in the order of the answer."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    coaching: Coaching | None = None


class SoundStrength(Strength, frozen=True, gc=False):
    """The parameters of an effect, both given and in range."""

    mean: Annotated[float, msgspec.Meta(ge=-1.0, le=1.0)]
    std: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class SoundEdge(Edge, frozen=True, gc=False):
    """An edge with all of its parameters, each in range."""

    strength: SoundStrength
    exists_probability: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class SoundGraph(DraftGraph, frozen=True, gc=False):
    """A draft graph in which every edge has all of its parameters in range, as nearly every answer does."""

    edges: tuple[SoundEdge, ...]


class SchemaProblem(msgspec.Struct, frozen=True, gc=False):
    """One place where an answer is not in the draft-graph format: its JSON path and what is wrong there."""

    path: str
    message: str


class GraphReading(msgspec.Struct, frozen=True, gc=False):
    """What could be read of an answer.

    `node_count` and `edge_count` are the lengths of the answer's lists, None where there is no such list. `problem_count`
    counts all schema problems, of which `problems` holds the first. `edge_places` maps the position of an edge in
    `graph.edges` to its place in the answer, where some entries were no edges at all; None when they are the same. `in_range` is True when
    every edge is known to have all its parameters within their ranges. When `too_large` is True, nodes and edges were
    counted and not looked at: `graph` has none.
    """

    graph: DraftGraph
    node_count: int | None
    edge_count: int | None
    problems: tuple[SchemaProblem, ...] = ()
    problem_count: int = 0
    edge_places: tuple[int, ...] | None = None
    in_range: bool = False
    too_large: bool = False


MOST_ENTRIES = 50_000
"""How many nodes, or edges, an answer may have for them to be looked at: a hundred times what a graph may have and more."""


def too_large(
    node_count: int | None, edge_count: int | None, problems: tuple[SchemaProblem, ...] = ()
) -> GraphReading | None:
    """The reading of an answer with too many nodes or edges, which are counted and not looked at; None for any other.

    `problems` are what was found wrong with the answer before its nodes and edges.
    """
    counts = (("$.nodes", node_count), ("$.edges", edge_count))
    found = (
        *problems,
        *(
            SchemaProblem(path, f"has {count} entries; where there are more than {MOST_ENTRIES}, none is looked at")
            for path, count in counts
            if count is not None and count > MOST_ENTRIES
        ),
    )
    if len(found) == len(problems):
        return None
    return GraphReading(DraftGraph((), ()), node_count, edge_count, found, len(found), too_large=True)
