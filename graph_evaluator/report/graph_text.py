"""A draft graph as text: its nodes and edges in lines, for a language model, and its coaching."""

from collections.abc import Mapping

from graph_evaluator.records.graph import DraftGraph, Edge, Node
from graph_evaluator.records.json_text import JsonValue, canonical
from graph_evaluator.shell.text import clip

LISTED_COLUMNS = 80
MOST_LINES = 150
"""Of a list."""
MOST_ADVICE = 20
"""Items of coaching."""


def coaching_of(graph: DraftGraph) -> list[tuple[str, str]]:
    """The advice with a graph, each part with its heading: the summary, then the items.

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


def edge_list(graph: DraftGraph) -> list[str]:
    """A graph as lines of text: a node with its kind, and what an option sets; an edge with its
    parameters.

    Ids are replaced by labels, which are cut to a line; hidden characters are removed.
    """
    labels = labels_of(graph)
    lines = [
        *(node_line(node, labels) for node in graph.nodes),
        "",
        *(edge_line(edge, labels) for edge in graph.edges),
    ]
    return (
        lines
        if len(lines) <= MOST_LINES
        else [*lines[:MOST_LINES], f"and {len(lines) - MOST_LINES} more lines"]
    )


def labels_of(graph: DraftGraph) -> dict[str, str]:
    """The labels by id, each cut to a line; the first of several nodes with one id names it."""
    return {node.id: clip(node.label or node.id, LISTED_COLUMNS) for node in reversed(graph.nodes)}


def node_line(node: Node, labels: Mapping[str, str]) -> str:
    """A node in words; `labels` are those of the nodes by id."""
    category = f" ({clip(node.category, 20)})" if node.category else ""
    name = f"{clip(node.kind, 20)}{category}: {clip(node.label or node.id, LISTED_COLUMNS)}"
    return "; ".join([name, *node_settings(node, labels)])


def node_settings(node: Node, labels: Mapping[str, str]) -> list[str]:
    """The settings of an option, and the threshold of a goal, in words."""
    settings = [
        f"{clip(labels.get(factor, factor), LISTED_COLUMNS)} = {value:g}"
        for factor, value in node.interventions.items()
    ]
    threshold = (
        node.goal_threshold_raw if node.goal_threshold_raw is not None else node.goal_threshold
    )
    if threshold is not None:
        settings.append(f"threshold {clip(f'{threshold} {node.goal_threshold_unit or str()}', 40)}")
    return settings


def edge_line(edge: Edge, labels: Mapping[str, str]) -> str:
    """An edge in words; `labels` are those of the nodes by id."""
    source, target = (
        clip(labels.get(end, end), LISTED_COLUMNS) for end in (edge.source, edge.target)
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
