"""The page that a reviewer opens: every brief and every pair of drawings, without anything that says whose they are."""

from collections.abc import Callable, Mapping

from stages.contracts.graph import STRUCTURAL, DraftGraph
from stages.contracts.review import ReviewKey, ShownGraph
from stages.report.drawing import draw_graph
from stages.report.site.frame import environment, inline, static

_PACKAGE = "stages.review"
MISSING_BRIEF = "The brief's file is missing."


def review_page(key: ReviewKey, briefs: Mapping[str, str], graph_of: Callable[[str, ShownGraph], DraftGraph]) -> bytes:
    """The page, self-contained, for reading from disk.

    Args:
        key: The pairs in the order in which they are shown.
        briefs: The text of each brief, by id.
        graph_of: The graph of a brief's id and what is shown of it.
    """
    pairs = []
    for pair in key.pairs:
        graphs = {"left": graph_of(pair.brief_id, pair.left), "right": graph_of(pair.brief_id, pair.right)}
        if pair.damaged:
            graphs[pair.damaged] = damaged(graphs[pair.damaged])
        left, right = (draw_graph(graph, compact=True) for graph in graphs.values())
        pairs.append((pair.pair, briefs.get(pair.brief_id, MISSING_BRIEF), left, right))
    templates = environment(_PACKAGE)
    shown = inline(f"{templates.globals['style']}{static(_PACKAGE, 'review.css')}", static(_PACKAGE, "review.js"))
    html = templates.get_template("review.html.j2").render(review=key.review, pairs=pairs, **shown)
    return html.encode("utf-8", errors="replace")


def damaged(graph: DraftGraph) -> DraftGraph:
    """A visibly worse copy for a control pair: a reviewer who prefers it did not read the graphs.

    At least half of the causal edges are missing, and every factor has the label of the first.

    >>> from stages.contracts.graph import read
    >>> nodes = [{"id": "a", "kind": "factor", "label": "Price"}, {"id": "b", "kind": "factor", "label": "Demand"}]
    >>> damaged(read({"nodes": nodes, "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}]})[0]).nodes[1].label
    'Price'
    """
    kinds = {node.id: node.kind for node in graph.nodes}
    causal = [edge.index for edge in graph.edges if (kinds.get(edge.source), kinds.get(edge.target)) not in STRUCTURAL]
    removed = set(causal) - set(causal[1::3])
    label = next((node.label for node in graph.nodes if node.kind == "factor" and node.label), "Factor")
    nodes = [node.model_copy(update={"label": label}) if node.kind == "factor" else node for node in graph.nodes]
    edges = [edge for edge in graph.edges if edge.index not in removed]
    return graph.model_copy(update={"nodes": tuple(nodes), "edges": tuple(edges)})
