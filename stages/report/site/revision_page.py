"""Graphs of the same cells at two revisions, side by side: a page by itself, for comparisons."""

from collections.abc import Sequence
from typing import NamedTuple

from stages.contracts.graph import DraftGraph
from stages.report.site.frame import Frame, lone_page
from stages.report.site.side_by_side import Drafted, pair


class Twice(NamedTuple):
    """One cell's graphs at two revisions, and what became of its score, in words."""

    name: str
    told: str
    base: DraftGraph
    head: DraftGraph


def revision_page(base: str, head: str, cells: Sequence[Twice], frame: Frame) -> bytes:
    """The page.

    Args:
        base: The name of the first revision.
        head: The name of the second.
        cells: What is shown, in this order.
        frame: What the page says around it: the run of the second revision, and the notices.
    """
    pairs = []
    for number, cell in enumerate(cells, start=1):
        sides = (Drafted(f"{cell.name} at {base}", "", cell.base), Drafted(f"{cell.name} at {head}", "", cell.head))
        pairs.append(pair(number, f"{cell.name}, {cell.told}" if cell.told else cell.name, *sides))
    lede = f"The drafted graphs of {len(pairs)} cells at {base} and at {head}, those whose scores moved farthest first."
    content: dict[str, object] = {"lede": lede if pairs else "No cell has a graph at both revisions.", "pairs": pairs}
    return lone_page(frame, "revisions", f"{base} and {head}", content)
