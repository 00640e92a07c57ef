"""A draft graph as a Mermaid flowchart: what GitHub draws within Markdown."""

from stages.contracts.graph import DraftGraph, Edge, Node
from stages.shell.text import clip

LABEL_COLUMNS = 48
MOST_NODES = 60
MOST_EDGES = 150
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
    """The source of the drawing; None for a graph without nodes, or with too many to be read in a page.

    Effects carry their mean strength, negative ones are dotted, confounders point both ways. Ids are our own and labels are
    quoted with every character that means anything to Mermaid or HTML as an entity, so a label draws nothing but itself.
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
