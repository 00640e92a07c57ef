"""What is odd and yet readable is a warning and changes no score."""

import pytest

from stages.shared.records.codes import WARNINGS
from tests.builders.cases import cases
from tests.score.drafts import (
    Graph,
    changed,
    draft,
    edge,
    node,
    scored,
    with_edges,
    with_node,
    without_edge,
)


def with_action() -> Graph:
    graph = with_node(draft(), "act", "Factor")
    return with_edges(
        graph, edge("fac_price", "act", 0.2, 0.1, 0.9), edge("act", "out_profit", 0.1, 0.1, 0.9)
    )


@pytest.mark.parametrize(
    "graph",
    [
        changed("fac_price > out_profit", mean=-1),
        changed("dec > opt_stay", mean=1, std=0),
        changed("dec > opt_stay", exists_probability=0),
        changed("dec > opt_stay", edge_type="directed"),
        changed("dec > opt_stay", edge_type=None),
        with_edges(draft(), edge("fac_price", "fac_rivals", edge_type="bidirected")),
        with_edges(draft(), edge("fac_price", "out_profit", edge_type="bidirected")),
        with_edges(draft(), edge("fac_rivals", "fac_price")),
        changed("fac_rivals", category=None),
        changed("fac_rivals", category="observable"),
        changed("out_profit", goal_threshold="not a goal's"),
    ],
)
def test_what_is_within_the_format_is_no_warning(graph: Graph) -> None:
    assert scored(graph).warnings == ()


def test_warnings_are_in_the_order_of_the_table() -> None:
    graph = with_edges(
        with_action(),
        edge("goal", "act", 3.0),
        edge("dec", "goal", edge_type="x"),
        edge("dec", "goal"),
    )
    node(graph, "fac_rivals")["category"] = "?"
    node(graph, "goal")["goal_threshold"] = "much"
    node(graph, "opt_stay")["data"] = {"interventions": {"ghost": 1, "fac_price": 1}}
    graph = without_edge(graph, "dec > opt_raise")
    found = [finding.code for finding in scored(graph).warnings]
    order = list(WARNINGS)
    assert len(found) >= 9
    assert found == sorted(found, key=order.index)


@cases(
    "label, warned",
    {
        "letters before": ("Outsource bookkeeping", True),
        "letters after": ("Open a keepsake shop", True),
        "the whole word": ("Keep the present plan", False),
        "an ending": ("Keeping the present plan", False),
        "a whole word and a part of another": ("Keep bookkeeping as it is", False),
        "no match": ("Raise the price", False),
    },
)
def test_a_status_quo_that_is_matched_within_a_word_is_named(label: str, warned: bool) -> None:
    codes = [finding.code for finding in scored(changed("opt_stay", label=label)).warnings]
    assert codes == ["STATUS_QUO_WITHIN_A_WORD"] * warned
