"""A graph in words, and what only one of two graphs has."""

from typing import Any

from graph_evaluator.records.graph import read
from graph_evaluator.records.recommendation import OptionGain, Recommendation
from graph_evaluator.report.graph_text import PartNumbers, coaching_of, edge_list
from tests.builders.cases import cases
from tests.builders.graphs import DRAFT, edge, graph, node

GRAPH = read(DRAFT)[0]


def test_a_line_of_a_graph_leaves_out_what_was_not_given_and_keeps_what_is_0():
    nodes: list[Any] = [
        {"id": "g", "kind": "goal", "goal_threshold": 0.5},
        {"id": "h", "kind": "goal", "goal_threshold_raw": 0},
    ]
    none = {
        "from": "g",
        "to": "x",
        "strength": {"mean": 0.0, "std": 0.0},
        "exists_probability": 0.0,
    }
    edges: list[Any] = [none, {"from": "h", "to": "g"}]
    assert edge_list(read({"nodes": nodes, "edges": edges})[0]) == [
        "goal: g; threshold 0.5", "goal: h; threshold 0", "", "g -> x: mean 0, std 0, probability 0", "h -> g"
    ]  # fmt: skip


def test_a_very_large_graph_is_cut_with_a_note():
    nodes: list[Any] = [{"id": str(number), "kind": "factor"} for number in range(200)]
    lines = edge_list(read({"nodes": nodes, "edges": []})[0])
    assert (len(lines), lines[-1]) == (151, "and 51 more lines")


def test_coaching_is_a_summary_and_at_most_twenty_items_with_their_headings():
    items: list[Any] = [{"label": "L", "detail": "D"}, "text", {"detail": 1}, *["x"] * 30]
    coaching: Any = {"summary": "S", "strengthen_items": items}
    lines = coaching_of(read({"nodes": [], "edges": [], "coaching": coaching})[0])
    assert lines == [("", "S"), ("L", "D"), ("", "text"), ("", '{"detail":1}'), *[("", "x")] * 17]
    assert coaching_of(GRAPH) == []


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
            ["First Bread price", "Second Staff"],
        ),
        "decision and goal, of which a graph has one each": (
            graph([node("d", "decision"), node("g", "goal")]),
            graph([node("x", "decision"), node("y", "goal")]),
            [],
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
def test_parts_that_only_one_of_two_graphs_has_have_numbers_of_their_own(first, second, expected):
    reader = PartNumbers()
    sides = {"First": reader.read(first, None), "Second": reader.read(second, None)}
    of_first, of_second = ({part[0] for part in parts} for parts in sides.values())
    shared = of_first & of_second
    rows = [
        f"{side} {text}"
        for side, parts in sides.items()
        for number, _, _, text in parts
        if number not in shared
    ]
    assert rows == expected


def test_a_part_has_its_place_in_the_drawing_its_kind_and_its_text():
    twins = graph([node("o", "option"), A, node("c", label="A")], [edge("o", "a"), edge("a", "c")])
    assert [part[1:] for part in PartNumbers().read(twins, None)] == [
        ("n0", "option", "O"), ("n1", "factor", "A"), ("n2", "factor", "A"),
        ("e1", "effect", "A -> A: mean 0.5, std 0.1, probability 0.9"),
    ]  # fmt: skip


def test_options_are_those_that_the_brief_names_and_only_others_are_paired_by_words():
    def read(*stated):
        nodes = [
            node(f"o{place}", "option", label=label) for place, (label, _) in enumerate(stated)
        ]
        gains = [
            OptionGain(label=label, gain=0.1, certainty=0.5, stated=name) for label, name in stated
        ]
        return [part[0] for part in reader.read(graph(nodes), Recommendation(options=tuple(gains)))]

    reader = PartNumbers()
    first = read(
        ("Carrier North, own network", "North"),
        ("Carrier Link, own fleet", "Link"),
        ("Wait a year", ""),
    )
    second = read(
        ("Carrier Link, own network", "Split"), ("The cheap one", "Link"), ("Wait one year", "")
    )
    assert [first.index(number) if number in first else None for number in second] == [None, 1, 2]
