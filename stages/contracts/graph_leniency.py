"""Reading an answer that is not in the draft-graph format: everything readable is kept, everything else is told by its path.

A node or edge that is no object is left out. An id that is a number or a boolean is read as its JSON text; one that is
missing or of another type is read as its place in the answer, which no other id equals. What scoring never looks at (the
`data` of a node that is no option, a threshold on a node that is no goal) may be anything.
"""

from stages.contracts.draft_graph import (
    BIDIRECTED,
    Coaching,
    DraftGraph,
    Edge,
    GraphReading,
    Node,
    NodeData,
    Strength,
)
from stages.contracts.json_text import JsonValue, canonical
from stages.contracts.schema_problems import Item, SchemaProblems

_STRUCTURAL = {("decision", "option"), ("option", "factor")}


def lenient_reading(value: JsonValue) -> GraphReading:
    """The graph in any JSON value as far as it can be read, with the path of every place that cannot. Never raises.

    >>> lenient_reading({"nodes": None, "edges": []}).problems
    (SchemaProblem(path='$.nodes', message='must be an array, found null'),)
    """
    problems = SchemaProblems()
    if not isinstance(value, dict):
        problems.wrong("$", "an object with nodes and edges", value)
        return GraphReading(DraftGraph((), ()), None, None, tuple(problems.kept), problems.count)
    nodes_list, edges_list = _array(value, "nodes", problems), _array(value, "edges", problems)
    nodes: list[Node] = []
    for index, entry in enumerate(nodes_list or ()):
        if isinstance(entry, dict):
            nodes.append(_node(entry, f"$.nodes[{index}]", problems))
        else:
            problems.wrong(f"$.nodes[{index}]", "an object", entry)
    kinds = {node.id: node.kind for node in nodes}
    edges: list[Edge] = []
    places: list[int] = []
    for index, entry in enumerate(edges_list or ()):
        if isinstance(entry, dict):
            edges.append(_edge(entry, f"$.edges[{index}]", kinds, problems))
            places.append(index)
        else:
            problems.wrong(f"$.edges[{index}]", "an object", entry)
    return GraphReading(
        DraftGraph(tuple(nodes), tuple(edges), _coaching(value, problems)),
        None if nodes_list is None else len(nodes_list),
        None if edges_list is None else len(edges_list),
        tuple(problems.kept),
        problems.count,
        None if len(places) == len(edges_list or ()) else tuple(places),
    )


def _array(item: Item, key: str, problems: SchemaProblems) -> list[JsonValue] | None:
    value = item.get(key)
    if isinstance(value, list):
        return value
    if key not in item:
        problems.add(f"$.{key}", "is missing")
    else:
        problems.wrong(f"$.{key}", "an array", value)
    return None


def _node(item: Item, path: str, problems: SchemaProblems) -> Node:
    identifier = problems.identifier(item, "id", path)
    kind = problems.text(item, "kind", path)
    if item.get("kind") is None:
        problems.add(f"{path}.kind", "is missing")
    label, category = problems.text(item, "label", path), problems.text(item, "category", path)
    data = _option_data(item, path, problems) if kind == "option" else None
    threshold = item.get("goal_threshold")
    if kind == "goal" and threshold is not None and not isinstance(threshold, str):
        threshold = problems.number(threshold, f"{path}.goal_threshold")
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


def _option_data(item: Item, path: str, problems: SchemaProblems) -> NodeData | None:
    data = item.get("data")
    if data is None:
        return None
    if not isinstance(data, dict):
        problems.wrong(f"{path}.data", "an object", data)
        return None
    interventions = data.get("interventions")
    if interventions is None:
        return NodeData()
    if not isinstance(interventions, dict):
        problems.wrong(f"{path}.data.interventions", "an object of factor ids and values", interventions)
        return NodeData()
    numbers = {
        key: problems.number(value, f"{path}.data.interventions[{_quoted(key)}]")
        for key, value in interventions.items()
    }
    return NodeData({key: number for key, number in numbers.items() if number is not None})


def _quoted(key: str) -> str:
    return canonical(key if len(key) <= 60 else key[:57] + "...").decode()


def _edge(item: Item, path: str, kinds: dict[str, str], problems: SchemaProblems) -> Edge:
    source, target = problems.identifier(item, "from", path), problems.identifier(item, "to", path)
    edge_type = problems.text(item, "edge_type", path)
    ends = (kinds.get(source), kinds.get(target))
    causal = edge_type != BIDIRECTED and None not in ends and ends not in _STRUCTURAL
    probability = problems.number(item.get("exists_probability"), f"{path}.exists_probability", needed=causal)
    strength, found = None, item.get("strength")
    if isinstance(found, dict):
        strength = Strength(
            problems.number(found.get("mean"), f"{path}.strength.mean", needed=causal),
            problems.number(found.get("std"), f"{path}.strength.std", needed=causal),
        )
    elif causal or found is not None:
        problems.wrong(f"{path}.strength", "an object with mean and std", found)
    direction = item.get("effect_direction")
    return Edge(source, target, strength, probability, edge_type, direction if isinstance(direction, str) else None)


def _coaching(item: Item, problems: SchemaProblems) -> Coaching | None:
    value = item.get("coaching")
    if not isinstance(value, dict):
        if value is not None:
            problems.wrong("$.coaching", "an object", value)
        return None
    items = value.get("strengthen_items")
    if items is not None and not isinstance(items, list):
        problems.wrong("$.coaching.strengthen_items", "an array", items)
        items = None
    return Coaching(problems.text(value, "summary", "$.coaching"), items)
