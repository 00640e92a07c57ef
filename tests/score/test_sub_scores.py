"""Each sub-dimension: its value, what was counted, and the sentence."""

from collections.abc import Callable
from typing import Any

import pytest

from stages.contracts.brief import Expectations
from stages.contracts.graph import DraftGraph
from stages.contracts.params import ScoringRules, Thresholds
from stages.score.options import read_baseline
from stages.score.sub_scores import MeasuredGraph, unique_factor_per_option
from stages.structure.topology import Topology
from tests.builders.cases import cases
from tests.score.drafts import (
    Graph,
    draft,
    edge,
    link,
    node,
    scored,
    sub_score,
    with_edges,
    with_node,
)

EFFECTS = [
    ("fac_price", "out_profit"),
    ("fac_service", "risk_churn"),
    ("fac_rivals", "out_profit"),
    ("out_profit", "goal"),
    ("risk_churn", "goal"),
]
NOTHING_EXPECTED = Expectations(expect_status_quo=False, has_numeric_target=False)


def with_effects(**columns: list[float]) -> Graph:
    graph = draft()
    for index, (source, target) in enumerate(EFFECTS):
        effect = link(graph, source, target)
        for key, values in columns.items():
            (effect if key == "exists_probability" else effect["strength"])[key] = values[index]
    return graph


def bent(*changes: Callable[[Graph], object]) -> Graph:
    graph = draft()
    for change in changes:
        change(graph)
    return graph


def interventions(raising: Any, staying: Any) -> Graph:
    return bent(
        lambda graph: node(graph, "opt_raise").update(data=raising),
        lambda graph: node(graph, "opt_stay").update(data=staying),
    )


def sets(**values: float) -> Graph:
    return {"interventions": values}


