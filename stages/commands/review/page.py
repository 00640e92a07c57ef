"""The page that a reviewer opens from disk: pairs of drawings, without anything that says whose
they are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stages.report.drawing.sketch import Sketch, draw_graph
from stages.report.graph_text import coaching_of
from stages.shared.present.page import environment, inline, static
from stages.shared.records.commands import PairKey, ReviewKey, ShownGraph
from stages.shared.records.graph import DraftGraph, causal_edges

MISSING_BRIEF = "The brief's file is missing."
FindGraph = Callable[[str, ShownGraph], DraftGraph]
"""The drafted graph of a brief that is shown in a pair."""
SECONDS_PER_PAIR = 72
"""To read a brief with two graphs and to choose: 48 minutes for forty pairs."""
_PACKAGE = "stages.commands.review"


@dataclass(frozen=True, slots=True)
class ShownPair:
    """What a reviewer sees of a pair: the brief, and two drawings with their coaching."""

    name: str
    brief: str
    sides: tuple[tuple[Sketch, list[tuple[str, str]]], ...]


def minutes_of(pairs: int) -> int:
    """The minutes that a reviewer needs for so many pairs.

    >>> minutes_of(40)
    48
    """
    return round(pairs * SECONDS_PER_PAIR / 60)


def review_page(key: ReviewKey, briefs: Mapping[str, str], find_graph: FindGraph) -> bytes:
    """The page of a review; `briefs` are the texts by id."""
    pairs = [_shown(pair, briefs, find_graph) for pair in key.pairs]
    templates = environment(_PACKAGE)
    style = f"{templates.globals['style']}{static(_PACKAGE, 'review.css')}"
    script = static("stages.shared.present", "graph.js") + static(_PACKAGE, "review.js")
    template = templates.get_template("review.html.j2")
    html = template.render(
        review=key.review, pairs=pairs, minutes=minutes_of(len(pairs)), **inline(style, script)
    )
    return html.encode("utf-8", errors="replace")


def _shown(pair: PairKey, briefs: Mapping[str, str], find_graph: FindGraph) -> ShownPair:
    sides = []
    for number, graph in enumerate(_graphs(pair, find_graph), start=1):
        sketch = draw_graph(graph, f"{pair.pair}-{number}", f"Graph {number}")
        sides.append((sketch, coaching_of(graph)))
    return ShownPair(pair.pair, briefs.get(pair.brief_id, MISSING_BRIEF), tuple(sides))


def _graphs(pair: PairKey, find_graph: FindGraph) -> tuple[DraftGraph, DraftGraph]:
    left, right = (find_graph(pair.brief_id, shown) for shown in (pair.left, pair.right))
    if pair.damaged == "left":
        left = damage_graph(left)
    if pair.damaged == "right":
        right = damage_graph(right)
    return left, right


def damage_graph(graph: DraftGraph) -> DraftGraph:
    """A visibly worse copy for a control pair.

    It lacks every second causal edge, from the first, and all factors have the label of the first.

    >>> from stages.shared.records.graph import read
    >>> factors = [{"id": name, "kind": "factor", "label": name} for name in ("Price", "Demand")]
    >>> edges = [{"from": name, "to": "Goal"} for name in ("Price", "Demand", "Risk", "Rent")]
    >>> nodes = [*factors, *({"id": name, "kind": "risk"} for name in ("Risk", "Rent", "Goal"))]
    >>> worse = damage_graph(read({"nodes": nodes, "edges": edges})[0])
    >>> [node.label for node in worse.nodes[:2]], [edge.source for edge in worse.edges]
    (['Price', 'Price'], ['Demand', 'Rent'])
    """
    labels = [node.label for node in graph.nodes if node.kind == "factor" and node.label]
    relabelled = {"label": labels[0] if labels else "Factor"}
    nodes = [
        node.model_copy(update=relabelled) if node.kind == "factor" else node
        for node in graph.nodes
    ]
    removed = {edge.index for edge in causal_edges(graph)[::2]}
    edges = [edge for edge in graph.edges if edge.index not in removed]
    return graph.model_copy(update={"nodes": tuple(nodes), "edges": tuple(edges)})
