"""Wording: what a drawing says about a node or an edge when it is pointed at."""

import math

from stages.contracts.graph import Edge, Node
from stages.report.visible_text import cut, visible

_LONG = 6000
_MANY = 40
STRUCTURAL = {("decision", "option"), ("option", "factor")}
"""Edges that say what can be chosen and set; their parameters are no effects."""


def number(value: float | None) -> str:
    """A parameter as the answer has it, short.

    >>> number(0.5), number(1 / 3), number(None)
    ('0.5', '0.333', 'not given')
    """
    if value is None:
        return "not given"
    return f"{value:.3g}" if math.isfinite(value) else str(value)


def caption(node: Node | None) -> str:
    """Kind and category of a node."""
    if node is None:
        return "not in the graph"
    kind = cut(visible(node.kind) or "no kind", 14)
    return f"{kind} · {cut(visible(node.category), 14)}" if node.category else kind


def about_node(node: Node, labels: dict[str, str]) -> str:
    """The whole label, the id, the threshold of a goal, and what an option sets."""
    text = [
        f"{caption(node)}: {cut(visible(node.label or ''), _LONG) or '(no label)'}",
        f"id {cut(visible(node.id), 200)}",
    ]
    if node.goal_threshold is not None:
        threshold = node.goal_threshold
        text.append(f"threshold {number(threshold) if isinstance(threshold, float) else cut(visible(threshold), 100)}")
    interventions = sorted(node.interventions.items())
    if interventions:
        text.append("sets")
        text += [
            f"  {cut(labels.get(key) or visible(key), 80)} = {number(value)}" for key, value in interventions[:_MANY]
        ]
        if len(interventions) > _MANY:
            text.append(f"  and {len(interventions) - _MANY} more")
    return "\n".join(text)


def about_edge(edge: Edge, labels: dict[str, str]) -> str:
    """The ends and the parameters of an edge."""
    ends = [cut(labels.get(key) or visible(key), 80) for key in (edge.source, edge.target)]
    return (
        f"{ends[0]} {'↔' if edge.bidirected else '→'} {ends[1]}\n"
        f"strength {number(edge.mean)} ± {number(edge.std)}, exists with probability {number(edge.exists_probability)}"
    )
