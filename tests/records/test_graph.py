"""An answer is read as a graph as far as possible, with the path of every place that does not follow the format."""

import math
from typing import Any

import pytest
from hypothesis import given, settings

from graph_evaluator.records.graph import (
    Node,
    NodeData,
    read,
)
from tests.builders.graphs import ANSWERS

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


def test_the_present_values_of_factors_and_the_target_are_read_and_never_make_a_graph_faulty():
    sound = {"value": 0.4, "raw_value": 12, "unit": "h", "cap": 30, "extractionType": "explicit"}
    bent = {"value": "x", "raw_value": math.inf, "unit": 5, "cap": [], "interventions": 5}
    threshold = {"goal_threshold_cap": 100, "goal_threshold_raw": [], "goal_threshold_unit": 5}
    nodes: list[Any] = [
        {"id": "a", "kind": "factor", "data": sound},
        {"id": "b", "kind": "factor", "data": bent},
        {"id": "g", "kind": "goal"} | threshold,
    ]
    graph, problems = read({"nodes": nodes, "edges": []})
    assert problems == {}
    assert [node.data for node in graph.nodes[:2]] == [
        NodeData(value=0.4, raw_value=12.0, unit="h", cap=30.0, extraction_type="explicit"),
        NodeData(),
    ]
    assert graph.nodes[2] == Node(id="g", kind="goal", goal_threshold_cap=100.0)


def problem(key, message):
    return (f"$.edges[0].{key}", message)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1], ("$", "must be an object with nodes and edges")),
        ({"edges": []}, ("$.nodes", "is missing")),
        ({"nodes": [], "edges": None}, ("$.edges", "must be an array")),
        ({"nodes": [{"id": None, "kind": "goal"}], "edges": []}, ("$.nodes[0].id", "must be text")),
        ({**WHOLE, "edges": [{**EDGE, "strength": 5}]}, problem("strength", "must be an object")),
        ({**WHOLE, "edges": [{**EDGE, "exists_probability": 1e999}]}, problem("exists_probability", "must be a finite number")),
        ({**WHOLE, "edges": [{**EDGE, "exists_probability": {}}]}, problem("exists_probability", "must be a number")),
    ],
)  # fmt: skip
def test_a_fault_is_reported_with_its_path(value, expected):
    assert expected in read(value)[1].items()


def test_ids_of_other_types_are_read_as_their_text_and_missing_ones_as_their_place():
    ids: list[Any] = [1, True, [], math.nan]
    nodes: list[Any] = [{"kind": "x"}, *[{"id": name, "kind": "x"} for name in ids]]
    edges: list[Any] = [{"from": 1, "to": 2.5}, {"from": {}}]
    graph, _ = read({"nodes": nodes, "edges": edges})
    read_ids = [node.id for node in graph.nodes]
    assert read_ids == ["nodes[0].id", "1", "true", "nodes[3].id", "NaN"]
    ends = [(edge.source, edge.target) for edge in graph.edges]
    assert ends == [("1", "2.5"), ("edges[1].from", "edges[1].to")]


def test_entries_that_are_no_objects_are_left_out_and_edges_keep_their_index():
    graph, problems = read({"nodes": [GOAL, None, OPTION], "edges": ["x", EDGE, 5, EDGE]})
    assert [node.id for node in graph.nodes] == ["g", "o"]
    assert [edge.index for edge in graph.edges] == [1, 3]
    assert (graph.node_count, graph.edge_count) == (3, 4)
    assert list(problems) == ["$.nodes[1]", "$.edges[0]", "$.edges[2]"]


@given(ANSWERS)
@settings(max_examples=200)
def test_whatever_an_answer_holds_is_read_and_what_was_read_has_no_fault(value):
    graph, problems = read(value)
    assert (graph.node_count, graph.edge_count) == (len(value["nodes"]), len(value["edges"]))
    assert all(path.startswith("$.") for path in problems)
    again, problems = read(graph.to_json())
    assert [problem for problem in problems.values() if "causal" not in problem] == []
    assert [node.id for node in again.nodes] == [node.id for node in graph.nodes]
    ends = [[(e.source, e.target, e.strength) for e in one.edges] for one in (graph, again)]
    assert ends[0] == ends[1]
