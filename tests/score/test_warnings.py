"""What is odd and yet readable is a warning and changes no score."""

from collections.abc import Callable

import pytest

from stages.contracts.codes import WARNINGS
from tests.builders.cases import cases
from tests.score.drafts import (
    Graph,
    draft,
    edge,
    link,
    node,
    scored,
    warning,
    with_edges,
    with_node,
    without_edge,
)


def changed(change: Callable[[Graph], object]) -> Graph:
    graph = draft()
    change(graph)
    return graph


def with_action() -> Graph:
    graph = with_node(draft(), "act", "Factor")
    return with_edges(
        graph, edge("fac_price", "act", 0.2, 0.1, 0.9), edge("act", "out_profit", 0.1, 0.1, 0.9)
    )


CASES: list[tuple[str, Graph, tuple[str, ...], tuple[int, ...], str]] = [
    ("UNKNOWN_KIND", with_action(), ("act",), (), 'a kind outside the format: "Factor".'),
    (
        "UNKNOWN_CATEGORY",
        changed(lambda graph: node(graph, "fac_price").update(category="Controllable")),
        ("fac_price",),
        (),
        '"Controllable".',
    ),
    (
        "UNKNOWN_EDGE_TYPE",
        changed(lambda graph: link(graph, "dec", "opt_raise").update(edge_type="both")),
        (),
        (0,),
        '1 edge has a type outside the format: "both".',
    ),
    (
        "EDGE_OUT_OF_GOAL",
        with_edges(with_node(draft(), "fac_mood", "factor"), edge("goal", "fac_mood", 0.1)),
        (),
        (9,),
        '"goal" → "fac_mood"',
    ),
    ("ODD_EDGE", with_edges(draft(), edge("dec", "goal", 0.05)), (), (9,), '"dec" → "goal"'),
    (
        "DUPLICATE_EDGE",
        with_edges(draft(), edge("fac_price", "out_profit", 0.1)),
        (),
        (9,),
        '"fac_price" → "out_profit"',
    ),
    (
        "VALUE_OUT_OF_RANGE",
        changed(
            lambda graph: link(graph, "fac_price", "out_profit")["strength"].update(mean=-1.01)
        ),
        (),
        (4,),
        '"fac_price" → "out_profit"',
    ),
    (
        "VALUE_OUT_OF_RANGE",
        changed(lambda graph: link(graph, "dec", "opt_stay")["strength"].update(std=-0.1)),
        (),
        (1,),
        "1 edge has",
    ),
    (
        "VALUE_OUT_OF_RANGE",
        changed(lambda graph: link(graph, "dec", "opt_stay").update(exists_probability=1.1)),
        (),
        (1,),
        "1 edge has",
    ),
    (
        "VALUE_OUT_OF_RANGE",
        changed(lambda graph: link(graph, "dec", "opt_stay").update(exists_probability=-0.1)),
        (),
        (1,),
        "1 edge has",
    ),
    (
        "MISSING_PARAMETER",
        changed(lambda graph: link(graph, "dec", "opt_stay").pop("strength")),
        (),
        (1,),
        "1 edge lacks",
    ),
    (
        "MISSING_PARAMETER",
        changed(lambda graph: link(graph, "dec", "opt_stay")["strength"].pop("std")),
        (),
        (1,),
        "1 edge lacks",
    ),
    (
        "MISSING_PARAMETER",
        changed(lambda graph: link(graph, "dec", "opt_stay").pop("exists_probability")),
        (),
        (1,),
        "1 edge lacks",
    ),
    (
        "INTERVENTION_ON_UNKNOWN_FACTOR",
        changed(
            lambda graph: node(graph, "opt_raise")["data"]["interventions"].update(
                fac_ghost=1, out_profit=2
            )
        ),
        ("opt_raise",),
        (),
        'Options set 2 ids of no factor: "fac_ghost", "out_profit".',
    ),
    (
        "INTERVENTION_WITHOUT_EDGE",
        changed(
            lambda graph: node(graph, "opt_raise")["data"]["interventions"].update(fac_service=1)
        ),
        ("opt_raise", "fac_service"),
        (),
        '"opt_raise → fac_service"',
    ),
    (
        "CATEGORY_CONFLICT",
        changed(lambda graph: node(graph, "fac_price").update(category="external")),
        ("fac_price",),
        (),
        '"fac_price"',
    ),
    (
        "CATEGORY_CONFLICT",
        changed(lambda graph: node(graph, "fac_price").update(category="observable")),
        ("fac_price",),
        (),
        '"fac_price"',
    ),
    ("UNLINKED_OPTION", without_edge(draft(), "dec", "opt_stay"), ("opt_stay",), (), '"opt_stay"'),
    (
        "THRESHOLD_NOT_A_NUMBER",
        changed(lambda graph: node(graph, "goal").update(goal_threshold="80 %")),
        ("goal",),
        (),
        "text",
    ),
    (
        "STATUS_QUO_WITHIN_A_WORD",
        changed(lambda graph: node(graph, "opt_stay").update(label="Outsource bookkeeping")),
        ("opt_stay",),
        (),
        '"Outsource bookkeeping"',
    ),
    (
        "OPTION_WITHOUT_EFFECT",
        changed(lambda graph: link(graph, "out_profit", "goal")["strength"].update(mean=0)),
        ("opt_raise",),
        (),
        '"opt_raise"',
    ),
    (
        "BASELINE_IS_OPTION",
        with_edges(
            changed(
                lambda graph: (
                    node(graph, "fac_price").update(data={"value": 0.8}),
                    node(graph, "opt_stay").update(data={"interventions": {"fac_price": 0.3}}),
                )
            ),
            edge("opt_stay", "fac_price"),
        ),
        ("fac_price",),
        (),
        '"fac_price"',
    ),
]


