"""Reading an answer that is not in the draft-graph format: everything readable is kept, everything else is told by its path.

A node or edge that is no object is left out. An id that is a number or a boolean is read as its JSON text; one that is
missing or of another type is read as its place in the answer, which no other id equals. What scoring never looks at (the
`data` of a node that is no option, a threshold on a node that is no goal) may be anything.
"""

from stages.contracts.draft_graph import BIDIRECTED, Coaching, DraftGraph, Edge, GraphReading, Node, Strength, too_large
from stages.contracts.json_text import JsonValue
from stages.contracts.node_leniency import NODES, lenient_node
from stages.contracts.schema_problems import Item, SchemaProblems

_STRUCTURAL = {("decision", "option"), ("option", "factor")}
_EDGES = "$.edges"


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
    node_count = None if nodes_list is None else len(nodes_list)
    edge_count = None if edges_list is None else len(edges_list)
    unread = too_large(node_count, edge_count, tuple(problems.kept))
    if unread is not None:
        return unread
    nodes: list[Node] = []
    for index, entry in enumerate(nodes_list or ()):
        if isinstance(entry, dict):
            nodes.append(lenient_node(entry, index, problems))
        else:
            problems.wrong((NODES, index, ""), "an object", entry)
    kinds = {node.id: node.kind for node in nodes}
    edges: list[Edge] = []
    places: list[int] = []
    for index, entry in enumerate(edges_list or ()):
        if isinstance(entry, dict):
            edges.append(_edge(entry, index, kinds, problems))
            places.append(index)
        else:
            problems.wrong((_EDGES, index, ""), "an object", entry)
    return GraphReading(
        DraftGraph(tuple(nodes), tuple(edges), _coaching(value, problems)),
        node_count,
        edge_count,
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


def _edge(item: Item, index: int, kinds: dict[str, str], problems: SchemaProblems) -> Edge:
    source, target, edge_type = item.get("from"), item.get("to"), item.get("edge_type")
    if not isinstance(source, str):
        source = problems.identifier(item, "from", (_EDGES, index, ".from"))
    if not isinstance(target, str):
        target = problems.identifier(item, "to", (_EDGES, index, ".to"))
    if edge_type is not None:
        edge_type = problems.text(edge_type, (_EDGES, index, ".edge_type"))
    ends = (kinds.get(source), kinds.get(target))
    causal = edge_type != BIDIRECTED and None not in ends and ends not in _STRUCTURAL
    probability, strength, found = item.get("exists_probability"), None, item.get("strength")
    if causal or probability is not None:
        probability = problems.number(probability, (_EDGES, index, ".exists_probability"))
    if isinstance(found, dict):
        strength = Strength(
            problems.number(found.get("mean"), (_EDGES, index, ".strength.mean"), needed=causal),
            problems.number(found.get("std"), (_EDGES, index, ".strength.std"), needed=causal),
        )
    elif causal or found is not None:
        problems.wrong((_EDGES, index, ".strength"), "an object with mean and std", found)
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
    return Coaching(problems.text(value.get("summary"), "$.coaching.summary"), items)
