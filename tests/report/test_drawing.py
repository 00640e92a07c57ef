from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.report.drawing.sketch import MAX_LINES, label_lines, looks_of
from stages.shared.records.scorecard import EdgeRef, Finding
from tests.builders.cases import cases
from tests.builders.graphs import edge, graph, node
from tests.report.hostile import HOSTILE
from tests.report.pictures import SVG, Picture, corner, sketch


@pytest.mark.parametrize(("mean", "look"), [(0.5, "pos"), (-0.5, "neg"), (0.0, "nil")])
def test_the_sign_of_an_effect_is_a_colour_and_its_head(mean: float, look: str) -> None:
    (arrow,) = Picture(graph([node("a"), node("b")], [edge("b", "a", mean)])).arrows
    assert (arrow.get("class"), arrow.get("data-ends")) == (f"e {look}", "1 0")
    assert arrow.get("marker-end") == f"url(#g-{look})"
    highlighted = drawn_edge("added", strength={"mean": mean}, exists_probability=0.1)
    assert highlighted.get("class") == f"e {look} added"
    assert highlighted.get("stroke-opacity") is None


def test_a_box_has_the_classes_of_its_kind_and_category_and_a_caption_of_both() -> None:
    drafted = graph([
        *(node(kind, kind) for kind in ("decision", "option", "factor", "outcome", "risk", "goal")),
        node("x", "wish", category="internal"), node("y", "", category="external"),
    ])  # fmt: skip
    boxes = Picture(drafted).root.findall(f"{SVG}g[@id]")
    assert [(box.get("class"), box.findtext(f".//{SVG}text")) for box in boxes] == [
        ("n decision", "decision"), ("n option", "option"), ("n factor", "factor"), ("n outcome", "outcome"),
        ("n risk", "risk"), ("n goal", "goal"), ("n other", "wish · internal"), ("n other external", "no kind · external"),
    ]  # fmt: skip


def drawn_edge(look: str | None = None, **fields: Any) -> ElementTree.Element:
    """The arrow of an edge from A to B with other fields than usual."""
    drafted = graph([node("a"), node("b")], [edge("a", "b") | fields])
    (arrow,) = Picture(drafted, {0: look} if look else {}).arrows
    return arrow


def test_width_is_the_strength_and_opacity_the_probability_each_within_its_limits() -> None:
    arrows = [drawn_edge(strength={"mean": mean}) for mean in (0.0, 0.4, -0.4, 1.0, -7.0)]
    widths = [arrow.get("stroke-width") for arrow in arrows]
    assert widths == ["1.2", "2.9", "2.9", "5.5", "5.5"]
    arrows = [drawn_edge(exists_probability=chance) for chance in (-3.0, 0.0, 0.5, 1.0, 2.0, None)]
    opacities = [arrow.get("stroke-opacity") for arrow in arrows]
    assert opacities == ["0.3", "0.3", "0.65", None, None, None]
    unknown = drawn_edge(strength=None, edge_type="bidirected")
    assert (unknown.get("class"), unknown.get("stroke-width")) == ("e nil both", "1.2")
    about = "strength not given ± not given, exists with probability 0.9"
    assert unknown.findtext(f"{SVG}title") == about


def test_what_is_known_of_a_node_is_shown_where_it_is_pointed_at() -> None:
    many = {f"f{number:02}": number / 100 for number in range(41)}
    picture = Picture(graph([
        node("g", "goal", goal_threshold=0.2), node("h", "goal", goal_threshold="a fifth"),
        node("o", "option", data={"interventions": many}), {"id": "q", "kind": "factor", "category": "external"},
    ]))  # fmt: skip
    goal, other_goal, option, factor = (
        picture.about(box).split("\n") for box in picture.boxes.values()
    )
    assert goal == ["goal: G", "id g", "threshold 0.2"]
    assert other_goal == ["goal: H", "id h", "threshold a fifth"]
    assert option[:4] == ["option: O", "id o", "sets", "  f00 = 0"]
    assert option[-2:] == ["  f39 = 0.39", "  and 1 more"]
    assert factor == ["factor · external: q", "id q"]


def test_an_answer_with_odd_entries_is_drawn_all_the_same() -> None:
    nodes = [node("a", "wish"), None, 3, {}, {"id": "c", "kind": ""}]
    edges = [
        None,
        {"from": 1, "to": "a"},
        {"from": "a", "to": "b"},
        edge("a", "a", float("inf"), exists_probability=float("-inf")),
    ]
    drafted = graph(nodes, edges)
    picture = Picture(drafted)
    assert len(picture.root.findall(f"{SVG}g[@id]")) >= len(drafted.nodes)
    assert len(picture.arrows) == len(drafted.edges)
    assert sketch(graph([], [])).svg == ""


