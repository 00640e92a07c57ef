"""An answer is read as a graph as far as it can be, fast where it is in the format, leniently where it is not."""

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stages.contracts.graph_leniency import lenient_reading
from stages.contracts.schema_problems import MAX_PROBLEMS

from stages.contracts.graph import (
    Coaching,
    DraftGraph,
    Edge,
    Node,
    NodeData,
    SchemaProblem,
    Strength,
    read_graph,
    read_graph_json,
)
from stages.contracts.json_text import NotJson, parse

GOAL: Any = {
    "id": "g",
    "kind": "goal",
    "label": "Goal",
    "goal_threshold": 1,
    "goal_threshold_raw": "80 %",
    "goal_threshold_unit": "%",
}
OPTION: Any = {"id": "o", "kind": "option", "label": None, "data": {"interventions": {"f": 1}}}
EDGE: Any = {
    "from": "o", "to": "g", "strength": {"mean": 1, "std": 0.5}, "exists_probability": 0.75, "edge_type": "directed",
    "effect_direction": "negative",
}  # fmt: skip
WHOLE: Any = {
    "nodes": [GOAL, OPTION],
    "edges": [EDGE],
    "coaching": {"summary": "s", "strengthen_items": [{"label": "x"}]},
    "more": 1,
}
READ = DraftGraph(
    nodes=(
        Node("g", "goal", "Goal", None, None, 1.0, "80 %", "%"),
        Node("o", "option", data=NodeData({"f": 1.0})),
    ),
    edges=(Edge("o", "g", Strength(1.0, 0.5), 0.75, "directed", "negative"),),
    coaching=Coaching("s", [{"label": "x"}]),
)


def test_a_graph_in_the_format_is_read_whole() -> None:
    reading = read_graph(WHOLE)
    assert msgspec.to_builtins(reading.graph) == msgspec.to_builtins(READ)
    assert (reading.node_count, reading.edge_count, reading.problems, reading.in_range) == (2, 1, (), True)


@pytest.mark.parametrize(
    "bent",
    [
        pytest.param({**WHOLE, "\ud800": 1}, id="beside the lists"),
        pytest.param({**WHOLE, "nodes": [GOAL, {**OPTION, "x\udc00": 1}]}, id="in a node"),
        pytest.param({**WHOLE, "edges": [{**EDGE, "strength": {**EDGE["strength"], "\udc00": 1}}]}, id="in a strength"),
        pytest.param(
            {**WHOLE, "edges": [{"from": "o", "to": "g", "edge_type": "bidirected", "\udc00": 1}]}, id="lenient"
        ),
    ],
)
def test_a_key_that_is_half_a_character_is_passed_over(bent: dict[str, Any]) -> None:
    reading = read_graph(bent)
    assert reading == read_graph_json(json.dumps(bent))
    assert (reading.graph.nodes, reading.problems) == (READ.nodes, ())


@pytest.mark.parametrize(
    "bent",
    [
        pytest.param(
            {**WHOLE, "nodes": [{**OPTION, "data": {"interventions": {"f": math.inf}}}]}, id="an intervention"
        ),
        pytest.param({**WHOLE, "nodes": [{**GOAL, "goal_threshold": math.inf}]}, id="a threshold"),
        pytest.param({**WHOLE, "edges": [{**EDGE, "strength": {"mean": 1, "std": math.inf}}]}, id="a parameter"),
    ],
)
def test_an_infinite_number_is_told_in_a_value_as_in_a_text(bent: dict[str, Any]) -> None:
    reading = read_graph(bent)
    assert [problem.message for problem in reading.problems] == ["must be a finite number"]
    assert reading == read_graph_json(json.dumps(bent).replace("Infinity", "1e400"))


@pytest.mark.parametrize("missing", ["mean", "std", "exists_probability", "strength"])
@pytest.mark.parametrize(("kind", "needed"), [("decision", False), ("factor", True)])
def test_an_edge_without_a_parameter_is_read_alike_from_a_value_and_a_text(
    kind: str, needed: bool, missing: str
) -> None:
    edge: Any = {"from": "a", "to": "o", "strength": {"mean": 0.5, "std": 0.1}, "exists_probability": 0.5}
    (edge["strength"] if missing in edge["strength"] else edge).pop(missing)
    bent: Any = {"nodes": [{"id": "a", "kind": kind}, OPTION], "edges": [edge]}
    reading = read_graph_json(json.dumps(bent))
    assert reading == read_graph(bent)
    assert [problem.path.endswith(missing) for problem in reading.problems] == [True] * needed
    assert reading.in_range is False


