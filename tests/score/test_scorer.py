"""The scorecard as a whole: verdict, sums, expected score, rules, and the way from the raw text."""

import json

import msgspec
import pytest

from stages.contracts.brief import Expectations
from stages.contracts.params import (
    SCORING_VERSION,
    CompletenessWeights,
    OverallWeights,
    ScoringRules,
    Weights,
)
from stages.contracts.response import STATUSES, Response, Status
from stages.contracts.scorecard import DIMENSIONS, Scorecard
from stages.score import Scorer, parsed_answer, score
from stages.score.scorecard_line import scorecard_line
from tests.score.drafts import EXPECTATIONS, RULES, draft, node, scored, with_node, without_edge

MODELS_DOING: tuple[Status, ...] = ("parse_failed", "truncated", "refused")


def response(status: Status = "success", graph: object = None) -> Response:
    return Response(model_id="m", brief_id="b", sample=2, status=status, parsed_graph=graph)  # type: ignore[arg-type]


def test_a_dimension_is_the_sum_of_value_times_weight_to_the_last_bit() -> None:
    graph = without_edge(draft(), "dec", "opt_stay")
    node(graph, "fac_price")["label"] = "Cost"
    card = scored(graph)
    for dimension in DIMENSIONS:
        total = 0.0
        for part in card.sub_scores[dimension]:
            total += part.value * part.weight
        assert getattr(card, dimension) == total
    assert card.param_quality is not None and card.option_diff is not None and card.completeness is not None  # noqa: PT018
    assert card.overall_score == card.param_quality * 0.3 + card.option_diff * 0.3 + card.completeness * 0.4


def test_sub_scores_are_added_in_the_order_of_the_specification() -> None:
    assert {name: [part.name for part in parts] for name, parts in scored(draft()).sub_scores.items()} == {
        "param_quality": ["strength_diversity", "exists_prob_diversity", "std_variation", "default_takeover", "range_discipline"],
        "option_diff": ["status_quo_present", "no_identical_interventions", "each_option_sets_factor", "unique_factor_per_option"],
        "completeness": [
            "external_factor_present", "coaching_populated", "goal_threshold", "factor_label_specificity", "readability_band",
        ],
    }  # fmt: skip


def test_an_invalid_graph_has_no_scores_and_counts_0() -> None:
    card = scored(with_node(draft(), "fac_moon", "factor"))
    assert (card.structural_valid, card.param_quality, card.option_diff, card.completeness, card.overall_score) == (
        False, None, None, None, None,
    )  # fmt: skip
    assert card.expected_score == 0.0
    assert card.sub_scores == {}
    assert (card.node_count, card.edge_count) == (10, 9)


def test_a_valid_graph_counts_its_overall_score() -> None:
    card = scored(draft())
    assert card.structural_valid
    assert card.expected_score == card.overall_score


@pytest.mark.parametrize("status", [status for status in STATUSES if status != "success"])
def test_without_a_graph_there_is_one_violation_and_no_score(status: Status) -> None:
    card = score(response(status, draft()), EXPECTATIONS, RULES)
    assert card.violation_codes == ("NO_GRAPH",)
    assert status in card.violations[0].message
    assert not card.structural_valid
    assert (card.overall_score, card.node_count, card.edge_count) == (None, None, None)
    assert card.expected_score == (0.0 if status in MODELS_DOING else None)
    assert card.violations[0].message.startswith(
        "The answer has no graph" if status in MODELS_DOING else "There is no answer"
    )


def test_scoring_many_at_once_gives_each_answer_its_own_scorecard() -> None:
    unlabelled, unset, broken = (
        draft(),
        without_edge(draft(), "dec", "opt_stay"),
        without_edge(draft(), "fac_price", "out_profit"),
    )
    node(unlabelled, "opt_stay")["label"] = "Lower it"
    unscorable = draft()
    del unscorable["edges"][4]["strength"]
    some = [
        response(graph=unscorable), response("truncated"), response(graph=draft()), response(graph=broken),
        response(graph=unlabelled), response(graph=[]), response("rate_limited"), response(graph=unset),
    ]  # fmt: skip
    expecting = [Expectations(expect_status_quo=index % 3 == 0, complexity="complex") for index in range(len(some) * 9)]
    answers = list(zip(some * 9, expecting, strict=True))
    together = list(Scorer(RULES).score_all(parsed_answer(*answer) for answer in answers))
    assert together == [score(*answer, RULES) for answer in answers]
    assert [card.structural_valid for card in together[:8]] == [False, False, True, False, True, False, False, True]


