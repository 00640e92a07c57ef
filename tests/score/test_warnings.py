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
    with_nodes,
    without_edge,
)


def with_action() -> Graph:
    graph = with_node(draft(), "act", "Factor")
    return with_edges(
        graph, edge("fac_price", "act", 0.2, 0.1, 0.9), edge("act", "out_profit", 0.1, 0.1, 0.9)
    )


def raising(**interventions: float) -> Graph:
    return changed("opt_raise", data={"interventions": {"fac_price": 0.8} | interventions})


def with_present_price(
    today: float | None, status_quo: dict[str, float], option: float = 0.8
) -> Graph:
    graph = with_edges(draft(), edge("opt_stay", "fac_price"))
    node(graph, "fac_price")["data"] = {"value": today}
    node(graph, "opt_raise")["data"] = {"interventions": {"fac_price": option}}
    node(graph, "opt_stay")["data"] = {"interventions": status_quo}
    return graph


CASES: list[tuple[str, Graph, list[str], list[int]]] = [
    ("UNKNOWN_KIND", with_action(), ["act"], []),
    ("UNKNOWN_CATEGORY", changed("fac_price", category="Controllable"), ["fac_price"], []),
    ("UNKNOWN_EDGE_TYPE", changed("dec > opt_raise", edge_type="both"), [], [0]),
    (
        "EDGE_OUT_OF_GOAL",
        with_edges(with_nodes("fac_mood"), edge("goal", "fac_mood", 0.1)),
        [],
        [9],
    ),
    ("ODD_EDGE", with_edges(draft(), edge("dec", "goal", 0.05)), [], [9]),
    ("DUPLICATE_EDGE", with_edges(draft(), edge("fac_price", "out_profit", 0.1)), [], [9]),
    ("VALUE_OUT_OF_RANGE", changed("fac_price > out_profit", mean=-1.01), [], [4]),
    ("VALUE_OUT_OF_RANGE", changed("dec > opt_stay", std=-0.1), [], [1]),
    ("VALUE_OUT_OF_RANGE", changed("dec > opt_stay", exists_probability=1.1), [], [1]),
    ("VALUE_OUT_OF_RANGE", changed("dec > opt_stay", exists_probability=-0.1), [], [1]),
    ("MISSING_PARAMETER", changed("dec > opt_stay", strength=None), [], [1]),
    ("MISSING_PARAMETER", changed("dec > opt_stay", std=None), [], [1]),
    ("MISSING_PARAMETER", changed("dec > opt_stay", exists_probability=None), [], [1]),
    ("INTERVENTION_ON_UNKNOWN_FACTOR", raising(fac_ghost=1, out_profit=2), ["opt_raise"], []),
    ("INTERVENTION_WITHOUT_EDGE", raising(fac_service=1), ["opt_raise", "fac_service"], []),
    ("CATEGORY_CONFLICT", changed("fac_price", category="external"), ["fac_price"], []),
    ("CATEGORY_CONFLICT", changed("fac_price", category="observable"), ["fac_price"], []),
    ("UNLINKED_OPTION", without_edge(draft(), "dec > opt_stay"), ["opt_stay"], []),
    ("THRESHOLD_NOT_A_NUMBER", changed("goal", goal_threshold="80 %"), ["goal"], []),
    ("STATUS_QUO_WITHIN_A_WORD", changed("opt_stay", label="Bookkeeping"), ["opt_stay"], []),
    ("OPTION_WITHOUT_EFFECT", changed("out_profit > goal", mean=0), ["opt_raise"], []),
    ("BASELINE_IS_OPTION", with_present_price(0.8, {"fac_price": 0.3}), ["fac_price"], []),
]


@pytest.mark.parametrize(
    ("code", "graph", "nodes", "edges"),
    CASES,
    ids=[f"{case[0]}-{index}" for index, case in enumerate(CASES)],
)
def test_a_warning_names_what_is_odd_and_the_graph_stays_valid(
    code: str, graph: Graph, nodes: list[str], edges: list[int]
) -> None:
    card = scored(graph)
    assert card.structural_valid
    (found,) = card.warnings
    assert (found.code, [*found.nodes]) == (code, nodes)
    assert [reference.index for reference in found.edges] == edges


def test_every_warning_code_has_a_case() -> None:
    assert {case[0] for case in CASES} == set(WARNINGS)


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
