"""The damaged copy of a control pair is visibly worse."""

from typing import Any

import pytest

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


@pytest.mark.parametrize(("causal", "left"), [(12, 6), (1, 0)])
def test_half_of_the_causal_edges_are_left_and_every_factor_has_the_label_of_the_first(
    causal: int, left: int
) -> None:
    before, after = drafted(causal), damage_graph(drafted(causal))
    assert len(causal_edges(after)) == left
    assert len(after.edges) == left + 2
    assert after.edges[:2] == before.edges[:2]
    labels = [node.label for node in after.nodes]
    assert labels == ["Go", *(causal + 1) * ["Factor 0"]]
