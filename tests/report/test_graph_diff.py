import re

from stages.report.site.side_by_side import Drafted, side_by_side
from stages.shared.records.graph import DraftGraph
from tests.builders.cases import cases
from tests.builders.graphs import edge, graph, node

A, B = node("a"), node("b")
PRICE, WAGE = node("a", label="Price"), node("b", label="Wage")


@cases(
    "first, second, expected",
    {
        "other numbers and ids": (
            graph([PRICE, WAGE], [edge("a", "b", 0.5)]),
            graph(
                [node("b", label="Price", category="external"), node("a", label="Wage")],
                [edge("b", "a", 0.1)],
            ),
            [],
        ),
        "labels of nearly the same words": (
            graph([node("a", label="Bread price"), WAGE], [edge("a", "b")]),
            graph([node("x", label="Price of the bread"), WAGE], [edge("x", "b")]),
            [],
        ),
        "other labels": (
            graph([node("f", label="Bread price")]),
            graph([node("f", label="Staff")]),
            ["First factor: Bread price", "Second factor: Staff"],
        ),
        "another sign": (
            graph([A, B], [edge("a", "b", 0.5)]),
            graph([A, B], [edge("a", "b", -0.5)]),
            [
                "First A -> B: mean 0.5, std 0.1, probability 0.9",
                "Second A -> B: mean -0.5, std 0.1, probability 0.9",
            ],
        ),
    },
)
def test_what_only_one_graph_has_is_listed(
    first: DraftGraph, second: DraftGraph, expected: list[str]
) -> None:
    pair = side_by_side(Drafted("First", "", first), Drafted("Second", "", second))
    rows = [[entry.text for entry in row] for row in pair.table.rows]
    assert [f"{whose} {text}" for whose, _, text in rows] == expected


def test_what_only_one_graph_has_is_highlighted_in_its_drawing() -> None:
    first = graph([A, B], [None, edge("a", "b")])
    pair = side_by_side(Drafted("First", "", first), Drafted("Second", "", graph([A, node("c")])))
    looks = [re.findall(r'class="([^"]*(?:added|removed))"', drawn.svg) for _, drawn in pair.sides]
    assert looks == [["e pos removed", "n factor removed"], ["n factor added"]]
