"""The draft graph as records: the shape that the prompts ask for."""

import msgspec

from stages.contracts.json_text import JsonValue


class Strength(msgspec.Struct, frozen=True):
    """Size of an effect (-1..1, the share of the target's movement) and its standard deviation."""

    mean: float
    std: float


class Edge(msgspec.Struct, frozen=True, kw_only=True, rename={"source": "from", "target": "to"}):
    """An edge; a `bidirected` one marks an unmeasured common cause."""

    source: str
    target: str
    strength: Strength
    exists_probability: float
    effect_direction: str = "positive"
    edge_type: str = "directed"


class Node(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A node: `data` holds an option's interventions or a factor's value, `prior` an external factor's range."""

    id: str
    kind: str
    label: str
    category: str | None = None
    data: dict[str, JsonValue] | None = None
    prior: dict[str, JsonValue] | None = None
    goal_threshold: float | None = None
    goal_threshold_raw: float | None = None
    goal_threshold_unit: str | None = None
    goal_threshold_cap: float | None = None


class Draft(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A draft graph, complete."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    coaching: dict[str, JsonValue] = {}
    causal_claims: tuple[dict[str, JsonValue], ...] = ()


def of_kind(draft: Draft, kind: str) -> list[Node]:
    """The nodes of one kind, in order."""
    return [node for node in draft.nodes if node.kind == kind]


def structural(source: str, target: str) -> Edge:
    """The edge that ties a decision to an option or an option to a factor: certain, and no estimate of anything."""
    return Edge(source=source, target=target, strength=Strength(1.0, 0.01), exists_probability=1.0)


def confounder(source: str, target: str) -> Edge:
    """The bidirected edge of two nodes with a common cause outside the graph."""
    edge = structural(source, target)
    return msgspec.structs.replace(edge, strength=Strength(0.0, 0.01), edge_type="bidirected")


def causal(source: str, target: str, mean: float, std: float, exists: float) -> Edge:
    """A directed edge with an estimated effect; its direction is the sign of the mean."""
    sign = "negative" if mean < 0 else "positive"
    return Edge(
        source=source, target=target, strength=Strength(mean, std), exists_probability=exists, effect_direction=sign
    )


def written(draft: Draft) -> str:
    """The draft as compact JSON, keys in the order of the prompts' examples."""
    return msgspec.json.encode(draft).decode("utf-8")


def indented(draft: Draft) -> str:
    """The draft as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(draft), indent=2).decode("utf-8")
