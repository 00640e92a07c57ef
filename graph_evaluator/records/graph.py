"""A decision graph as a model drafted it: nodes, edges, coaching. Valid or not: cycles, dangling
edges, repeated ids and all.

The pydantic models are the draft-graph format. `read` takes any JSON value: what follows the format
becomes records; anything else is read as far as possible, with the path of every place that does
not follow it.
"""

import copy
import json
import math
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, TypeVar

from pydantic import (
    BeforeValidator,
    Field,
    SkipValidation,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticKnownError

from graph_evaluator.records.json_text import JsonValue
from graph_evaluator.records.record import Array, Record

DIRECTED = "directed"
"""The `edge_type` of a directed edge; an edge without one is directed too."""
BIDIRECTED = "bidirected"
"""The one `edge_type` that makes an edge bidirected (a confounder); every other text is a directed
edge.
"""
STRUCTURAL = frozenset({("decision", "option"), ("option", "factor")})
"""(source kind, target kind) of directed edges that are structural. All others are causal."""
MAX_ENTRIES = 5_000
"""How many nodes, or edges, an answer may have for them to be read: a hundred times what a graph
may have.
"""
MAX_PROBLEMS = 50
"""How many schema problems of one answer are kept."""
MAX_TEXT = 1_000
"""Characters of a label, a unit or another text of a node that are compared, drawn and shown."""

T = TypeVar("T")


def _none_on_error(value: object, handler: ValidatorFunctionWrapHandler) -> object:
    try:
        return handler(value)
    except ValidationError:
        return None


def _finite_or_text(value: object) -> object:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticKnownError("float_type")
    if not math.isfinite(value):
        raise PydanticKnownError("finite_number")
    return float(value)


Finite = Annotated[float, Field(allow_inf_nan=False)]
Threshold = Annotated[SkipValidation[float | str | None], BeforeValidator(_finite_or_text)]
Lenient = Annotated[T | None, WrapValidator(_none_on_error)]
"""A field that no rule needs: a value of another type is read as None."""


class NodeData(Record):
    """The `data` of a node: for an option which factors it sets (factor id to value), for a factor
    its present value.
    """

    interventions: dict[str, Finite] | None = None
    value: Lenient[Finite] = None
    raw_value: Lenient[Finite] = None
    unit: Lenient[str] = None
    cap: Lenient[Finite] = None
    extraction_type: Lenient[str] = Field(None, alias="extractionType")


class Node(Record):
    """One node. `label` and `category` are None where the answer has none; `goal_threshold` counts
    on goals only.
    """

    id: str
    kind: str
    label: str | None = None
    category: str | None = None
    data: NodeData | None = None
    goal_threshold: Threshold = None
    goal_threshold_raw: Lenient[Threshold] = None
    goal_threshold_unit: Lenient[str] = None
    goal_threshold_cap: Lenient[Finite] = None
    # an option has interventions next to its data, where no rule reads them
    has_misplaced_interventions: SkipJsonSchema[bool] = Field(False, exclude=True)

    @model_validator(mode="before")
    @classmethod
    def _leave_out_what_no_rule_reads(cls, value: Any) -> Any:  # noqa: ANN401 - any JSON
        """The interventions of a node that is no option, and the threshold of one that is no goal,
        may be anything.
        """
        if not isinstance(value, dict):
            return value
        is_misplaced = value.get("kind") == "option" and bool(value.get("interventions"))
        read = value | {"has_misplaced_interventions": is_misplaced}
        if value.get("kind") != "goal":
            read["goal_threshold"] = None
        if value.get("kind") != "option":
            data = value.get("data")
            facts = data if isinstance(data, dict) else {}
            read["data"] = facts | {"interventions": None}
        return read

    @property
    def name(self) -> str:
        """As much of the label as is compared; empty without one."""
        return (self.label or "")[:MAX_TEXT]

    @property
    def texts(self) -> list[str]:
        """Its id and every other text."""
        facts = vars(self.data).values() if self.data else ()
        return [value for value in (*vars(self).values(), *facts) if isinstance(value, str)]

    @property
    def interventions(self) -> dict[str, float]:
        """Which factors the node sets, to what; empty when it sets none."""
        return (self.data.interventions or {}) if self.data else {}


class Strength(Record):
    """The parameters of an effect; None where the answer has none."""

    mean: Finite | None = None
    std: Finite | None = None


class Edge(Record):
    """One edge from `source` to `target` (ids of nodes, which need not exist); `index` is its place
    in the answer, from 0.
    """

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    strength: Strength | None = None
    exists_probability: Finite | None = None
    edge_type: str | None = None
    effect_direction: Lenient[str] = None
    index: SkipJsonSchema[int] = Field(0, exclude=True)

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
        """True for a confounder between two nodes, which is not a causal step from one to the
        other.
        """
        return self.edge_type == BIDIRECTED


class Coaching(Record):
    """The advice with the graph: a summary and items to strengthen it with (any JSON values)."""

    summary: str | None = None
    strengthen_items: list[JsonValue] | None = None


class DraftGraph(Record):
    """A draft graph: nodes and edges in the order of the answer.

    `node_count` and `edge_count` are the lengths of the answer's lists, None where it has no such
    list.
    """

    nodes: Array[Node]
    edges: Array[Edge]
    coaching: Coaching | None = None
    node_count: SkipJsonSchema[int | None] = Field(None, exclude=True)
    edge_count: SkipJsonSchema[int | None] = Field(None, exclude=True)


def read(value: JsonValue) -> tuple[DraftGraph, dict[str, str]]:
    """The graph in an answer, as far as it can be read, and what is wrong at the first
    `MAX_PROBLEMS` places that do not follow the format, by their JSON path. Never raises.

    A node or edge that is no object is left out. An id that is a number or a boolean is read as its
    JSON text; one that is missing or of another type is read as its place in the answer, which no
    other id equals. Any other faulty value is left out. An answer with more than `MAX_ENTRIES`
    nodes or edges has its entries counted and not read.
    """
    if not isinstance(value, dict):
        return DraftGraph(nodes=(), edges=()), {"$": "must be an object with nodes and edges"}
    sizes = {
        key: len(entries)
        for key in ("nodes", "edges")
        if isinstance(entries := value.get(key), list)
    }
    answer: dict[str, Any] = {
        **value,
        "node_count": sizes.get("nodes"),
        "edge_count": sizes.get("edges"),
    }
    problems = {
        f"$.{key}": f"has {size} entries; more than {MAX_ENTRIES} are not read"
        for key, size in sizes.items()
        if size > MAX_ENTRIES
    }
    if problems:
        graph = DraftGraph.model_validate(answer | {"nodes": (), "edges": (), "coaching": None})
        return graph, problems
    if "edges" in sizes:
        answer["edges"] = [
            {**entry, "index": index} if isinstance(entry, dict) else entry
            for index, entry in enumerate(answer["edges"])
        ]
    try:
        graph = DraftGraph.model_validate(answer)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        problems = {_path(fault["loc"]): _message(fault["type"]) for fault in faults}
        readable = _without_faults(answer, [fault["loc"] for fault in faults])
        graph = DraftGraph.model_validate(readable)
    if len(sizes) == 2:
        for path in _missing_parameters(graph):
            problems.setdefault(path, "is missing, and every causal edge needs it")
    return graph, dict(islice(problems.items(), MAX_PROBLEMS))


def causal_edges(graph: DraftGraph) -> list[Edge]:
    """The edges whose parameters count, in the order of the answer: directed, and not structural.

    Both ends are nodes of the graph. A confounder is not directed; the edges from a decision to an
    option and from an option to a factor are structural.
    """
    kinds = {node.id: node.kind for node in graph.nodes}
    causal = []
    for edge in graph.edges:
        ends = kinds.get(edge.source), kinds.get(edge.target)
        if not edge.bidirected and None not in ends and ends not in STRUCTURAL:
            causal.append(edge)
    return causal


def _missing_parameters(graph: DraftGraph) -> Iterator[str]:
    """The paths of the parameters that causal edges lack."""
    for edge in causal_edges(graph):
        path = f"$.edges[{edge.index}]"
        if edge.strength is None:
            yield f"{path}.strength"
        else:
            yield from (f"{path}.strength.{name}" for name, size in edge.strength if size is None)
        if edge.exists_probability is None:
            yield f"{path}.exists_probability"


_WANTED = {
    "string_type": "text", "float_type": "a number", "finite_number": "a finite number",
    "list_type": "an array", "tuple_type": "an array", "model_type": "an object",
    "model_attributes_type": "an object", "dict_type": "an object",
}  # fmt: skip
_Location = tuple[int | str, ...]


def _message(kind: str) -> str:
    return "is missing" if kind == "missing" else f"must be {_WANTED.get(kind, 'of another type')}"


def _path(location: _Location) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part[:60]}" for part in location]
    return "".join(["$", *parts])


def _without_faults(answer: dict[str, Any], locations: list[_Location]) -> dict[str, Any]:
    """The answer without its faulty values, so that the rest can be read; an id is replaced, since
    every node and edge needs one.
    """
    readable = copy.deepcopy(answer)
    for *parents, key in sorted(locations, reverse=True):  # an entry goes after those behind it
        holder: Any = readable
        for part in parents:
            holder = holder[part]
        is_part_of_entry = len(parents) == 2
        if key in ("nodes", "edges") and not parents:
            holder[key] = []
        elif key in ("id", "from", "to") and is_part_of_entry:
            holder[key] = _identifier(holder.get(key), f"{parents[0]}[{parents[1]}].{key}")
        elif key == "kind" and is_part_of_entry:
            holder[key] = ""
        else:
            del holder[key]
    return readable


def _identifier(value: object, place: str) -> str:
    return json.dumps(value) if isinstance(value, bool | int | float) else place
