"""Reading a node that is not in the draft-graph format, as far as it can be read."""

from stages.contracts.draft_graph import Node, NodeData
from stages.contracts.json_text import JsonValue, canonical
from stages.contracts.schema_problems import MAX_PROBLEMS, Item, SchemaProblems

NODES = "$.nodes"
"""The JSON path of the list of nodes."""


def lenient_node(item: Item, index: int, problems: SchemaProblems) -> Node:
    """The node in an object, the entry of the list of nodes at an index; adds what is wrong with it to the problems."""
    identifier, kind, label, category = item.get("id"), item.get("kind"), item.get("label"), item.get("category")
    if not isinstance(identifier, str):
        identifier = problems.identifier(item, "id", (NODES, index, ".id"))
    if kind is None:
        problems.add((NODES, index, ".kind"), "is missing")
    elif not isinstance(kind, str):
        kind = problems.text(kind, (NODES, index, ".kind"))
    if label is not None:
        label = problems.text(label, (NODES, index, ".label"))
    if category is not None:
        category = problems.text(category, (NODES, index, ".category"))
    data = _option_data(item, index, problems) if kind == "option" else None
    threshold = item.get("goal_threshold")
    if kind == "goal" and threshold is not None and not isinstance(threshold, str):
        threshold = problems.number(threshold, (NODES, index, ".goal_threshold"))
    raw, unit = item.get("goal_threshold_raw"), item.get("goal_threshold_unit")
    return Node(
        identifier,
        kind or "",
        label,
        category,
        data,
        _plain(threshold),
        _plain(raw),
        unit if isinstance(unit, str) else None,
    )


def _plain(value: JsonValue) -> float | str | None:
    if isinstance(value, str):
        return value
    return SchemaProblems().number(value, "") if isinstance(value, int | float) else None


def _option_data(item: Item, index: int, problems: SchemaProblems) -> NodeData | None:
    data = item.get("data")
    if data is None:
        return None
    if not isinstance(data, dict):
        problems.wrong((NODES, index, ".data"), "an object", data)
        return None
    interventions = data.get("interventions")
    if interventions is None:
        return NodeData()
    if not isinstance(interventions, dict):
        problems.wrong((NODES, index, ".data.interventions"), "an object of factor ids and values", interventions)
        return NodeData()
    numbers: dict[str, float] = {}
    for key, value in interventions.items():
        quoted = _quoted(key) if problems.count < MAX_PROBLEMS else ""
        number = problems.number(value, (NODES, index, f".data.interventions[{quoted}]"))
        if number is not None:
            numbers[key] = number
    return NodeData(numbers)


def _quoted(key: str) -> str:
    return canonical(key if len(key) <= 60 else key[:57] + "...").decode()
