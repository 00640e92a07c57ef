"""A decision graph as a model drafted it: nodes, edges, coaching. Valid or not: cycles, dangling
edges, repeated ids and all.

The pydantic models are the draft-graph format. `read` takes any JSON value: what follows the format
becomes records; anything else is read as far as possible, with the path of every place that does
not follow it.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import (
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    SkipValidation,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from stages.shared.records.json_text import JsonValue, canonical
from stages.shared.records.record import Array, Record

DIRECTED = "directed"
"""The `edge_type` of a directed edge; an edge without one is directed too."""
BIDIRECTED = "bidirected"
"""The one `edge_type` that makes an edge bidirected (a confounder); every other text is a directed
edge.
"""
STRUCTURAL = frozenset({("decision", "option"), ("option", "factor")})
"""The kinds of the ends of directed edges that no effect belongs to; the others are causal."""
MAX_ENTRIES = 5_000
"""How many nodes, or edges, an answer may have for them to be read: a hundred times what a graph
may have.
"""
MAX_PROBLEMS = 50
"""How many schema problems of one answer are kept."""
_LARGEST = 1.7976931348623157e308  # of all doubles

T = TypeVar("T")


class _NoneOnError:
    """Marks a field that no rule needs: a value of another type is read as None."""

    def __get_pydantic_core_schema__(
        self,
        source: Any,  # noqa: ANN401 - whatever pydantic passes
        handler: GetCoreSchemaHandler,
    ) -> CoreSchema:
        return core_schema.with_default_schema(handler(source), default=None, on_error="default")


def _finite_or_text(value: object) -> object:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticCustomError("float_type", "must be a number")
    if not abs(value) <= _LARGEST:
        raise PydanticCustomError("finite_number", "must be a finite number")
    return float(value)


Finite = Annotated[float, Field(allow_inf_nan=False)]
Threshold = Annotated[SkipValidation[float | str | None], BeforeValidator(_finite_or_text)]
Lenient = Annotated[T | None, _NoneOnError()]


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

    @model_validator(mode="before")
    @classmethod
    def _leave_out_what_no_rule_reads(cls, value: Any) -> Any:  # noqa: ANN401 - any JSON
        """The interventions of a node that is no option, and the threshold of one that is no goal,
        may be anything.
        """
        if not isinstance(value, dict):
            return value
        kind = value.get("kind")
        read = dict(value)
        if kind != "goal":
            read["goal_threshold"] = None
        if kind != "option":
            data = value.get("data")
            facts = dict(data) if isinstance(data, dict) else {}
            facts.pop("interventions", None)
            read["data"] = facts
        return read

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
        """True for a confounder between two nodes, which is no causal step from one to the
        other.
        """
        return self.edge_type == BIDIRECTED


class Coaching(Record):
    """The advice beside the graph: a summary and items to strengthen it with (any JSON values)."""

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


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """One place where an answer does not follow the draft-graph format: its JSON path and what is
    wrong there.
    """

    path: str
    message: str


def read(value: JsonValue) -> tuple[DraftGraph, tuple[SchemaProblem, ...]]:
    """The graph in an answer, as far as it can be read, and the first `MAX_PROBLEMS` places that do
    not follow the format. Never raises.

    A node or edge that is no object is left out. An id that is a number or a boolean is read as its
    JSON text; one that is missing or of another type is read as its place in the answer, which no
    other id equals. Any other faulty value is left out. An answer with more than `MAX_ENTRIES`
    nodes or edges has its entries counted and not read.
    """
    if not isinstance(value, dict):
        message = f"must be an object with nodes and edges, found {_TYPE_NAMES[type(value)]}"
        return DraftGraph(nodes=(), edges=()), (SchemaProblem("$", message),)
    nodes = value.get("nodes")
    edges = value.get("edges")
    node_count = len(nodes) if isinstance(nodes, list) else None
    edge_count = len(edges) if isinstance(edges, list) else None
    oversized: list[SchemaProblem] = []
    for key, size in (("nodes", node_count), ("edges", edge_count)):
        if size is not None and size > MAX_ENTRIES:
            message = f"has {size} entries; more than {MAX_ENTRIES} are not read"
            oversized.append(SchemaProblem(f"$.{key}", message))
    if oversized:
        unread = DraftGraph(nodes=(), edges=(), node_count=node_count, edge_count=edge_count)
        return unread, tuple(oversized)
    answer: dict[str, Any] = {**value, "node_count": node_count, "edge_count": edge_count}
    if isinstance(edges, list):
        answer["edges"] = [_with_index(entry, index) for index, entry in enumerate(edges)]
    problems: list[SchemaProblem] = []
    try:
        graph = DraftGraph.model_validate(answer)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False)
        for fault in faults:
            message = _message(fault["type"], fault["input"], fault["loc"])
            problems.append(SchemaProblem(_path(fault["loc"]), message))
        readable = _without_faults(answer, [fault["loc"] for fault in faults])
        graph = DraftGraph.model_validate(readable)
    if node_count is not None and edge_count is not None:
        known = {problem.path for problem in problems}
        problems += [problem for problem in _missing_parameters(graph) if problem.path not in known]
    return graph, tuple(problems[:MAX_PROBLEMS])


def _with_index(edge: JsonValue, index: int) -> JsonValue:
    return {**edge, "index": index} if isinstance(edge, dict) else edge


def causal_edges(graph: DraftGraph) -> list[Edge]:
    """The edges whose parameters count, in the order of the answer: directed, and not structural.

    Both ends are nodes of the graph. A confounder is not directed; the edges from a decision to an
    option and from an option to a factor are structural.
    """
    kinds = {node.id: node.kind for node in graph.nodes}
    directed = [edge for edge in graph.edges if not edge.bidirected]
    ends = [(kinds.get(edge.source), kinds.get(edge.target)) for edge in directed]
    joined = zip(directed, ends, strict=True)
    return [edge for edge, pair in joined if None not in pair and pair not in STRUCTURAL]


def _missing_parameters(graph: DraftGraph) -> list[SchemaProblem]:
    """The parameters that causal edges lack."""
    problems: list[SchemaProblem] = []
    for edge in causal_edges(graph):
        values = {
            "strength": edge.strength,
            "strength.mean": edge.mean if edge.strength else 0.0,
            "strength.std": edge.std if edge.strength else 0.0,
            "exists_probability": edge.exists_probability,
        }
        problems += [
            SchemaProblem(
                f"$.edges[{edge.index}].{key}", "is missing, and every causal edge needs it"
            )
            for key, number in values.items()
            if number is None
        ]
    return problems


_TYPE_NAMES = {
    type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "text",
    list: "an array", dict: "an object",
}  # fmt: skip
_WANTED = {
    "string_type": "text", "float_type": "a number", "list_type": "an array",
    "tuple_type": "an array", "model_type": "an object", "model_attributes_type": "an object",
    "dict_type": "an object of factor ids and values",
}  # fmt: skip
_Location = tuple[int | str, ...]


def _message(kind: str, value: object, location: _Location) -> str:
    if kind == "missing":
        return "is missing"
    if kind == "finite_number":
        return "must be a finite number"
    wanted = _WANTED.get(kind, "of another type")
    if location[-1] == "strength":
        wanted = "an object with mean and std"
    return f"must be {wanted}, found {_TYPE_NAMES.get(type(value), 'another value')}"


def _path(location: Sequence[int | str]) -> str:
    path = "$"
    for number, part in enumerate(location):
        if isinstance(part, int):
            path += f"[{part}]"
        elif number and location[number - 1] == "interventions":
            key = part if len(part) <= 60 else f"{part[:57]}..."
            path += f"[{canonical(key).decode()}]"
        else:
            path += f".{part}"
    return path


def _without_faults(answer: dict[str, Any], locations: list[_Location]) -> dict[str, Any]:
    """The answer without its faulty values, so that the rest can be read; an id is replaced, since
    every node and edge needs one.
    """
    readable = {"nodes": [], "edges": [], **answer}
    dropped: set[_Location] = set()
    for *parents, key in locations:
        if parents in ([], ["nodes"], ["edges"]):  # a whole list, a whole entry, or the coaching
            dropped.add((*parents, key))
            continue
        holder: Any = readable
        for part in parents:
            holder[part] = holder[part].copy()
            holder = holder[part]
        is_part_of_entry = len(parents) == 2
        if is_part_of_entry and key == "kind":
            holder[key] = ""
        elif is_part_of_entry and key in ("id", "from", "to"):
            list_name, index = parents
            place = f"{list_name}[{index}].{key}"
            holder[key] = _identifier(holder.get(key), place)
        else:
            del holder[key]
    for key in ("nodes", "edges"):
        entries = [] if (key,) in dropped else readable[key]
        readable[key] = [
            entry for index, entry in enumerate(entries) if (key, index) not in dropped
        ]
    if ("coaching",) in dropped:
        readable["coaching"] = None
    return readable


def _identifier(value: object, place: str) -> str:
    if isinstance(value, float) and math.isnan(value):
        return place
    return canonical(value).decode() if isinstance(value, bool | int | float) else place


def example_graph(prompt: str) -> dict[str, Any] | None:
    """The first JSON object in a prompt that has nodes and edges; None without one."""
    decoder = json.JSONDecoder()
    for match in re.finditer(r"\{", prompt):
        try:
            value, _ = decoder.raw_decode(prompt, match.start())
        except (json.JSONDecodeError, RecursionError):
            continue
        if isinstance(value.get("nodes"), list) and isinstance(value.get("edges"), list):
            return dict(value)
    return None
