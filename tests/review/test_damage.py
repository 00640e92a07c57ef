"""The damaged copy of a control pair is visibly worse."""

from typing import Any

from stages.contracts.graph import DraftGraph, causal_edges, read
from stages.review.page import damage_graph


def drafted(causal: int) -> DraftGraph:
    """A graph with so many causal edges, one confounder and one structural edge."""
    factors = [
        {"id": f"f{number}", "kind": "factor", "label": f"Factor {number}"}
        for number in range(causal + 1)
    ]
    nodes: list[Any] = [{"id": "o", "kind": "option", "label": "Go"}, *factors]
    edges: list[Any] = [
        {"from": "o", "to": "f0"},
        {"from": "f0", "to": "f1", "edge_type": "bidirected"},
        *({"from": f"f{number}", "to": f"f{number + 1}"} for number in range(causal)),
    ]
    return read({"nodes": nodes, "edges": edges})[0]


def test_half_of_the_causal_edges_are_left() -> None:
    assert len(causal_edges(damage_graph(drafted(12)))) == 6
    assert len(causal_edges(damage_graph(drafted(1)))) == 0


def test_edges_that_are_not_causal_stay() -> None:
    before, after = drafted(12), damage_graph(drafted(12))
    assert after.edges[:2] == before.edges[:2]
    assert len(before.edges) - len(after.edges) == 6


def test_every_factor_has_the_label_of_the_first_and_other_nodes_keep_theirs() -> None:
    assert [node.label for node in damage_graph(drafted(2)).nodes] == ["Go", *3 * ["Factor 0"]]
