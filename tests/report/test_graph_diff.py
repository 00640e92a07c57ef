from stages.report.site.side_by_side import compare_graphs
from stages.shared.records.graph import DraftGraph
from tests.builders.cases import cases
from tests.builders.graphs import CHAIN, LINKS, edge, graph, node

A, B = node("a"), node("b")
PRICE, WAGE = node("a", label="Price"), node("b", label="Wage")
OPTION = node("o", "option", data={"interventions": {"f": 1.0}})
OTHER_OPTION = node("o", "option", data={"interventions": {"x": 0.5}})


@cases(
    "before, after, expected",
    {
        "nothing": (graph(CHAIN, LINKS), graph(CHAIN, LINKS), []),
        "a category": (
            graph([node("a", category="external")]),
            graph([node("a", category="observable")]),
            ["node changed: factor (external): A | factor (observable): A"],
        ),
        "what an option sets": (
            graph([OPTION, node("f")]),
            graph([OTHER_OPTION, node("x", label="F")]),
            ["node changed: option: O; F = 1 | option: O; F = 0.5"],
        ),
        "nothing: labels decide before ids": (
            graph([PRICE, WAGE]),
            graph([node("b", label="Price"), node("a", label="Wage")]),
            [],
        ),
        "an id with a label that is alike": (
            graph([node("f", label="Bread price")]),
            graph([node("f", label="Price of the bread")]),
            ["node changed: factor: Bread price | factor: Price of the bread"],
        ),
        "an id with another meaning": (
            graph([node("f", label="Bread price")]),
            graph([node("f", label="Staff")]),
            ["node removed: factor: Bread price", "node added: factor: Staff"],
        ),
        "the most alike of several labels": (
            graph([node("a", label="Wait of staff"), node("b", label="Wait of patients")]),
            graph([node("x", label="Waits of patients"), node("y", label="Wait: staff")]),
            [
                "node changed: factor: Wait of staff | factor: Wait: staff",
                "node changed: factor: Wait of patients | factor: Waits of patients",
            ],
        ),
        "equal labels of two kinds": (
            graph([node("a", "option", label="Overbooking")]),
            graph([node("b", "factor", label="Overbooking")]),
            ["node removed: option: Overbooking", "node added: factor: Overbooking"],
        ),
        "a value of an edge": (
            graph([A, B], [edge("a", "b", 0.5)]),
            graph([A, B], [edge("a", "b", -0.5)]),
            [
                "edge changed: A -> B: mean 0.5, std 0.1, probability 0.9"
                " | A -> B: mean -0.5, std 0.1, probability 0.9"
            ],
        ),
        "the direction of an edge": (
            graph([A, B], [edge("a", "b", strength=None)]),
            graph([A, B], [edge("b", "a", strength=None)]),
            ["edge removed: A -> B: probability 0.9", "edge added: B -> A: probability 0.9"],
        ),
        "nothing, where an id has another meaning": (
            graph([PRICE, WAGE], [edge("a", "b")]),
            graph([node("b", label="Wage"), node("c", label="Price")], [edge("c", "b")]),
            [],
        ),
        "repeated edges, paired in order": (
            graph([A, B], [edge("a", "b", strength=None)] * 3),
            graph([A, B], [edge("a", "b", strength=None)] * 2),
            ["edge removed: A -> B: probability 0.9"],
        ),
    },
)
def test_every_difference_is_described_in_words(
    before: DraftGraph, after: DraftGraph, expected: list[str]
) -> None:
    found = compare_graphs(before, after)
    described = [
        f"{item.what} {item.kind}: "
        + " | ".join(part.text for part in (item.before, item.after) if part)
        for item in found
    ]
    assert described == expected


def test_an_edge_is_highlighted_by_its_place_in_the_answer() -> None:
    (found,) = compare_graphs(graph([A, B], [None, edge("a", "b")]), graph([A, B]))
    assert (found.before and found.before.place, found.after) == (1, None)
