"""The page that a reviewer opens from disk: pairs of drawings, without anything that says whose
they are.
"""

from collections.abc import Callable, Mapping

from stages.contracts.graph import DraftGraph, causal_edges
from stages.contracts.review import PairKey, ReviewKey, ShownGraph
from stages.present.page import environment, inline, static
from stages.report.drawing.sketch import draw_graph

MISSING_BRIEF = "The brief's file is missing."
FindGraph = Callable[[str, ShownGraph], DraftGraph]
"""The drafted graph of a brief that is shown in a pair."""
_PACKAGE = "stages.review"


def review_page(key: ReviewKey, briefs: Mapping[str, str], find_graph: FindGraph) -> bytes:
    """The page of a review; `briefs` are the texts by id."""
    pairs = []
    for pair in key.pairs:
        graphs = _graphs(pair, find_graph)
        left = draw_graph(graphs[0], f"{pair.pair}a", "Left graph")
        right = draw_graph(graphs[1], f"{pair.pair}b", "Right graph")
        pairs.append((pair.pair, briefs.get(pair.brief_id, MISSING_BRIEF), left, right))
    templates = environment(_PACKAGE)
    style = f"{templates.globals['style']}{static(_PACKAGE, 'review.css')}"
    files = inline(style, static(_PACKAGE, "review.js"))
    template = templates.get_template("review.html.j2")
    html = template.render(review=key.review, pairs=pairs, **files)
    return html.encode("utf-8", errors="replace")


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

    >>> from stages.contracts.graph import read
    >>> factors = [{"id": name, "kind": "factor", "label": name} for name in ("Price", "Demand")]
    >>> edges = [{"from": "Price", "to": "Demand"}, {"from": "Demand", "to": "Price"}]
    >>> worse = damage_graph(read({"nodes": factors, "edges": edges})[0])
    >>> [node.label for node in worse.nodes], [edge.source for edge in worse.edges]
    (['Price', 'Price'], ['Demand'])
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