@pytest.mark.parametrize(
    ("code", "graph", "nodes", "edges", "sentence"),
    CASES,
    ids=[f"{case[0]}-{index}" for index, case in enumerate(CASES)],
)
def test_a_warning_names_what_is_odd_and_the_graph_stays_valid(
    code: str, graph: Graph, nodes: tuple[str, ...], edges: tuple[int, ...], sentence: str
) -> None:
    card = scored(graph)
    assert card.structural_valid
    assert [finding.code for finding in card.warnings] == [code]
    found = warning(graph, code)
    assert found.nodes == nodes
    assert tuple(reference.index for reference in found.edges) == edges
    assert sentence in found.message


def test_every_warning_code_has_a_case() -> None:
    assert {case[0] for case in CASES} == set(WARNINGS)


@pytest.mark.parametrize(
    "graph",
    [
        changed(lambda graph: link(graph, "fac_price", "out_profit")["strength"].update(mean=-1)),
        changed(lambda graph: link(graph, "dec", "opt_stay")["strength"].update(mean=1, std=0)),
        changed(lambda graph: link(graph, "dec", "opt_stay").update(exists_probability=0)),
        changed(lambda graph: link(graph, "dec", "opt_stay").update(edge_type="directed")),
        changed(lambda graph: link(graph, "dec", "opt_stay").update(edge_type=None)),
        with_edges(draft(), edge("fac_price", "fac_rivals", edge_type="bidirected")),
        with_edges(draft(), edge("fac_price", "out_profit", edge_type="bidirected")),
        with_edges(draft(), edge("fac_rivals", "fac_price")),
        changed(lambda graph: node(graph, "fac_rivals").update(category=None)),
        changed(lambda graph: node(graph, "fac_rivals").update(category="observable")),
        changed(lambda graph: node(graph, "out_profit").update(goal_threshold="not a goal's")),
    ],
)
def test_what_is_within_the_format_is_no_warning(graph: Graph) -> None:
    assert scored(graph).warnings == ()


def test_only_what_is_out_of_range_is_named() -> None:
    graph = with_edges(draft(), edge("fac_price", "fac_service", 1.01))
    for key, values in {"mean": (-1, 1), "std": (0, 5)}.items():
        for place, value in enumerate(values):
            graph["edges"][place]["strength"][key] = value
    graph["edges"][0]["exists_probability"] = 0
    assert [reference.index for reference in warning(graph, "VALUE_OUT_OF_RANGE").edges] == [9]


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
    graph = without_edge(graph, "dec", "opt_raise")
    found = [finding.code for finding in scored(graph).warnings]
    order = list(WARNINGS)
    assert len(found) >= 9
    assert found == sorted(found, key=order.index)


def test_a_warning_of_an_invalid_graph_is_reported_too() -> None:
    assert warning({**with_action(), "edges": []}, "UNKNOWN_KIND").nodes == ("act",)


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
    graph = draft()
    node(graph, "opt_stay")["label"] = label
    found = [
        finding for finding in scored(graph).warnings if finding.code == "STATUS_QUO_WITHIN_A_WORD"
    ]
    assert [finding.nodes for finding in found] == [("opt_stay",)] * warned


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
    graph = with_edges(draft(), edge("opt_stay", "fac_price"))
    node(graph, "fac_price")["data"] = {"value": today}
    node(graph, "opt_raise")["data"] = {"interventions": {"fac_price": option}}
    node(graph, "opt_stay")["data"] = {"interventions": status_quo | {"fac_service": 0.4}}
    codes = [finding.code for finding in scored(graph).warnings]
    assert ("BASELINE_IS_OPTION" in codes) == warned
