import re
from typing import Any

import pytest

from stages.report.graph_text import MOST_NODES, coaching_of, edge_list, flowchart, quoted
from stages.shared.records.graph import DraftGraph, Edge, Node, Strength, read
from stages.shared.shell.text import fenced
from tests.builders.cases import cases
from tests.builders.graphs import DRAFT
from tests.report.hostile import HOSTILE


def edge(source: str, target: str, mean: float | None = 0.5, kind: str | None = None) -> Edge:
    return Edge(source=source, target=target, strength=Strength(mean=mean), edge_type=kind)


def test_a_graph_is_drawn_by_kind_and_strength() -> None:
    nodes = (
        Node(id="d", kind="decision", label="Which?"),
        Node(id="f", kind="factor", label="Price"),
        Node(id="g", kind="goal", label="Profit"),
        Node(id="x", kind="odd"),
    )
    edges = (
        edge("d", "f", None),
        edge("f", "g", -0.25),
        edge("d", "g", 0.4),
        edge("f", "x", 0.1, "bidirected"),
    )
    assert flowchart(DraftGraph(nodes=nodes, edges=edges)) == "\n".join([
        "flowchart LR",
        '  n0{{"Which?"}}',
        '  n1["Price"]',
        '  n2[["Profit"]]',
        '  n3["x"]',
        "  n0 --> n1",
        '  n1 -. "-0.25" .-> n2',
        '  n0 -- "0.4" --> n2',
        "  n1 <-.-> n3",
    ])  # fmt: skip


def test_an_edge_to_nowhere_is_left_out() -> None:
    assert (
        flowchart(DraftGraph(nodes=(Node(id="d", kind="decision"),), edges=(edge("d", "gone"),)))
        == 'flowchart LR\n  n0{{"d"}}'
    )


@cases(
    "count",
    {
        "none": 0,
        "too many": MOST_NODES + 1,
    },
)
def test_a_graph_that_no_page_could_show_is_not_drawn(count: int) -> None:
    assert (
        flowchart(
            DraftGraph(
                nodes=tuple(Node(id=f"n{number}", kind="factor") for number in range(count)),
                edges=(),
            )
        )
        is None
    )


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_label_is_drawn_as_text_alone(value: str) -> None:
    shown = quoted(value)
    assert re.fullmatch(r'"[^"<>`\\%;{}|&]*"', re.sub(r"#\d+;", "", shown))
    assert len(re.sub(r"#\d+;", "x", shown)) <= 50


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_graph_of_hostile_labels_has_one_line_per_part(value: str) -> None:
    graph = DraftGraph(
        nodes=(Node(id=value, kind="decision", label=value), Node(id="g", kind=value, label=value)),
        edges=(edge(value, "g"),),
    )
    drawn = flowchart(graph)
    assert drawn is not None
    assert len(drawn.splitlines()) == 4
    assert fenced(drawn, "mermaid").startswith("```mermaid\n")


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