SIXTEEN_WORDS = (
    "Within a year, one set of figures trusted enough that department heads drop their own "
    "spreadsheets"
)


def test_a_label_of_sixteen_words_is_whole_and_of_a_longer_one_the_rest_is_text() -> None:
    longer = f"{SIXTEEN_WORDS} {SIXTEEN_WORDS}"
    drafted = graph([node("a", label=SIXTEEN_WORDS), node("b", label=longer)])
    picture = Picture(drafted)
    lines = {
        about: [text.text or "" for text in box.findall(f".//{SVG}text")[1:]]
        for about, box in picture.boxes.items()
    }
    assert " ".join(lines[f"factor: {SIXTEEN_WORDS}"]) == SIXTEEN_WORDS
    cut = lines[f"factor: {longer}"]
    assert (len(cut), cut[-1][-1]) == (MAX_LINES, "…")
    assert sketch(drafted).cut == [longer]


@given(st.text(max_size=100))
def test_the_lines_of_a_label_keep_to_their_number(text: str) -> None:
    assert 1 <= len(label_lines(text)) <= MAX_LINES


def test_wide_letters_take_the_room_of_two() -> None:
    assert label_lines("旅館の予約" * 3) == ["旅館の予約旅館の予", "約旅館の予約"]


NODES_151 = [node(f"n{number}") for number in range(151)]
EDGES_301 = [edge("n0", "n1")] * 301


@cases(
    "nodes, edges, drawn, note",
    {
        "all": (NODES_151[:150], EDGES_301[:300], (150, 300), ""),
        "edges too many": (
            NODES_151,
            [edge("n0", "n150"), *EDGES_301, edge("n1", "n2")],
            (150, 300),
            "150 of 151 nodes and 300 of 303 edges",
        ),
    },
)
def test_a_graph_is_drawn_whole_up_to_150_nodes_and_300_edges(
    nodes: list[Any], edges: list[Any], drawn: tuple[int, int], note: str
) -> None:
    drafted = graph(nodes, edges)
    picture = Picture(drafted)
    assert (len(picture.root.findall(f"{SVG}g[@id]")), len(picture.arrows)) == drawn
    whole = f"The drawing shows {note}; more could not be read." if note else ""
    assert sketch(drafted).note == whole


def test_what_findings_name_is_highlighted() -> None:
    """An edge is found by its place in the answer, whose first entry here is no edge."""
    edges = [None, edge("a", "b"), edge("b", "c"), edge("a", "ghost")]
    last = EdgeRef(index=2, source="b", target="c")
    found = [
        Finding(code="X", message="", nodes=("b", "ghost")),
        Finding(code="Y", message="", nodes=("b",), edges=(last,)),
    ]
    picture = Picture(graph([node("a"), node("b"), node("c")], edges), looks_of(found))
    bad = [part for part in picture.root.iter() if "bad" in part.get("class", "").split()]
    assert [picture.about(part).split("\n")[0] for part in bad if part.get("id")] == [
        "factor: B",
        "not in the graph: ghost",
    ]
    assert [part.get("data-ends") for part in bad if part.get("data-ends")] == ["1 2"]


ALLOWED = {
    f"{SVG}{name}" for name in ("svg", "defs", "marker", "path", "g", "rect", "text", "title")
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_stays_text(name: str) -> None:
    text = HOSTILE[name]
    nodes = [
        node("o", "option", label=text, data={"interventions": {text: 1.0}}),
        node(text, text, category=text),
    ]
    picture = Picture(graph(nodes, [edge(text, "o"), edge("o", text + "?")]))
    assert {element.tag for element in picture.root.iter()} <= ALLOWED
    names = {name for element in picture.root.iter() for name in element.attrib}
    assert not [
        name for name in names if name.startswith("on") or "href" in name or name == "style"
    ]
    shown = "".join(picture.root.itertext())
    assert not set(shown) & {"\u202e", "\u2066", "\u200b", "\ufeff", "\x00", "\x1b"}


IDS = st.sampled_from(["a", "b", "c", "d", "e", "f", "ghost"])
KINDS = st.sampled_from(["decision", "option", "factor", "outcome", "risk", "goal", "?"])
NODES = st.lists(st.builds(node, IDS, KINDS), max_size=12)
EDGES = st.lists(
    st.builds(
        edge, IDS, IDS, st.floats(-2, 2), edge_type=st.sampled_from(["directed", "bidirected"])
    ),
    max_size=25,
)


@given(NODES, EDGES)
@settings(max_examples=60, deadline=None)
def test_every_graph_is_drawn_and_no_box_overlaps_another(
    nodes: list[Any], edges: list[Any]
) -> None:
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
