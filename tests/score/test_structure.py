"""Every violation is found, reported once (a forbidden edge once per edge), and names what it is
about.
"""

import pytest

from stages.contracts.codes import VIOLATIONS
from stages.contracts.scorecard import EdgeRef
from tests.builders.cases import cases
from tests.score.drafts import (
    Graph,
    draft,
    edge,
    padded,
    scored,
    violation,
    with_edges,
    with_nodes,
    without_edge,
    without_node,
)


def two_forbidden() -> Graph:
    return with_edges(draft(), edge("fac_price", "goal"), edge("dec", "out_profit"))


def mixed_up() -> Graph:
    graph = with_edges(
        without_node(draft(), "goal"), edge("opt_raise", "out_profit"), edge("fac_price", "nowhere")
    )
    return with_edges(graph, edge("fac_service", "fac_price"), edge("fac_price", "fac_service"))


def confounder(source: str, target: str) -> Graph:
    return edge(source, target, edge_type="bidirected")


MOON = with_nodes("fac_moon")


def test_the_draft_is_valid() -> None:
    card = scored(draft())
    assert card.violation_codes == ()
    assert card.warnings == ()
    assert card.overall_score == pytest.approx(1.0)


CASES: list[tuple[str, Graph, set[str], list[int]]] = [
    ("INVALID_SCHEMA", draft() | {"edges": None}, set(), []),
    ("DUPLICATE_NODE_ID", with_nodes("fac_price"), {"fac_price"}, []),
    ("INVALID_EDGE_REF", with_edges(draft(), edge("fac_price", "out_loss")), set(), [9]),
    ("MISSING_GOAL", without_node(draft(), "goal"), set(), []),
    ("MISSING_GOAL", with_nodes("goal_2", kind="goal"), {"goal", "goal_2"}, []),
    ("MISSING_DECISION", without_node(draft(), "dec"), set(), []),
    ("MISSING_DECISION", with_nodes("dec_2", kind="decision"), {"dec", "dec_2"}, []),
    ("INSUFFICIENT_OPTIONS", without_node(draft(), "opt_stay"), {"opt_raise"}, []),
    ("TOO_MANY_OPTIONS", with_nodes(*"abcde", kind="option"), {"opt_raise", "opt_stay", *"abcde"}, []),
    ("MISSING_BRIDGE", without_node(draft(), "out_profit", "risk_churn"), set(), []),
    ("NODE_LIMIT_EXCEEDED", padded(42), set(), []),
    ("EDGE_LIMIT_EXCEEDED", with_edges(draft(), *[edge("dec", "opt_stay")] * 92), set(), []),
    (
        "CYCLE_DETECTED",
        with_edges(draft(), edge("fac_price", "fac_service"), edge("fac_service", "fac_price")),
        {"fac_price", "fac_service"},
        [9, 10],
    ),
    ("CYCLE_DETECTED", with_edges(draft(), edge("fac_price", "fac_price")), {"fac_price"}, [9]),
    ("FORBIDDEN_EDGE", with_edges(draft(), edge("fac_price", "goal")), {"fac_price", "goal"}, [9]),
    ("CONTROLLABLE_NO_OPTION_EDGE", with_nodes("a", category="controllable"), {"a"}, []),
    ("OUTCOME_UNREACHABLE", without_edge(draft(), "fac_service > risk_churn"), {"risk_churn"}, []),
    ("OPTION_NO_GOAL_PATH", without_edge(draft(), "opt_stay > fac_service"), {"opt_stay"}, []),
    ("ORPHAN_NODE", with_nodes("fac_moon"), {"fac_moon"}, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "graph", "nodes", "edges"),
    CASES,
    ids=[f"{case[0]}-{index}" for index, case in enumerate(CASES)],
)
def test_a_violation_names_its_nodes_and_edges(
    code: str, graph: Graph, nodes: set[str], edges: list[int]
) -> None:
    assert code in scored(graph).violation_codes
    found = violation(graph, code)
    assert set(found.nodes) == nodes
    assert [reference.index for reference in found.edges] == edges


def test_every_violation_code_has_a_case() -> None:
    assert {case[0] for case in CASES} | {"NO_GRAPH"} == set(VIOLATIONS)


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


def test_an_edge_is_named_by_its_place_in_the_answer() -> None:
    graph = draft()
    graph["edges"] = [None, "x", *graph["edges"], edge("fac_price", "goal")]
    assert violation(graph, "FORBIDDEN_EDGE").edges == (
        EdgeRef(index=11, source="fac_price", target="goal"),
    )


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