def test_reading_leniently_gives_the_same_graph() -> None:
    assert lenient_reading(WHOLE).graph == READ
    assert lenient_reading(WHOLE).problems == ()


def test_parts_of_records_are_at_hand() -> None:
    edge, goal, option = READ.edges[0], *READ.nodes
    assert (edge.mean, edge.std, edge.bidirected) == (1.0, 0.5, False)
    assert (goal.interventions, option.interventions) == ({}, {"f": 1.0})
    assert (Edge("a", "b").mean, Edge("a", "b").std, Edge("a", "b", edge_type="bidirected").bidirected) == (
        None,
        None,
        True,
    )
    assert Node("o", "option", data=NodeData()).interventions == {}


@pytest.mark.parametrize(
    "edge",
    [
        {**EDGE, "strength": {"mean": 1.5, "std": 0.1}},
        {**EDGE, "exists_probability": -0.1},
        {**EDGE, "strength": {"mean": 0, "std": -1}},
    ],
)
def test_values_out_of_range_are_read_and_known(edge: dict[str, Any]) -> None:
    reading = read_graph({**WHOLE, "edges": [edge]})
    assert (reading.problems, reading.in_range) == ((), False)


def problem(key: str, message: str) -> SchemaProblem:
    return SchemaProblem(f"$.edges[0].{key}", message)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1], SchemaProblem("$", "must be an object with nodes and edges, found an array")),
        ({"edges": []}, SchemaProblem("$.nodes", "is missing")),
        ({"nodes": [], "edges": None}, SchemaProblem("$.edges", "must be an array, found null")),
        ({"nodes": [{"kind": "goal"}], "edges": []}, SchemaProblem("$.nodes[0].id", "is missing")),
        ({"nodes": [{"id": None, "kind": "goal"}], "edges": []}, SchemaProblem("$.nodes[0].id", "must be text, found null")),
        ({"nodes": [{"id": "g"}], "edges": []}, SchemaProblem("$.nodes[0].kind", "is missing")),
        ({"nodes": [{"id": "g", "kind": None}], "edges": []}, SchemaProblem("$.nodes[0].kind", "is missing")),
        ({"nodes": [], "edges": [{"to": "g"}]}, SchemaProblem("$.edges[0].from", "is missing")),
        ({**WHOLE, "edges": [{**EDGE, "strength": None}]}, problem("strength", "must be an object with mean and std, found null")),
        ({**WHOLE, "edges": [{**EDGE, "exists_probability": 1e999}]}, problem("exists_probability", "must be a finite number")),
        ({**WHOLE, "edges": [{**EDGE, "exists_probability": {}}]}, problem("exists_probability", "must be a number, found an object")),
        ({**WHOLE, "coaching": True}, SchemaProblem("$.coaching", "must be an object, found a boolean")),
    ],
)  # fmt: skip
def test_a_fault_is_told_by_its_path(value: Any, expected: SchemaProblem) -> None:
    assert expected in read_graph(value).problems


def test_ids_of_other_types_are_read_as_their_text_and_missing_ones_as_their_place() -> None:
    nodes: list[Any] = [{"id": 1, "kind": "goal"}, {"id": True, "kind": "x"}, {"kind": "x"}, {"id": [], "kind": "x"}]
    edges: list[Any] = [{"from": 1, "to": 2.5}, {"from": {}}]
    reading = read_graph({"nodes": nodes, "edges": edges})
    assert [node.id for node in reading.graph.nodes] == ["1", "true", "nodes[2].id", "nodes[3].id"]
    assert [(edge.source, edge.target) for edge in reading.graph.edges] == [
        ("1", "2.5"),
        ("edges[1].from", "edges[1].to"),
    ]


def test_entries_that_are_no_objects_are_left_out_and_places_kept() -> None:
    reading = read_graph({"nodes": [GOAL, None, OPTION], "edges": ["x", EDGE, 5, EDGE]})
    assert [node.id for node in reading.graph.nodes] == ["g", "o"]
    assert (reading.node_count, reading.edge_count, reading.edge_places) == (3, 4, (1, 3))


@pytest.mark.parametrize("ends", [("d", "o"), ("o", "f"), ("f", "nowhere"), ("nowhere", "f")])
def test_parameters_may_be_missing_where_they_are_not_scored(ends: tuple[str, str]) -> None:
    nodes: list[Any] = [{"id": "d", "kind": "decision"}, {"id": "o", "kind": "option"}, {"id": "f", "kind": "factor"}]
    edge: dict[str, Any] = {"from": ends[0], "to": ends[1]}
    assert read_graph({"nodes": nodes, "edges": [edge]}).problems == ()
    bidirected: Any = {"from": "f", "to": "f", "edge_type": "bidirected"}
    assert read_graph({"nodes": nodes, "edges": [bidirected]}).problems == ()
    causal: Any = {"from": "f", "to": "d"}
    assert read_graph({"nodes": nodes, "edges": [causal]}).problem_count == 2


