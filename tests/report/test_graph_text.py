from typing import Any

from stages.report.graph_text import coaching_of, edge_list
from stages.shared.records.graph import read
from tests.builders.cases import cases
from tests.builders.graphs import DRAFT

GRAPH = read(DRAFT)[0]


def test_a_graph_is_a_list_of_nodes_and_edges_by_their_labels() -> None:
    assert edge_list(GRAPH) == [
        "decision: Which?",
        "option: Stay; Price = 1",
        "factor (controllable): Price",
        "goal: Profit; threshold 20.0 %",
        "",
        "Which? -> Stay",
        "Price -> Profit: mean 0.4, std 0.125, probability 0.9",
        "Price <-> nowhere",
    ]


def test_a_line_of_a_graph_leaves_out_what_was_not_given() -> None:
    nodes: list[Any] = [
        {"id": "g", "kind": "goal", "goal_threshold": 0.5, "category": "external"}, {"id": "h", "kind": "goal", "goal_threshold_raw": 0},
        {"id": "g", "kind": "risk", "label": "Again"},
    ]  # fmt: skip
    edges: list[Any] = [
        {"from": "g", "to": "x", "strength": {"mean": 0.0, "std": 0.0}, "exists_probability": 0.0},
        {"from": "h", "to": "g"},
    ]
    assert edge_list(read({"nodes": nodes, "edges": edges})[0]) == [
        "goal (external): g; threshold 0.5", "goal: h; threshold 0.0", "risk: Again", "", "g -> x: mean 0, std 0, probability 0", "h -> g"
    ]  # fmt: skip


def test_a_very_large_graph_is_cut_with_a_note() -> None:
    graph = read(
        {"nodes": [{"id": str(number), "kind": "factor"} for number in range(200)], "edges": []}
    )[0]
    lines = edge_list(graph)
    assert (len(lines), lines[-1]) == (151, "and 51 more lines")


@cases(
    "coaching, lines",
    {
        "none": (None, []),
        "summary": ({"summary": "S"}, [("", "S")]),
        "items": (
            {"strengthen_items": [{"label": "L", "detail": "D"}, "text"]},
            [("L", "D"), ("", "text")],
        ),
        "other values as JSON": (
            {"strengthen_items": [{"detail": 1}, 2]},
            [("", '{"detail":1}'), ("", "2")],
        ),
        "twenty at most": ({"strengthen_items": ["x"] * 30}, [("", "x")] * 20),
    },
)
def test_coaching_is_a_summary_and_items_with_their_headings(
    coaching: Any, lines: list[tuple[str, str]]
) -> None:
    drafted, _ = read({"nodes": [], "edges": [], "coaching": coaching})
    assert coaching_of(drafted) == lines
