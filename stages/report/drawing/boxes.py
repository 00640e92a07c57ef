"""Nodes as boxes: kind by colour and caption, category by the outline."""

from html import escape

from stages.report.drawing.badge import badge
from stages.report.drawing.emphasis import Accent
from stages.report.drawing.sketch import CAPTION, LINE, Box
from stages.report.drawing.wording import about_node, caption
from stages.report.visible_text import cut, visible

_KINDS = frozenset({"decision", "option", "factor", "outcome", "risk", "goal"})
_CATEGORIES = frozenset({"controllable", "observable", "external"})


def box_svg(box: Box, index: int, name: str, labels: dict[str, str], accent: Accent | None) -> str:
    """The box of a node with its caption, its label and, when it is pointed at, all about it."""
    node = box.node
    classes = ["n"]
    if node is None:
        classes.append("absent")
    else:
        classes += [node.kind] if node.kind in _KINDS else ["other"]
        classes += [node.category] if node.category in _CATEGORIES else []
    classes += [accent.look] if accent else []
    lines = "".join(
        f'<text x="{box.x + 12}" y="{box.y + CAPTION + 9 + LINE * row:.0f}">{escape(line)}</text>'
        for row, line in enumerate(box.lines)
    )
    about = (
        about_node(node, labels) if node else f"{cut(visible(box.key), 200)}: edges name it, but there is no such node"
    )
    mark = badge(box.x + box.width - 6, box.y + 2, accent) if accent and accent.badge else ""
    return (
        f'<g class="{" ".join(classes)}" id="{name}-n{index}"><title>{escape(about)}</title>'
        f'<rect x="{box.x}" y="{box.y:.0f}" width="{box.width}" height="{box.height}" rx="5"/>'
        f'<path class="bar" d="M{box.x + 3},{box.y + 6:.0f}v{box.height - 12}"/>'
        f'<text class="c" x="{box.x + 12}" y="{box.y + 16:.0f}">{escape(caption(node))}</text>{lines}{mark}</g>'
    )
