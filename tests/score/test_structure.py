"""Every violation is found, reported once (a forbidden edge once per edge), and names what it is
about.
"""

import pytest

from tests.builders.cases import cases
from tests.score.drafts import (
    Graph,
    draft,
    edge,
    scored,
    violation,
    with_edges,
    without_node,
)


def two_forbidden() -> Graph:
    return with_edges(draft(), edge("fac_price", "goal"), edge("dec", "out_profit"))


def mixed_up() -> Graph:
    graph = with_edges(
        without_node(draft(), "goal"), edge("opt_raise", "out_profit"), edge("fac_price", "nowhere")
    )
    return with_edges(graph, edge("fac_service", "fac_price"), edge("fac_price", "fac_service"))


def test_the_draft_is_valid() -> None:
    card = scored(draft())
    assert card.violation_codes == ()
    assert card.warnings == ()
    assert card.overall_score == pytest.approx(1.0)


@cases(
    "graph, codes",
    {
        "once per forbidden edge": (two_forbidden(), ("FORBIDDEN_EDGE", "FORBIDDEN_EDGE")),
        "in the order of the table": (
            mixed_up(),
            ("INVALID_EDGE_REF", "MISSING_GOAL", "CYCLE_DETECTED", "FORBIDDEN_EDGE"),
        ),
        "without edges": (
            {**draft(), "edges": []},
            (
                "CONTROLLABLE_NO_OPTION_EDGE",
                "OUTCOME_UNREACHABLE",
                "OPTION_NO_GOAL_PATH",
                "ORPHAN_NODE",
            ),
        ),
        "no edge list": (
            {"nodes": []},
            (
                "INVALID_SCHEMA",
                "MISSING_GOAL",
                "MISSING_DECISION",
                "INSUFFICIENT_OPTIONS",
                "MISSING_BRIDGE",
            ),
        ),
        "nodes without an edge list": ({"nodes": draft()["nodes"]}, ("INVALID_SCHEMA",)),
        "no node list": (
            {"edges": draft()["edges"] * 12},
            ("INVALID_SCHEMA", "EDGE_LIMIT_EXCEEDED"),
        ),
        "several faults of form are one code": (
            {**draft(), "nodes": None, "edges": None},
            ("INVALID_SCHEMA",),
        ),
    },
)
def test_codes_are_in_order(graph: Graph, codes: tuple[str, ...]) -> None:
    assert scored(graph).violation_codes == codes


def test_the_nodes_of_a_cycle_follow_each_other() -> None:
    graph = with_edges(
        draft(),
        edge("fac_price", "fac_service"),
        edge("fac_service", "fac_rivals"),
        edge("fac_rivals", "fac_price"),
    )
    found = violation(graph, "CYCLE_DETECTED")
    steps = {(reference.source, reference.target) for reference in found.edges}
    assert {
        (one, other)
        for one, other in zip(found.nodes, (*found.nodes[1:], found.nodes[0]), strict=True)
    } == steps


def test_evidence_is_bounded_and_counts_are_not() -> None:
    graph = with_edges(draft(), *[edge("fac_price", "goal")] * 500)
    card = scored(graph)
    assert card.violation_codes.count("FORBIDDEN_EDGE") == 500
    dangling = with_edges(draft(), *[edge("fac_price", f"no{index}") for index in range(500)])
    found = violation(dangling, "INVALID_EDGE_REF")
    assert len(found.edges) == 100
    assert found.message.startswith("500 edges name")
    assert found.message.endswith("and 495 more.")


def test_the_first_fifty_schema_problems_are_reported() -> None:
    graph = draft()
    graph["nodes"] += [None] * 200
    found = [finding for finding in scored(graph).violations if finding.code == "INVALID_SCHEMA"]
    assert len(found) == 50