@cases(
    "name, graph, value, counted",
    {
        "means that are one at one decimal": (
            "strength_diversity",
            with_effects(mean=[0.31, -0.34, 0.3, 0.3, 0.3]),
            1 / 3,
            {"distinct_means": [0.3], "causal_edges": 5, "full_marks_at": 3},
        ),
        "ties are rounded away from zero, on the exact double": (
            "strength_diversity",
            with_effects(mean=[0.25, 0.2, 0.2, 0.35, 0.45]),
            1.0,
            {"distinct_means": [0.2, 0.3, 0.5], "causal_edges": 5, "full_marks_at": 3},
        ),
        "probabilities that are one at one decimal": (
            "exists_prob_diversity",
            with_effects(exists_probability=[0.88, 0.9, 0.92, 0.94, 0.9]),
            0.5,
            {"distinct_probabilities": [0.9], "causal_edges": 5, "full_marks_at": 2},
        ),
        "one std": (
            "std_variation",
            with_effects(std=[0.1, 0.1, 0.1, 0.1, 0.1]),
            0.0,
            {"distinct_stds": 1, "causal_edges": 5},
        ),
        "stds are compared exactly": (
            "std_variation",
            with_effects(std=[0.1, 0.1, 0.1, 0.1, 0.1000001]),
            1.0,
            {"distinct_stds": 2, "causal_edges": 5},
        ),
        "no edge at the default": (
            "default_takeover",
            draft(),
            1.0,
            {"default_edges": [], "defaults": 0, "causal_edges": 5, "percent": 0.0},
        ),
        "two of five edges at the default": (
            "default_takeover",
            with_effects(mean=[0.5, -0.5, 0.5, 0.4, 0.3], std=[0.125, 0.125, 0.2, 0.125, 0.1]),
            0.19999999999999996,
            {
                "default_edges": [
                    {"index": 4, "from": "fac_price", "to": "out_profit"},
                    {"index": 5, "from": "fac_service", "to": "risk_churn"},
                ],
                "defaults": 2,
                "causal_edges": 5,
                "percent": 40.0,
            },
        ),
        "one sum over the bound": (
            "range_discipline",
            with_effects(mean=[0.9, 0.3, 0.2, 0.5, 0.4]),
            2 / 3,
            {
                "targets": 3,
                "within": 2,
                "over": [{"node": "out_profit", "sum": 1.1, "over_by": 0.10000000000000009}],
                "bound": 1.0,
            },
        ),
        "sums of exactly the bound": (
            "range_discipline",
            with_effects(mean=[0.5, -1.0, 0.5, 0.6, 0.4]),
            1.0,
            {"targets": 3, "within": 3, "over": [], "bound": 1.0},
        ),
        "the status quo is there": (
            "status_quo_present",
            draft(),
            1.0,
            {"expected": True, "options": ["opt_stay"]},
        ),
        "the status quo is missing": (
            "status_quo_present",
            bent(lambda graph: node(graph, "opt_stay").update(label="Lower it")),
            0.0,
            {"expected": True, "options": []},
        ),
        "different interventions": ("no_identical_interventions", draft(), 1.0, {"shared": []}),
        "the same interventions at four decimals": (
            "no_identical_interventions",
            interventions(
                sets(fac_price=0.5, fac_service=1), sets(fac_service=1.0, fac_price=0.50004)
            ),
            0.0,
            {"shared": [["opt_raise", "opt_stay"]]},
        ),
        "no interventions are the same as empty ones": (
            "no_identical_interventions",
            interventions(None, {"interventions": {}}),
            0.0,
            {"shared": [["opt_raise", "opt_stay"]]},
        ),
        "a tie goes up": (
            "no_identical_interventions",
            interventions(sets(fac_price=0.0312), sets(fac_price=0.03125)),
            1.0,
            {"shared": []},
        ),
        "all set something": (
            "each_option_sets_factor",
            draft(),
            1.0,
            {"options": 2, "without": []},
        ),
        "one sets nothing": (
            "each_option_sets_factor",
            interventions(sets(fac_price=1), None),
            0.0,
            {"options": 2, "without": ["opt_stay"]},
        ),
        "each has its own": (
            "unique_factor_per_option",
            draft(),
            1.0,
            {"set_by_all": [], "without": []},
        ),
        "one has none of its own": (
            "unique_factor_per_option",
            interventions(sets(fac_price=1, fac_service=1), sets(fac_price=0)),
            0.0,
            {"set_by_all": ["fac_price"], "without": ["opt_stay"]},
        ),
        "a common factor beside own ones": (
            "unique_factor_per_option",
            interventions(sets(fac_price=1, fac_rivals=1), sets(fac_price=0, fac_service=1)),
            1.0,
            {"set_by_all": ["fac_price"], "without": []},
        ),
        "an external factor": (
            "external_factor_present",
            draft(),
            1.0,
            {"external_factors": ["fac_rivals"]},
        ),
        "the category is compared exactly": (
            "external_factor_present",
            bent(lambda graph: node(graph, "fac_rivals").update(category="External")),
            0.0,
            {"external_factors": []},
        ),
        "coaching": ("coaching_populated", draft(), 1.0, {"items": 1, "summary": True}),
        "a blank summary": (
            "coaching_populated",
            {**draft(), "coaching": {"summary": " \n"}},
            0.0,
            {"items": 0, "summary": False},
        ),
        "no coaching": (
            "coaching_populated",
            {**draft(), "coaching": None},
            0.0,
            {"items": 0, "summary": False},
        ),
        "an item": (
            "coaching_populated",
            {**draft(), "coaching": {"strengthen_items": [{}]}},
            1.0,
            {"items": 1, "summary": False},
        ),
        "a threshold": ("goal_threshold", draft(), 1.0, {"expected": True, "set": True}),
        "a threshold of 0 counts": (
            "goal_threshold",
            bent(lambda graph: node(graph, "goal").update(goal_threshold=0)),
            1.0,
            {"expected": True, "set": True},
        ),
        "no threshold": (
            "goal_threshold",
            bent(lambda graph: node(graph, "goal").update(goal_threshold=None)),
            0.0,
            {"expected": True, "set": False},
        ),
        "labels that say something": (
            "factor_label_specificity",
            draft(),
            1.0,
            {"factors": 3, "generic": []},
        ),
        "a generic label": (
            "factor_label_specificity",
            bent(lambda graph: node(graph, "fac_price").update(label=" Market RISK\t")),
            2 / 3,
            {"factors": 3, "generic": [{"node": "fac_price", "label": " Market RISK\t"}]},
        ),
        "readable": (
            "readability_band",
            draft(),
            1.0,
            {"nodes": 9, "readable": [6, 12], "crowded_up_to": 20},
        ),
    },
)
def test_value_and_evidence(
    name: str, graph: Graph, value: float, counted: dict[str, object]
) -> None:
    found = sub_score(scored(graph), name)
    assert found.value == value
    assert found.counted == counted
    assert found.message.endswith(".")