@pytest.mark.parametrize(("nodes", "held"), [(1, 32), (400, 26), (10_001, 1)])
def test_of_large_answers_fewer_are_held_at_once(nodes: int, held: int) -> None:
    large = response(graph={"nodes": [{"id": str(index), "kind": "factor"} for index in range(nodes)], "edges": []})
    answers = iter([parsed_answer(large, EXPECTATIONS)] * 64)
    next(Scorer(RULES).score_all(answers))
    assert len(list(answers)) == 64 - held


def test_the_scorecard_says_what_the_response_says() -> None:
    told = Response(
        model_id="m", brief_id="b", sample=3, status="success", parsed_graph=draft(), latency_ms=1.5, input_tokens=1,
        cached_tokens=2, cache_write_tokens=3, output_tokens=4, reasoning_tokens=5, est_cost_usd=0.25, pricing_source="p",
        failure_code="f", fingerprint="x", extraction_method="bracketed", attempts=6, draws=7, simulated=True, created_at="t",
    )  # fmt: skip
    card = score(told, Expectations(complexity="complex"), RULES)
    for key in set(Response.__struct_fields__) & set(Scorecard.__struct_fields__) - {"warnings"}:
        assert getattr(card, key) == getattr(told, key), key
    assert card.complexity == "complex"


def test_the_rules_are_recorded() -> None:
    assert scored(draft()).scoring_version == SCORING_VERSION
    other = ScoringRules(generic_labels=("cost",))
    assert scored(draft()).scoring_rules == RULES.sha256
    assert scored(draft(), rules=other).scoring_rules == other.sha256 != RULES.sha256


def test_weights_come_from_the_rules() -> None:
    weights = Weights(
        overall=OverallWeights(param_quality=0.5, option_diff=0.5, completeness=0.0),
        completeness=CompletenessWeights(
            external_factor_present=1,
            coaching_populated=0,
            goal_threshold=0,
            factor_label_specificity=0,
            readability_band=0,
        ),
    )
    graph = draft()
    node(graph, "fac_rivals").pop("category")
    card = scored(graph, rules=ScoringRules(weights=weights))
    assert card.completeness == 0.0
    assert card.overall_score == 1.0


@pytest.mark.parametrize(
    ("raw", "method"),
    [
        (json.dumps(draft()), "direct"),
        (f"```json\n{json.dumps(draft())}\n```", "stripped_fence"),
        (f"So: {json.dumps(draft())}", "bracketed"),
    ],
)
def test_from_the_raw_text_the_scorecard_is_the_same(raw: str, method: str) -> None:
    scorer = Scorer(RULES)
    direct = scorer.score(msgspec.structs.replace(response(graph=draft()), extraction_method=method), EXPECTATIONS)
    assert scorer.score_text(raw, response("refused"), EXPECTATIONS) == direct
    assert scorer.score_text(raw, response("success"), EXPECTATIONS) == direct


@pytest.mark.parametrize("raw", ["", "I cannot.", "null", "```\nnull\n```", "{"])
def test_a_text_without_a_value_is_parse_failed(raw: str) -> None:
    card = Scorer(RULES).score_text(raw, response(), EXPECTATIONS)
    assert card.status == "parse_failed"
    assert card.violation_codes == ("NO_GRAPH",)
    assert card.expected_score == 0.0


def test_a_graph_at_hand_has_a_cell_of_its_own() -> None:
    card = scored(draft())
    assert (card.model_id, card.brief_id, card.sample, card.status) == ("graph", "graph", 1, "success")


def test_a_line_reads_back_to_the_same_scorecard() -> None:
    for card in (scored(draft()), scored(with_node(draft(), "fac_moon", "factor")), scored([])):
        line = scorecard_line(card)
        assert line.endswith(b"}\n")
        assert line.count(b"\n") == 1
        assert msgspec.json.decode(line, type=Scorecard) == card


def test_a_lone_surrogate_in_an_id_is_written_as_an_escape() -> None:
    line = scorecard_line(scored(with_node(draft(), "fac_\ud800", "factor")))
    assert json.loads(line)["violations"][0]["nodes"] == ["fac_\ud800"]