def test_faults_are_all_counted_and_the_first_kept() -> None:
    reading = read_graph({"nodes": [None] * 80, "edges": []})
    assert (len(reading.problems), reading.problem_count) == (MAX_PROBLEMS, 80)


def test_long_keys_are_cut_in_paths() -> None:
    option: Any = {"id": "o", "kind": "option", "data": {"interventions": {"k" * 1000: None}}}
    path = read_graph({"nodes": [option], "edges": []}).problems[0].path
    assert path == '$.nodes[0].data.interventions["' + "k" * 57 + '..."]'


@pytest.mark.parametrize("text", ["", "{", b'{"nodes": [], "edges": [], "x": "\xff"}', "NaN", "\ud800"])
def test_a_text_that_is_no_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(NotJson):
        read_graph_json(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"nodes": [{"id": "a", "kind": "goal"}], "nodes": [], "edges": []}',
        '{"nodes": 5, "nodes": [], "edges": []}',
        '{"nodes": [], "edges": [], "nodes": [{"id": "a", "id": "b", "kind": "goal", "goal_threshold": 1, "goal_threshold": "x"}]}',
        '{"nodes": [], "edges": [], "coaching": {"summary": "a"}, "coaching": null}',
        '{"nodes": [{"id": "o", "kind": "option", "data": {"interventions": {"f": 1, "f": 2}}}], "edges": []}',
        '{"nodes": [{"id": "o", "kind": "option", "data": {"interventions": {"f": 9007199254740993}}}], "edges": []}',
        '{"nodes": [{"id": "o", "kind": "option", "data": {"interventions": {"f": 123456789012345678901234567890}}}], "edges": []}',
        '{"nodes": [{"id": "g", "kind": "goal", "goal_threshold": -0.0}], "edges": [], "x": "\\ud800"}',
    ],
)
def test_repeated_keys_and_big_integers_read_alike_from_the_text_and_from_the_value(text: str) -> None:
    assert read_graph_json(text) == read_graph(parse(text))


VALUES: Any = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=2)
    | st.just([])
    | st.just({})
)
NODES = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from("ab") | VALUES, "kind": st.sampled_from(["option", "goal", "factor"]) | VALUES, "label": VALUES,
        "category": VALUES, "goal_threshold": VALUES, "goal_threshold_raw": VALUES,
        "data": VALUES | st.fixed_dictionaries({"interventions": VALUES | st.dictionaries(st.text(max_size=2), VALUES, max_size=2)}),
    },
)  # fmt: skip
EDGES = st.fixed_dictionaries(
    {},
    optional={
        "from": st.sampled_from("ab") | VALUES, "to": st.sampled_from("ab") | VALUES, "edge_type": VALUES, "exists_probability": VALUES,
        "strength": VALUES | st.fixed_dictionaries({}, optional={"mean": VALUES, "std": VALUES}), "effect_direction": VALUES,
    },
)  # fmt: skip
ANSWERS = st.fixed_dictionaries(
    {"nodes": st.lists(NODES | VALUES, max_size=3), "edges": st.lists(EDGES | VALUES, max_size=3)}
)


@given(ANSWERS)
@settings(max_examples=100, deadline=None)
def test_reading_the_text_is_reading_the_value(value: Any) -> None:
    text = json.dumps(value).replace("Infinity", "1e999")
    from_text, from_value = read_graph_json(text), read_graph(parse(text))
    assert from_text == from_value
    assert read_graph_json(text.encode()) == from_value


@given(ANSWERS)
@settings(max_examples=100, deadline=None)
def test_reading_strictly_and_leniently_agree_where_the_format_is_kept(value: Any) -> None:
    reading = read_graph(value)
    lenient = lenient_reading(value)
    assert reading.problems == lenient.problems
    assert (reading.node_count, reading.edge_count) == (lenient.node_count, lenient.edge_count)
    if not reading.problems:
        assert [(node.id, node.kind, node.label, node.category) for node in reading.graph.nodes] == [
            (node.id, node.kind, node.label, node.category) for node in lenient.graph.nodes
        ]
        assert reading.graph.edges == lenient.graph.edges