@pytest.mark.parametrize(
    ("name", "graph", "sentence"),
    [
        (
            "strength_diversity",
            draft(),
            "5 distinct strengths on 5 causal edges; full marks from 3.",
        ),
        (
            "exists_prob_diversity",
            with_effects(exists_probability=[0.9] * 5),
            "1 distinct probability on 5 causal edges; full marks from 2.",
        ),
        (
            "exists_prob_diversity",
            draft(),
            "3 distinct probabilities on 5 causal edges; full marks from 2.",
        ),
        (
            "std_variation",
            with_effects(std=[0.1] * 5),
            "1 distinct standard deviation on 5 causal edges.",
        ),
        (
            "default_takeover",
            draft(),
            "0 of 5 causal edges left at the default strength 0.5 ± 0.125 (0 %).",
        ),
        (
            "default_takeover",
            with_effects(mean=[0.5] * 5, std=[0.125] * 5),
            "5 of 5 causal edges left at the default strength 0.5 ± 0.125 (100 %).",
        ),
        (
            "range_discipline",
            draft(),
            "3 of 3 outcomes, risks and goals with inbound strengths of at most 1 in total.",
        ),
        (
            "range_discipline",
            with_effects(mean=[1, 1, 1, 1, 1]),
            '1 of 3 outcomes, risks and goals with inbound strengths of at most 1 in total; not "out_profit", "goal".',
        ),
        ("status_quo_present", draft(), 'The status quo is among the options: "opt_stay".'),
        (
            "status_quo_present",
            bent(lambda graph: node(graph, "opt_stay").pop("label")),
            "No option is the status quo, which the brief expects.",
        ),
        ("no_identical_interventions", draft(), "No two options have the same interventions."),
        (
            "no_identical_interventions",
            interventions(None, None),
            'The same interventions: "opt_raise", "opt_stay".',
        ),
        ("each_option_sets_factor", draft(), "Every option sets a factor."),
        (
            "each_option_sets_factor",
            interventions(None, None),
            'Without interventions: "opt_raise", "opt_stay".',
        ),
        (
            "unique_factor_per_option",
            draft(),
            "Every option sets a factor that not every option sets.",
        ),
        (
            "unique_factor_per_option",
            interventions(None, None),
            'Sets no factor that not every option sets: "opt_raise", "opt_stay".',
        ),
        ("external_factor_present", draft(), 'External: "fac_rivals".'),
        (
            "external_factor_present",
            bent(lambda graph: node(graph, "fac_rivals").pop("category")),
            "No factor is external.",
        ),
        ("coaching_populated", draft(), "Coaching has 1 item and a summary."),
        ("coaching_populated", {**draft(), "coaching": {}}, "Coaching is empty."),
        ("goal_threshold", draft(), "The goal has a threshold."),
        (
            "goal_threshold",
            bent(lambda graph: node(graph, "goal").pop("goal_threshold")),
            "The goal has no threshold, though the brief names a target.",
        ),
        ("factor_label_specificity", draft(), "0 of 3 factors with a generic label."),
        (
            "factor_label_specificity",
            bent(lambda graph: node(graph, "fac_price").update(label="Cost")),
            '1 of 3 factors with a generic label: "Cost".',
        ),
        ("readability_band", draft(), "9 nodes; 6 to 12 read best."),
    ],
)
def test_the_sentence_says_what_was_counted(name: str, graph: Graph, sentence: str) -> None:
    assert sub_score(scored(graph), name).message == sentence


