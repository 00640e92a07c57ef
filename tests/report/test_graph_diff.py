import pytest

from stages.report.site.side_by_side import compare_graphs
from stages.shared.records.graph import DraftGraph
from tests.builders.cases import cases
from tests.builders.graphs import CHAIN, LINKS, edge, graph, node

A, B = node("a"), node("b")
OPTION = node("o", "option", data={"interventions": {"f": 1.0}})
OTHER_OPTION = node("o", "option", data={"interventions": {"x": 0.5}})


@cases(
    "before, after, texts",
    {
        "a category": (
            graph([node("a", category="external")]),
            graph([node("a", category="observable")]),
            ["A: category “external” became “observable”"],
        ),
        "what an option sets": (
            graph([OPTION, node("f")]),
            graph([OTHER_OPTION, node("x", label="F")]),
            ["O: setting of F 1 became 0.5"],
        ),
        "nothing: labels decide before ids": (
            graph([node("a", label="Price"), node("b", label="Wage")]),
            graph([node("b", label="Price"), node("a", label="Wage")]),
            [],
        ),
        "an id with a label that is alike": (
            graph([node("f", label="Bread price")]),
            graph([node("f", label="Price of bread")]),
            ["Bread price: label “Bread price” became “Price of bread”"],
        ),
        "an id with another meaning": (
            graph([node("f", label="Bread price")]),
            graph([node("f", label="Staff")]),
            ["Bread price", "Staff"],
        ),
        "the most alike of several labels": (
            graph([node("a", label="Wait"), node("b", label="Wait of patients")]),
            graph([node("x", label="Wait of patients in hours"), node("y", label="Wait: all")]),
            [
                "Wait: label “Wait” became “Wait: all”",
                "Wait of patients: label “Wait of patients” became “Wait of patients in hours”",
            ],
        ),
        "nearly equal labels of two kinds": (
            graph([node("a", "option", label="Overbooking")]),
            graph([node("b", "factor", label="Overbooking of rooms")]),
            ["Overbooking", "Overbooking of rooms"],
        ),
    },
)
def test_the_differences_of_nodes_are_described_in_words(
    before: DraftGraph, after: DraftGraph, texts: list[str]
) -> None:
    assert [item.text for item in compare_graphs(before, after)[0]] == texts


@cases(
    "before, after, texts",
    {
        "a value": (
            graph([A, B], [edge("a", "b", 0.5)]),
            graph([A, B], [edge("a", "b", -0.5)]),
            ["A → B: mean 0.5 became -0.5"],
        ),
        "its direction": (
            graph([A, B], [edge("a", "b")]),
            graph([A, B], [edge("b", "a")]),
            ["A → B", "B → A"],
        ),
        "nothing, where an id has another meaning": (
            graph([node("a", label="Price"), node("b", label="Wage")], [edge("a", "b")]),
            graph([node("b", label="Wage"), node("c", label="Price")], [edge("c", "b")]),
            [],
        ),
        "both ends, each named as in its own graph": (
            graph([node("a", label="Price"), node("b", label="Wage")], [edge("a", "b")]),
            graph([node("a", label="Staff"), node("b", label="Rent")], [edge("a", "b")]),
            ["Price → Wage", "Staff → Rent"],
        ),
    },
)
def test_the_differences_of_edges_are_described_in_words(
    before: DraftGraph, after: DraftGraph, texts: list[str]
) -> None:
    assert [item.text for item in compare_graphs(before, after)[1]] == texts


def test_what_has_no_partner_was_added_or_removed() -> None:
    assert compare_graphs(graph(CHAIN, LINKS), graph(CHAIN, LINKS)) == ([], [])
    nodes, edges = compare_graphs(
        graph([A, B], [edge("a", "b")]), graph([A, node("c")], [edge("a", "c"), edge("a", "c")])
    )
    assert [(item.kind, item.before, item.after, item.text) for item in nodes + edges] == [
        ("removed", 1, None, "B"),
        ("added", None, 1, "C"),
        ("removed", 0, None, "A → B"),
        ("added", None, 0, "A → C"),
        ("added", None, 1, "A → C"),
    ]


@pytest.mark.parametrize("repeated", [1, 2])
def test_repeated_edges_are_paired_in_order(repeated: int) -> None:
    twice = graph([A, B], [edge("a", "b"), edge("a", "b")])
    _, found = compare_graphs(twice, graph([A, B], [edge("a", "b")] * repeated))
    assert [(item.kind, item.before) for item in found] == [("removed", 1)][repeated - 1 :]
