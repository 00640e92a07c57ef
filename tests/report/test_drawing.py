"""Drawings of graphs: looks, escaping, and the places of boxes and arrows."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_evaluator.records.scorecard import EdgeRef, Finding
from graph_evaluator.report.drawing.layout import columns_of, lay_out
from graph_evaluator.report.drawing.sketch import (
    MAX_LINES,
    draw_graph,
    label_lines,
)
from tests.builders.cases import cases
from tests.builders.graphs import edge, graph, node
from tests.report.hostile import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"


class Picture:
    """A drawing as a tree of elements, its boxes and its arrows."""

    def __init__(self, drafted, findings=()):
        self.sketch = draw_graph(drafted, "g", "a graph", findings)
        self.root = ElementTree.fromstring(self.sketch.svg)
        self.boxes = self.root.findall(f"{SVG}g[@id]")
        self.arrows = [path for path in self.root.findall(f"{SVG}path") if path.get("data-ends")]


def about(element):
    """What an element shows when it is pointed at, in lines."""
    return (element.findtext(f"{SVG}title") or "").split("\n")


def drawn_edge(**fields):
    """The arrow of an edge from A to B with other fields than usual."""
    drafted = graph([node("a"), node("b")], [edge("a", "b") | fields])
    (arrow,) = Picture(drafted).arrows
    return arrow


@cases(
    "mean, look, width",
    {"raises": (0.4, "pos", "2.9"), "lowers": (-7.0, "neg", "5.5"), "none": (0.0, "nil", "1.2")},
)
def test_the_sign_of_an_effect_is_a_colour_with_its_head_and_its_strength_a_width(
    mean, look, width
):
    arrow = drawn_edge(strength={"mean": mean})
    assert (arrow.get("class"), arrow.get("stroke-width")) == (f"e {look}", width)
    assert arrow.get("marker-end") == f"url(#g-{look})"


def test_opacity_is_the_probability_within_its_limits():
    arrows = [drawn_edge(exists_probability=chance) for chance in (-3.0, 0.5, 2.0, None)]
    assert [arrow.get("stroke-opacity") for arrow in arrows] == ["0.3", "0.65", None, None]
    unknown = drawn_edge(strength=None, edge_type="bidirected")
    assert (unknown.get("class"), unknown.get("stroke-width")) == ("e nil both", "1.2")
    assert about(unknown) == ["strength not given ± not given, exists with probability 0.9"]


def test_what_is_known_of_a_node_is_shown_where_it_is_pointed_at():
    many = {f"f{number:02}": number / 100 for number in range(41)}
    nodes = [node("g", "goal", goal_threshold=0.2), node("o", "option", data={"interventions": many}), {"id": "q", "kind": "factor", "category": "external"}]  # fmt: skip
    goal, option, factor = map(about, Picture(graph(nodes)).boxes)
    assert goal == ["goal: G", "id g", "threshold 0.2"]
    assert option[2].startswith("f00 = 0, f01 = 0.01,")
    assert option[2].endswith("f39 = 0.39 and 1 more")
    assert factor == ["factor · external: q", "id q"]


def test_an_answer_with_odd_entries_is_drawn_all_the_same():
    nodes = [node("a", "wish"), None, {}, {"id": "c", "kind": ""}]
    odd = edge("a", "a", float("inf"), exists_probability=float("-inf"))
    drafted = graph(nodes, [None, {"from": 1, "to": "a"}, {"from": "a", "to": "b"}, odd])
    picture = Picture(drafted)
    assert len(picture.boxes) >= len(drafted.nodes)
    assert len(picture.arrows) == len(drafted.edges)


def test_a_label_is_shown_in_six_lines_and_the_rest_is_text():
    words = "Within a year, one set of figures trusted enough that departments drop their own"
    longer = f"{words} {words}"
    picture = Picture(graph([node("a", label=words), node("b", label=longer)]))
    whole, cut = (
        [text.text or "" for text in box.findall(f".//{SVG}text")[1:]] for box in picture.boxes
    )
    assert " ".join(whole) == words
    assert (len(cut), cut[-1][-1]) == (MAX_LINES, "…")
    assert picture.sketch.cut == [longer]


@given(st.text(max_size=100))
def test_the_lines_of_a_label_keep_to_their_number(text):
    assert 1 <= len(label_lines(text)) <= MAX_LINES


def test_a_graph_is_drawn_up_to_150_nodes_and_300_edges():
    nodes = [node(f"n{number}") for number in range(151)]
    picture = Picture(graph(nodes, [edge("n0", "n150"), *[edge("n0", "n1")] * 301]))
    assert (len(picture.boxes), len(picture.arrows)) == (150, 300)
    assert "150 of 151 nodes and 300 of 302 edges" in picture.sketch.note


def test_what_findings_name_is_highlighted():
    """An edge is found by its place in the answer, whose first entry here is no edge."""
    edges = [None, edge("a", "b"), edge("b", "c"), edge("a", "ghost")]
    named = (EdgeRef(index=2, source="b", target="c"),)
    found = Finding(code="X", message="", nodes=("b", "ghost"), edges=named)
    picture = Picture(graph([node("a"), node("b"), node("c")], edges), [found])
    parts = (*picture.boxes, *picture.arrows)
    bad = [part for part in parts if "bad" in part.get("class", "").split()]
    shown = [part.get("data-ends") or about(part)[0] for part in bad]
    assert shown == ["factor: B", "not in the graph: ghost", "1 2"]


ALLOWED = {
    f"{SVG}{name}" for name in ("svg", "defs", "marker", "path", "g", "rect", "text", "title")
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_stays_text(text):
    nodes = [
        node("o", "option", label=text, data={"interventions": {text: 1.0}}),
        node(text, text, category=text),
    ]
    picture = Picture(graph(nodes, [edge(text, "o"), edge("o", text + "?")]))
    assert {element.tag for element in picture.root.iter()} <= ALLOWED
    names = {name for element in picture.root.iter() for name in element.attrib}
    assert not [name for name in names if name.startswith("on") or "href" in name or name == "style"]  # fmt: skip
    shown = "".join(picture.root.itertext())
    assert not set(shown) & {"\u202e", "\u2066", "\u200b", "\ufeff", "\x00", "\x1b"}


def points(path):
    """The points of an arrow, from its beginning to its end."""
    numbers = list(map(float, re.findall(r"-?[\d.]+", path)))
    return list(zip(numbers[::2], numbers[1::2], strict=True))


IDS = st.sampled_from(["a", "b", "c", "d", "e", "f", "ghost"])
KINDS = st.sampled_from(["decision", "option", "factor", "outcome", "risk", "goal", "?"])
NODES = st.lists(st.builds(node, IDS, KINDS), max_size=12)
TYPES = st.sampled_from(["directed", "bidirected"])
EDGES = st.lists(st.builds(edge, IDS, IDS, st.floats(-2, 2), edge_type=TYPES), max_size=25)


def spans(picture):
    """The left, upper and lower edge of every box."""
    for box in picture.boxes:
        left, top = map(float, re.findall(r"[\d.]+", box.get("transform", "")))
        rect = box.find(f"{SVG}rect")
        assert rect is not None
        yield left, top, top + float(rect.get("height", ""))


@given(NODES, EDGES)
@settings(max_examples=60)
def test_every_graph_is_drawn_no_box_overlaps_another_and_all_is_within_the_drawing(nodes, edges):
    drafted = graph(nodes, edges)
    if not nodes and not edges:
        return
    picture = Picture(drafted)
    width, height = (float(picture.root.get(side, "")) for side in ("width", "height"))
    ordered = sorted(spans(picture))
    assert all(top >= 0 and bottom <= height for _, top, bottom in ordered)
    assert all(one[0] < after[0] or after[1] - one[2] >= 10 for one, after in pairwise(ordered))
    assert len(picture.arrows) == len(drafted.edges)
    for arrow in picture.arrows:
        assert all(0 <= x <= width and 0 <= y <= height for x, y in points(arrow.get("d", "")))


@pytest.mark.parametrize("link", [(0, 1), (2, 0)])
def test_an_arrow_joins_the_sides_of_its_boxes_that_face_each_other(link):
    found = lay_out([0, 1, 2], [40] * 3, [link, (0, 1)], width=100)
    left, right = (found.places[end].x for end in sorted(link))
    ends = points(found.paths[0])
    assert sorted((ends[0][0], ends[-1][0])) == [left + 100, right]


@cases(
    "kinds, links, columns",
    {
        "a chain": (["factor"] * 6, [(number, number + 1) for number in range(5)], [0, 1, 2, 3, 3, 3]),
        "a longer way": (["factor"] * 3, [(0, 1), (1, 2), (0, 2)], [0, 1, 2]),
        "a cycle": (["factor", "factor"], [(0, 1), (1, 0)], [0, 0]),
    },
)  # fmt: skip
def test_factors_are_in_columns_by_their_longest_chain_and_a_cycle_ends_in_the_last(
    kinds, links, columns
):
    assert columns_of(kinds, links) == columns
