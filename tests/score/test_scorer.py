"""The scorecard as a whole: verdict, sums, expected score, rules, and the way from the raw text."""

import pytest

from graph_evaluator.records.brief import Expectations
from graph_evaluator.records.response import STATUSES, Cell
from graph_evaluator.records.scorecard import DIMENSIONS
from tests.builders.responses import response as build_response
from tests.score.drafts import (
    EXPECTATIONS,
    RULES,
    changed,
    draft,
    node,
    score,
    scored,
    without_edge,
)

MODELS_DOING = ("parse_failed", "truncated", "refused")


def response(status="success", graph=None):
    return build_response(Cell("m", "b", 2), status=status, parsed_graph=graph)


def test_a_dimension_is_the_sum_of_value_times_weight_to_the_last_bit():
    graph = without_edge(draft(), "dec > opt_stay")
    node(graph, "fac_price")["label"] = "Cost"
    card = scored(graph)
    for dimension in DIMENSIONS:
        total = 0.0
        for part in card.sub_scores[dimension]:
            total += part.value * part.weight
        assert getattr(card, dimension) == total
    assert card.param_quality is not None
    assert card.option_diff is not None
    assert card.completeness is not None
    assert (
        card.overall_score
        == card.param_quality * 0.3 + card.option_diff * 0.3 + card.completeness * 0.4
    )


@pytest.mark.parametrize("status", [status for status in STATUSES if status != "success"])
def test_without_a_graph_there_is_one_violation_and_no_score(status):
    card = score(response(status, draft()), EXPECTATIONS, RULES)
    assert card.violation_codes == ("NO_GRAPH",)
    assert status in card.violations[0].message
    assert not card.structural_valid
    assert (card.overall_score, card.node_count, card.edge_count) == (None, None, None)
    assert card.expected_score == (0.0 if status in MODELS_DOING else None)
    assert card.violations[0].message.startswith(
        "The answer has no graph" if status in MODELS_DOING else "There is no answer"
    )


def test_the_scorecard_says_what_the_response_says():
    reported = build_response(
        Cell("m", "b", 3), parsed_graph=draft(), failure_code="f", fingerprint="x", extraction_method="bracketed",
        latency_ms=1.5, input_tokens=1, reasoning_tokens=5, est_cost_usd=0.25, attempts=6, simulated=True,
    )  # fmt: skip
    written = reported.to_json()
    card = score(reported, Expectations(complexity="complex"), RULES)
    for key in written.keys() & card.to_json().keys() - {"warnings"}:
        assert card.to_json()[key] == written[key], key
    assert card.complexity == "complex"


def test_a_scorecard_has_its_evidence_in_short():
    card = scored(changed("fac_price > out_profit", mean=0.5, std=0.125))
    assert card.checks == {check.name: check.outcome for check in card.fidelity}
    assert card.warning_codes == tuple(warning.code for warning in card.warnings)
    takeover = card.sub_scores["param_quality"][3]
    assert card.sub_score_values["param_quality.default_takeover"] == takeover.value
