import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.contracts.scorecard import EdgeRef, Finding
from stages.report.drawing import draw_graph, emphasis_of
from tests.report.graphs import CHAIN, LINKS, SVG, Picture, corner, edge, graph, node, svg
from tests.report.hostile import HOSTILE


def test_kinds_are_in_columns_from_left_to_right() -> None:
    picture = Picture(graph(CHAIN, LINKS))
    lefts = [picture.left(label) for label in "DOFRG"]
    assert lefts == sorted(set(lefts))


def test_columns_are_as_far_apart_as_their_edges_need() -> None:
    few = Picture(graph(CHAIN, LINKS))
    assert few.left("O") - few.left("D") == 156 + 64
    options = [node(f"o{number}", "option") for number in range(40)]
    many = Picture(graph([CHAIN[0], *options], [edge("d", one["id"]) for one in options]))
    assert many.left("O0") - many.left("D") == 192 + 140
    most = Picture(graph([CHAIN[0], *options], [edge("d", one["id"]) for one in options * 2]))
    assert most.left("O0") - most.left("D") == 192 + 180


def test_a_factor_that_acts_on_a_factor_is_left_of_it() -> None:
    picture = Picture(graph([node("a"), node("b")], [edge("b", "a")]))
    assert picture.left("B") < picture.left("A")


def test_many_factors_in_one_column_have_low_and_wide_boxes() -> None:
    few = Picture(graph([node(f"f{number}", label="word " * 20) for number in range(10)]))
    many = Picture(graph([node(f"f{number}", label="word " * 20) for number in range(40)]))
    assert float(many.root.get("width", "")) > float(few.root.get("width", ""))
    assert float(many.root.get("height", "")) < 3.5 * float(few.root.get("height", ""))


def test_a_stronger_effect_is_wider_whatever_its_sign() -> None:
    weak, strong = Picture(graph(CHAIN, LINKS)).arrows[2:]
    assert float(weak.get("stroke-width", "")) < float(strong.get("stroke-width", ""))


def test_an_edge_from_a_node_to_itself_is_a_loop_at_its_right_side() -> None:
    picture = Picture(graph([*CHAIN, node("x")], [*LINKS, edge("x", "x")]))
    (loop,) = [arrow for arrow in picture.arrows if picture.about(arrow).startswith("X → X")]
    numbers = [float(text) for text in re.findall(r"-?[\d.]+", loop.get("d", ""))]
    (x1, y1), (x2, y2) = numbers[:2], numbers[-2:]
    assert x1 == x2 == picture.left("X") + 156
    assert (y2 - y1, max(numbers[::2]) - x1) == (24, 30)


@pytest.mark.parametrize(("mean", "look"), [(0.5, "pos"), (-0.5, "neg"), (0.0, "nil")])
def test_the_sign_of_an_effect_is_a_colour(mean: float, look: str) -> None:
    (arrow,) = Picture(graph([node("a"), node("b")], [edge("a", "b", mean)])).arrows
    assert arrow.get("class", "").split() == ["e", look]


def test_what_is_less_likely_to_exist_is_paler() -> None:
    edges = [edge("a", "b", exists_probability=0.9), edge("a", "b", exists_probability=0.2)]
    likely, unlikely = Picture(graph([node("a"), node("b")], edges)).arrows
    assert float(likely.get("opacity", "1")) > float(unlikely.get("opacity", "1"))


def test_a_bidirected_edge_is_dashed_and_points_both_ways() -> None:
    (arrow,) = Picture(graph([node("a"), node("b")], [edge("a", "b", edge_type="bidirected")])).arrows
    assert "both" in arrow.get("class", "").split()
    assert arrow.get("marker-start") == arrow.get("marker-end")


def test_choices_are_not_drawn_as_effects() -> None:
    looks = [arrow.get("class") for arrow in Picture(graph(CHAIN, LINKS)).arrows]
    assert looks == ["e set", "e set", "e neg", "e pos"]


