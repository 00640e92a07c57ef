import pytest

from stages.report.site.side_by_side import compare_graphs
from tests.builders.graphs import CHAIN, LINKS, edge, graph, node


def test_a_graph_does_not_differ_from_itself() -> None:
    diff = compare_graphs(graph(CHAIN, LINKS), graph(CHAIN, LINKS))
    assert (diff.nodes, diff.edges, diff.same_nodes, diff.same_edges) == ((), (), 5, 4)


def test_what_only_one_graph_has_was_added_or_removed() -> None:
    diff = compare_graphs(
        graph([node("a"), node("b")], [edge("a", "b")]),
        graph([node("a"), node("c")], [edge("a", "c")]),
    )
    assert [(item.kind, item.text) for item in diff.nodes] == [("removed", "B"), ("added", "C")]
    assert [(item.kind, item.text) for item in diff.edges] == [
        ("removed", "A → B"),
        ("added", "A → C"),
    ]
    assert [(item.before, item.after) for item in diff.nodes] == [(1, None), (None, 1)]


def test_what_changed_is_described_in_words() -> None:
    before = graph([node("a", category="external"), node("b")], [edge("a", "b", 0.5)])
    after = graph([node("a", category="observable"), node("b")], [edge("a", "b", -0.5)])
    diff = compare_graphs(before, after)
    assert [item.text for item in diff.nodes] == ["A: category “external” became “observable”"]
    assert [item.text for item in diff.edges] == ["A → B: mean 0.5 became -0.5"]


def test_an_option_that_sets_something_else_has_changed() -> None:
    before = graph([node("o", "option", data={"interventions": {"f": 1.0}}), node("f")])
    after = graph([node("o", "option", data={"interventions": {"x": 0.5}}), node("x", label="F")])
    assert [item.text for item in compare_graphs(before, after).nodes] == [
        "O: setting of F 1 became 0.5"
    ]


def test_a_node_with_another_id_but_the_same_kind_and_label_is_the_same() -> None:
    before = graph([node("x", label="Price"), node("g", "goal")], [edge("x", "g")])
    after = graph([node("y", label="price "), node("g", "goal")], [edge("y", "g")])
    diff = compare_graphs(before, after)
    assert diff.edges == ()
    assert diff.same_edges == 1
    assert [item.kind for item in diff.nodes] == ["changed"]


def test_a_turned_edge_is_another_edge_unless_it_is_bidirected() -> None:
    nodes = [node("a"), node("b")]
    assert (
        len(compare_graphs(graph(nodes, [edge("a", "b")]), graph(nodes, [edge("b", "a")])).edges)
        == 2
    )
    there, back = (edge(*ends, edge_type="bidirected") for ends in (("a", "b"), ("b", "a")))
    assert compare_graphs(graph(nodes, [there]), graph(nodes, [back])).edges == ()


def test_an_id_that_means_something_else_in_the_second_graph_is_not_mixed_up() -> None:
    before = graph([node("a", label="Price"), node("b", label="Wage")], [edge("a", "b")])
    after = graph([node("b", label="Wage"), node("c", label="Price")], [edge("c", "b")])
    assert compare_graphs(before, after).edges == ()


def test_repeated_edges_are_paired_in_order() -> None:
    nodes = [node("a"), node("b")]
    diff = compare_graphs(
        graph(nodes, [edge("a", "b"), edge("a", "b")]), graph(nodes, [edge("a", "b")])
    )
    assert [(item.kind, item.before) for item in diff.edges] == [("removed", 1)]


def test_labels_decide_before_ids_which_nodes_are_the_same() -> None:
    before = graph([node("a", label="Price"), node("b", label="Wage")])
    after = graph([node("b", label="Price"), node("a", label="Wage")])
    assert compare_graphs(before, after).nodes == ()


@pytest.mark.parametrize(
    ("label", "kinds"),
    [("Price of bread", ["changed"]), (None, ["changed"]), ("Staff", ["removed", "added"])],
    ids=["alike", "no label", "another meaning"],
)
def test_an_id_names_the_same_node_only_where_its_labels_are_alike(
    label: str | None, kinds: list[str]
) -> None:
    before = graph([node("f1", label="Bread price"), node("g", "goal")], [edge("f1", "g")])
    after = graph([node("f1", label=label), node("g", "goal")], [edge("f1", "g")])
    diff = compare_graphs(before, after)
    assert [item.kind for item in diff.nodes] == kinds
    assert diff.same_edges == (1 if kinds == ["changed"] else 0)


def test_both_ends_of_an_edge_are_named_as_in_their_own_graph() -> None:
    before = graph([node("a", label="Price"), node("b", label="Wage")], [edge("a", "b")])
    after = graph([node("a", label="Staff"), node("b", label="Rent")], [edge("a", "b")])
    texts = [item.text for item in compare_graphs(before, after).edges]
    assert texts == ["Price → Wage", "Staff → Rent"]


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("Overbooking", "Overbooking: one extra patient an hour", 1),
        ("Staff cost per month", "Monthly staff cost", 0),
        ("Nurses' hours", "hours (nurses)", 1),
    ],
    ids=["more words", "another word", "other order"],
)
def test_nodes_of_one_kind_with_nearly_equal_labels_are_the_same(
    old: str, new: str, same: int
) -> None:
    before = graph([node("a", label=old)], [])
    after = graph([node("b", label=new)], [])
    changes = compare_graphs(before, after).nodes
    assert [item.kind for item in changes].count("changed") == same


def test_of_several_nearly_equal_labels_the_most_alike_are_the_same() -> None:
    before = graph([node("a", label="Wait"), node("b", label="Wait of patients")], [])
    after = graph([node("x", label="Wait of patients in hours"), node("y", label="Wait: all")], [])
    texts = [item.text for item in compare_graphs(before, after).nodes]
    assert texts == [
        "Wait: label “Wait” became “Wait: all”",
        "Wait of patients: label “Wait of patients” became “Wait of patients in hours”",
    ]


def test_nearly_equal_labels_of_two_kinds_are_different_nodes() -> None:
    before = graph([node("a", "option", label="Overbooking")], [])
    after = graph([node("b", "factor", label="Overbooking of rooms")], [])
    assert [item.kind for item in compare_graphs(before, after).nodes] == ["removed", "added"]
