"""A draft graph as text: a Mermaid flowchart, which GitHub draws within Markdown, and a list of
nodes and edges for a language model.
"""

from collections.abc import Mapping

from stages.shared.records.graph import DraftGraph, Edge, Node
from stages.shared.records.json_text import JsonValue, canonical
from stages.shared.shell.text import clip

LABEL_COLUMNS = 48
MOST_NODES = 60
MOST_EDGES = 150
"""Of a flowchart."""
LISTED_COLUMNS = 80
MOST_LINES = 150
"""Of a list."""
MOST_ADVICE = 20
"""Items of coaching."""
_SHAPES = {
    "decision": ("{{", "}}"),
    "option": ("(", ")"),
    "factor": ("[", "]"),
    "outcome": ("([", "])"),
    "risk": ("([", "])"),
    "goal": ("[[", "]]"),
}
_SPECIAL = frozenset('"#&<>`\\%;{}|')


def flowchart(graph: DraftGraph) -> str | None:
    """The source of the drawing; None for a graph without nodes, or with too many to be read in a
    page.

    Effects carry their mean strength, negative ones are dotted, confounders point both ways. Ids
    are our own and labels are quoted with every character that means anything to Mermaid or HTML as
    an entity, so a label draws nothing but itself.
    """
    if not graph.nodes or len(graph.nodes) > MOST_NODES or len(graph.edges) > MOST_EDGES:
        return None
    places: dict[str, int] = {}
    for index, node in enumerate(graph.nodes):
        places.setdefault(node.id, index)
    lines = ["flowchart LR"]
    lines += [f"  n{index}{_box(node)}" for index, node in enumerate(graph.nodes)]
    for edge in graph.edges:
        source, target = places.get(edge.source), places.get(edge.target)
        if source is not None and target is not None:
            lines.append(f"  n{source} {_arrow(edge)} n{target}")
    return "\n".join(lines)


def coaching_of(graph: DraftGraph) -> list[tuple[str, str]]:
    """The advice beside a graph, each with its heading: the summary, then the items.

    An item that does not follow the format is shown as JSON.
    """
    coaching = graph.coaching
    if coaching is None:
        return []
    summary = [("", coaching.summary)] if coaching.summary else []
    return [*summary, *map(_advice, (coaching.strengthen_items or [])[:MOST_ADVICE])]


def _advice(item: JsonValue) -> tuple[str, str]:
    if isinstance(item, str):
        return "", item
    if isinstance(item, dict):
        label, detail = item.get("label"), item.get("detail")
        if isinstance(label, str) and isinstance(detail, str):
            return label, detail
    return "", canonical(item).decode()


def quoted(text: str) -> str:
    """A label in quotes, cut to a readable length.

    >>> quoted('a "b" <i>')
    '"a #34;b#34; #60;i#62;"'
    """
    shown = clip(text, LABEL_COLUMNS) or " "
    return '"' + "".join(f"#{ord(char)};" if char in _SPECIAL else char for char in shown) + '"'


def _box(node: Node) -> str:
    opening, closing = _SHAPES.get(node.kind, ("[", "]"))
    return f"{opening}{quoted(node.label or node.id)}{closing}"


def _arrow(edge: Edge) -> str:
    if edge.bidirected:
        return "<-.->"
    if edge.mean is None:
        return "-->"
    return f'-. "{edge.mean:.2g}" .->' if edge.mean < 0 else f'-- "{edge.mean:.2g}" -->'


def edge_list(graph: DraftGraph) -> list[str]:
    """A graph as lines of text: a node with its kind, and what an option sets; an edge with its
    parameters.

    Ids are replaced by labels, which are cut to a line; hidden characters are removed.
    """
    labels: dict[str, str] = {}
    for node in graph.nodes:
        labels.setdefault(node.id, clip(node.label or node.id, LISTED_COLUMNS))
    lines = [
        *(_node_line(node, labels) for node in graph.nodes),
        "",
        *(_edge_line(edge, labels) for edge in graph.edges),
    ]
    return (
        lines
        if len(lines) <= MOST_LINES
        else [*lines[:MOST_LINES], f"and {len(lines) - MOST_LINES} more lines"]
    )


def _node_line(node: Node, labels: Mapping[str, str]) -> str:
    category = f" ({clip(node.category, 20)})" if node.category else ""
    threshold = (
        node.goal_threshold_raw if node.goal_threshold_raw is not None else node.goal_threshold
    )
    parts = [f"{clip(node.kind, 20)}{category}: {clip(node.label or node.id, LISTED_COLUMNS)}"]
    parts += [
        f"{clip(labels.get(one, one), LISTED_COLUMNS)} = {value:g}"
        for one, value in node.interventions.items()
    ]
    if threshold is not None:
        parts.append(f"threshold {clip(f'{threshold} {node.goal_threshold_unit or str()}', 40)}")
    return "; ".join(parts)


def _edge_line(edge: Edge, labels: Mapping[str, str]) -> str:
    source, target = (
        clip(labels.get(one, one), LISTED_COLUMNS) for one in (edge.source, edge.target)
    )
    figures = [
        f"{name} {value:g}"
        for name, value in (
            ("mean", edge.mean),
            ("std", edge.std),
            ("probability", edge.exists_probability),
        )
        if value is not None
    ]
    arrow = "<->" if edge.bidirected else "->"
    return f"{source} {arrow} {target}" + (f": {', '.join(figures)}" if figures else "")