@pytest.mark.parametrize("category", ["controllable", "observable", "external"])
def test_the_category_of_a_factor_is_shown_and_described(category: str) -> None:
    box = Picture(graph([node("a", category=category)])).box("A")
    assert category in box.get("class", "").split()
    assert box.findtext(f"{SVG}text") == f"factor · {category}"


def test_an_option_shows_what_it_sets_when_it_is_pointed_at() -> None:
    option = node("o", "option", data={"interventions": {"f": 0.25}})
    picture = Picture(graph([option, node("f", label="Price")]))
    assert "sets\n  Price = 0.25" in picture.about(picture.box("O"))


def test_an_edge_shows_its_parameters_when_it_is_pointed_at() -> None:
    picture = Picture(graph(CHAIN, LINKS))
    assert picture.about(picture.arrows[3]) == "R → G\nstrength 0.75 ± 0.1, exists with probability 0.9"


INVALID: dict[str, tuple[list[Any], list[Any]]] = {
    "cycle": ([node("a"), node("b"), node("c")], [edge("a", "b"), edge("b", "c"), edge("c", "a")]),
    "self-loop": ([node("a")], [edge("a", "a")]),
    "backwards": ([node("g", "goal"), node("d", "decision")], [edge("g", "d")]),
    "orphans": ([node("a"), node("b"), node("g", "goal")], []),
    "duplicate-ids": ([node("a"), node("a", label="Again")], [edge("a", "a")]),
    "duplicate-edges": ([node("a"), node("b")], [edge("a", "b"), edge("a", "b"), edge("b", "a")]),
    "unknown-kinds": ([node("a", "wish"), node("b", "")], [edge("a", "b")]),
    "no-labels": ([{"id": "a", "kind": "factor"}, node("b", label="")], []),
    "infinite": ([node("a"), node("b")], [edge("a", "b", float("inf"), exists_probability=float("-inf"))]),
    "no-parameters": ([node("a"), node("b")], [{"from": "a", "to": "b"}]),
    "odd-entries": ([node("a"), None, 3, {}], [None, {"from": 1, "to": "a"}, edge("a", "b")]),
}


@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_graph_is_drawn_all_the_same(name: str) -> None:
    nodes, edges = INVALID[name]
    drafted = graph(nodes, edges)
    picture = Picture(drafted)
    assert len(picture.root.findall(f"{SVG}g[@id]")) >= len(drafted.nodes)
    assert len(picture.arrows) == len(drafted.edges)


def test_a_node_that_edges_name_but_that_is_not_there_is_drawn_as_absent() -> None:
    picture = Picture(graph([node("a")], [edge("a", "ghost")]))
    (about,) = [about for about in picture.boxes if about.startswith("ghost")]
    assert "absent" in picture.boxes[about].get("class", "")


def test_an_empty_graph_is_not_drawn() -> None:
    assert draw_graph(graph([])).boxes == ()


def test_a_long_label_is_cut_and_shown_in_full_where_it_is_pointed_at() -> None:
    label = "An uncommonly long label that goes on and on about the price of bread in the whole of the region"
    picture = Picture(graph([node("a", label=label)]))
    lines = [text.text or "" for text in picture.box(label).findall(f"{SVG}text")[1:]]
    assert len(lines) == 3
    assert lines[-1].endswith("…")
    assert max(map(len, lines)) <= 22


def test_a_huge_graph_is_drawn_in_part_with_a_note() -> None:
    nodes = [node(f"n{number}") for number in range(4_000)]
    edges = [edge(f"n{number}", f"n{number + 1}") for number in range(3_999)]
    sketch = draw_graph(graph(nodes, edges))
    assert sketch.note.startswith("The drawing shows 150 of 4,000 nodes and 149 of 3,999 edges")
    assert len(svg(sketch)) < 200_000


def test_edges_to_thousands_of_absent_nodes_do_not_make_thousands_of_boxes() -> None:
    edges = [edge("a", f"ghost-{number}") for number in range(4_000)]
    assert len(svg(draw_graph(graph([node("a")], edges)))) < 400_000


