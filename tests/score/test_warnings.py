"""What is odd and yet readable is a warning and changes no score."""

import pytest

from stages.contracts.codes import WARNINGS
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


def with_present_price(
    today: float | None, status_quo: dict[str, float], option: float = 0.8
) -> Graph:
    graph = with_edges(draft(), edge("opt_stay", "fac_price"))
    node(graph, "fac_price")["data"] = {"value": today}
    node(graph, "opt_raise")["data"] = {"interventions": {"fac_price": option}}
    node(graph, "opt_stay")["data"] = {"interventions": status_quo}
    return graph


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


@cases(
    "today, option, status_quo, warned",
    {
        "an option's number": (0.8, 0.8, {}, True),
        "and the status quo has another": (0.8, 0.8, {"fac_price": 0.3}, True),
        "and the status quo has it too": (0.8, 0.8, {"fac_price": 0.8}, False),
        "a number of its own": (0.6, 0.8, {}, False),
        "not known": (None, 0.8, {}, False),
        "0, where an option leaves it": (0.0, 0.0, {}, False),
        "0, and the status quo has another": (0.0, 0.0, {"fac_price": 0.3}, True),
    },
)
def test_a_present_value_that_is_an_options_number_is_named(
    today: float | None, option: float, status_quo: dict[str, float], warned: bool
) -> None:
    graph = with_present_price(today, status_quo | {"fac_service": 0.4}, option)
    codes = [finding.code for finding in scored(graph).warnings]
    assert ("BASELINE_IS_OPTION" in codes) == warned