def test_what_the_brief_does_not_expect_costs_nothing() -> None:
    graph = bent(
        lambda graph: node(graph, "goal").pop("goal_threshold"),
        lambda graph: node(graph, "opt_stay").update(label="Lower it"),
    )
    card = scored(graph, NOTHING_EXPECTED)
    assert sub_score(card, "status_quo_present").value == 1.0
    assert (
        sub_score(card, "status_quo_present").message
        == "No option is the status quo; the brief expects none."
    )
    assert sub_score(card, "goal_threshold").value == 1.0
    assert (
        sub_score(card, "goal_threshold").message
        == "The goal has no threshold; the brief names no target."
    )


@pytest.mark.parametrize(("extra", "value"), [(0, 1.0), (3, 1.0), (4, 0.5), (11, 0.5), (12, 0.0)])
def test_readability_falls_with_the_number_of_nodes(extra: int, value: float) -> None:
    graph = draft()
    for index in range(extra):
        graph = with_edges(
            with_node(graph, f"fac_{index}", "factor"), edge(f"fac_{index}", "out_profit", 0.001)
        )
    assert sub_score(scored(graph), "readability_band").value == value


def test_inbound_sums_are_added_in_the_order_of_the_edges() -> None:
    graph = with_effects(mean=[0.34, 0.3, 0.56, 0.5, 0.4])
    above = with_edges(graph, edge("fac_service", "out_profit", 0.1, 0.1, 0.9))
    assert sub_score(scored(above), "range_discipline").value == 2 / 3
    below = {**above, "edges": [above["edges"][-1], *above["edges"][:-1]]}
    assert sub_score(scored(below), "range_discipline").value == 1.0


def test_sums_beyond_a_double_are_shown_as_the_largest_double() -> None:
    graph = with_effects(mean=[1.7e308, 0.3, 1.7e308, 0.5, 0.4])
    over = sub_score(scored(graph), "range_discipline").counted["over"]
    assert over == [
        {"node": "out_profit", "sum": 1.7976931348623157e308, "over_by": 1.7976931348623157e308}
    ]


def test_odd_edges_count_as_causal_in_the_order_of_the_answer() -> None:
    graph = draft()
    graph["edges"].insert(0, edge("dec", "goal", 0.5, 0.125, 0.9))
    graph = with_edges(graph, edge("dec", "goal", 0.5, 0.125, 0.9))
    found = sub_score(scored(graph), "default_takeover").counted
    assert found["causal_edges"] == 7
    assert [entry["index"] for entry in found["default_edges"]] == [0, 10]  # type: ignore[union-attr,index,call-overload]


def test_bidirected_and_structural_edges_are_not_causal() -> None:
    graph = with_edges(draft(), edge("fac_price", "goal", 0.9, 0.9, 0.1, edge_type="bidirected"))
    assert sub_score(scored(graph), "strength_diversity").counted["causal_edges"] == 5


def test_thresholds_come_from_the_rules() -> None:
    rules = ScoringRules(
        thresholds=Thresholds(
            strength_full_marks_at=10, exists_prob_full_marks_at=8, default_mean=0.6, default_std=0.1, default_zero_at_percent=40,
            max_inbound=0.75, readable_min_nodes=2, readable_max_nodes=8, crowded_max_nodes=9, crowded_marks=0.25,
        ),
        generic_labels=(" Price PER seat ",),
        status_quo_pattern="raise",
    )  # fmt: skip
    card = scored(draft(), rules=rules)
    values = {entry.name: entry.value for entries in card.sub_scores.values() for entry in entries}
    assert values["strength_diversity"] == 0.5
    assert values["exists_prob_diversity"] == 0.375
    assert values["default_takeover"] == 0.5
    assert values["range_discipline"] == 1 / 3
    assert values["readability_band"] == 0.25
    assert values["factor_label_specificity"] == 2 / 3
    assert sub_score(card, "status_quo_present").counted["options"] == ["opt_raise"]


def test_without_options_none_lacks_a_factor_of_its_own() -> None:
    topology = Topology(DraftGraph(nodes=(), edges=()))
    rules = ScoringRules()
    baseline = read_baseline(topology, rules.status_quo_pattern)
    empty = MeasuredGraph(topology, baseline, Expectations(), rules)
    assert unique_factor_per_option(empty).value == 1.0