def test_what_findings_name_is_highlighted_with_the_number_of_the_finding() -> None:
    drafted = graph([node("a"), node("b"), node("c")], [edge("a", "b"), edge("b", "c")])
    findings = [
        Finding(code="X", message="", nodes=("b",)),
        Finding(code="Y", message="", nodes=("b",), edges=(EdgeRef(index=1, source="b", target="c"),)),
    ]
    picture = Picture(drafted, emphasis_of(findings))
    badges = [
        badge.findtext(f"{SVG}text") for badge in picture.root.iter(f"{SVG}g") if badge.get("class") == "badge bad"
    ]
    assert "bad" in picture.box("B").get("class", "").split()
    assert "bad" not in picture.box("A").get("class", "").split()
    assert sorted(badge or "" for badge in badges) == ["1,2", "2"]
    assert ["bad" in (arrow.get("class") or "").split() for arrow in picture.arrows] == [False, True]


def test_an_absent_node_that_a_finding_names_is_highlighted() -> None:
    drafted = graph([node("a")], [edge("a", "ghost"), edge("a", "other")])
    picture = Picture(drafted, emphasis_of([Finding(code="X", message="", nodes=("ghost",))]))
    looks = {about.split(":")[0]: box.get("class", "").split() for about, box in picture.boxes.items()}
    assert ("bad" in looks["ghost"], "bad" in looks["other"]) == (True, False)


def test_an_edge_is_found_by_its_place_in_the_answer_though_entries_before_it_were_no_edges() -> None:
    drafted = graph([node("a"), node("b")], [None, edge("a", "b"), edge("b", "a")])
    picture = Picture(
        drafted,
        emphasis_of([Finding(code="X", message="", edges=(EdgeRef(index=2, source="b", target="a"),))]),
    )
    assert ["bad" in (arrow.get("class") or "").split() for arrow in picture.arrows] == [False, True]


ALLOWED = {f"{SVG}{name}" for name in ("svg", "defs", "marker", "path", "g", "rect", "text", "title")}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_stays_text(name: str) -> None:
    text = HOSTILE[name]
    nodes = [node("o", "option", label=text, data={"interventions": {text: 1.0}}), node(text, text, category=text)]
    picture = Picture(graph(nodes, [edge(text, "o"), edge("o", text + "?")]))
    assert {element.tag for element in picture.root.iter()} <= ALLOWED
    names = {name for element in picture.root.iter() for name in element.attrib}
    assert not [name for name in names if name.startswith("on") or "href" in name or name == "style"]
    shown = "".join(picture.root.itertext())
    assert not set(shown) & {"\u202e", "\u2066", "\u200b", "\ufeff", "\x00", "\x1b"}


IDS = st.sampled_from(["a", "b", "c", "d", "e", "f", "ghost"])
KINDS = st.sampled_from(["decision", "option", "factor", "outcome", "risk", "goal", "?"])
NODES = st.lists(st.builds(node, IDS, KINDS), max_size=12)
EDGES = st.lists(
    st.builds(edge, IDS, IDS, st.floats(-2, 2), edge_type=st.sampled_from(["directed", "bidirected"])), max_size=25
)


@given(NODES, EDGES)
@settings(max_examples=60, deadline=None)
def test_every_graph_is_drawn_and_no_box_overlaps_another(nodes: list[Any], edges: list[Any]) -> None:
    drafted = graph(nodes, edges)
    if not nodes and not edges:
        return
    columns: dict[float, list[tuple[float, float]]] = {}
    picture = Picture(drafted)
    for box in picture.root.findall(f"{SVG}g[@id]"):
        rect = box.find(f"{SVG}rect")
        assert rect is not None
        left, top = corner(box)
        bottom = top + float(rect.get("height", ""))
        columns.setdefault(left, []).append((top, bottom))
        assert top >= 0
        assert bottom <= float(picture.root.get("height", ""))
    for spans in columns.values():
        ordered = sorted(spans)
        assert all(after[0] - before[1] >= 10 for before, after in pairwise(ordered))
    assert len(picture.arrows) == len(drafted.edges)
