"""The damaged copy of a graph that a control pair shows: a reviewer who prefers it did not read the graphs."""

from stages.contracts.graph import STRUCTURAL, DraftGraph


def damaged(graph: DraftGraph) -> DraftGraph:
    """A visibly worse copy: at least half of the causal edges are missing, and every factor has the label of the first.

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
