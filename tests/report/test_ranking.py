import math

import numpy
import pandas as pd
import pytest

from stages.report.ranking import rank_briefs, rank_models, spread
from stages.shared.analysis.estimates import score_of, side_of
from stages.shared.records.scorecard import Scorecard
from tests.builders.cases import cases
from tests.builders.scorecards import (
    card,
    frame,
    invalid,
    row,
    sub_score,
    unanswered,
    unfaithful,
    unusable,
)

FLATTERED = (
    card("flattered", "b1", 0.9),
    invalid("flattered", "b2", "CYCLE_DETECTED"),
    card("steady", "b1", 0.6),
    card("steady", "b2", 0.6),
)


def models(*cards: Scorecard) -> pd.DataFrame:
    return rank_models(frame(*cards), 0.95)


def ranked(*cards: Scorecard) -> list[tuple[str, float, float]]:
    found = models(*cards)
    scores = found["expected_score"].round(9)
    return list(zip(found["model_id"], found["rank"], scores, strict=True))


def briefs(*cards: Scorecard) -> pd.DataFrame:
    cells = frame(*cards)
    return rank_briefs(cells, rank_models(cells, 0.95))


def test_a_model_that_fails_half_its_briefs_does_not_lead_by_expected_score() -> None:
    assert ranked(*FLATTERED) == [("steady", 1, 0.6), ("flattered", 2, 0.45)]


def test_a_model_without_any_answer_has_no_rank_and_comes_last() -> None:
    found = models(unanswered(model="a"), card("b", score=0.0))
    assert found["model_id"].tolist() == ["b", "a"]
    assert found["rank"].tolist()[0] == 1
    assert math.isnan(row(found, 1).rank)


def test_equal_scores_share_a_rank_and_the_cheaper_comes_first() -> None:
    found = models(card("a", est_cost_usd=0.9), card("b", est_cost_usd=0.1), card("c", score=0.1))
    assert list(zip(found["model_id"], found["rank"], strict=True)) == [
        ("b", 1),
        ("a", 1),
        ("c", 3),
    ]


def test_equal_scores_and_costs_go_by_id() -> None:
    assert models(card("b"), card("a"))["model_id"].tolist() == ["a", "b"]


def test_rounding_errors_do_not_make_a_rank() -> None:
    assert models(card("a", score=0.3), card("b", score=0.1 + 0.2))["rank"].tolist() == [1, 1]


def test_the_interval_is_over_the_briefs() -> None:
    values = [0.2, 0.5, 0.6, 0.4]
    expected = score_of(side_of({f"b{number}": [value] for number, value in enumerate(values)}))
    one = row(
        models(*(card(brief=f"b{number}", score=value) for number, value in enumerate(values)))
    )
    assert (one.expected_score, one.expected_low, one.expected_high) == (
        expected.value,
        expected.low,
        expected.high,
    )


def test_the_interval_allows_for_failures() -> None:
    cards = [card(brief=f"b{number:02}", score=0.9) for number in range(15)]
    one = row(models(*cards, invalid("a", "b15", "CYCLE_DETECTED")))
    expected = score_of(
        side_of({f"b{number:02}": [0.9 if number < 15 else None] for number in range(16)})
    )
    assert (one.expected_low, one.expected_high) == pytest.approx((expected.low, expected.high))
    assert (one.overall_mean, one.overall_n) == (pytest.approx(0.9), 15)
    assert one.overall_low > one.expected_low


def defaulted(brief: str, value: float) -> Scorecard:
    """A graph with this share of its edges at the defaults."""
    sub = sub_score("default_takeover", value, defaults=int(4 * value), causal_edges=4)
    return card(brief=brief, sub_scores={"param_quality": (sub,)})


NOTHING = dict.fromkeys(
    (
        "cost_usd", "latency_p50_ms", "input_tokens", "output_tokens", "output_tokens_mean", "cached_share",
        "cache_saved_usd", "expected_score", "expected_low", "expected_high", "cost_per_usable_usd",
    ),
    math.nan,
)  # fmt: skip
HALF = {"expected_score": 0.4, "expected_n": 2, "overall_mean": 0.8, "overall_n": 1}


@cases(
    "cards, figures",
    {
        "parse failed": ([card(score=0.8), unusable("parse_failed", brief="b2")], HALF),
        "truncated": ([card(score=0.8), unusable("truncated", brief="b2")], HALF),
        "refused": ([card(score=0.8), unusable("refused", brief="b2")], HALF),
        "unanswered": (
            [card(score=0.8), unanswered(brief="b2")],
            {"expected_score": 0.8, "expected_n": 1, "cells": 2, "unanswered": 1, "cost_usd": 0.01, "cost_unknown": 0},
        ),
        "nothing answered": ([unanswered()], NOTHING | {"calls": 8, "expected_n": 0}),
        "several samples of a brief": (
            [card(score=0.0), card(score=0.0, sample=2), card(brief="b2", score=0.9)],
            {"expected_score": 0.45, "expected_n": 2, "overall_score": 0.3},
        ),
        "every outcome": (
            [card(), invalid("a", "b2", "X"), unusable("truncated", brief="b3"), unanswered(brief="b4")],
            {
                "cells": 4, "answered": 3, "usable": 1, "invalid": 1, "unanswered": 1, "success": 2, "truncated": 1,
                "server_error": 1, "refused": 0, "usable_share": 0.25, "answered_share": 0.75,
            },
        ),
        "unfaithful": (
            [card(score=0.4), unfaithful("a", "b2", "grounding", score=0.8), invalid("a", "b3", "X")],
            {"usable": 1, "unfaithful": 1, "invalid": 1, "scored": 2, "overall_score": 0.6, "expected_score": 0.4 / 3},
        ),
        "invalid graphs are paid for": (
            [card(), invalid("a", "b2", "X")], {"cost_usd": 0.02, "cost_per_usable_usd": 0.02},
        ),
        "unknown cost": (
            [card(), card(brief="b2", est_cost_usd=None)],
            {"cost_usd": 0.01, "cost_unknown": 1, "cost_per_usable_usd": math.nan},
        ),
        "no usable graph": ([invalid("a", "b1", "X")], {"cost_per_usable_usd": math.nan}),
        "cache reported by some": ([card(), card(brief="b2", cached_tokens=None)], {"cached_share": 0.25}),
        "latencies": (
            [card(brief=f"b{number:03}", latency_ms=float(number)) for number in range(1, 102)],
            {"latency_p50_ms": 51.0, "latency_p95_ms": 96.0},
        ),
        "sub-scores": (
            [defaulted("b1", 1.0), defaulted("b2", 0.0), unusable("refused", brief="b3")],
            {"param_quality.default_takeover": 0.5, "default_share": 0.5},
        ),
        "simulated in part": ([card(), card(brief="b2", simulated=True)], {"simulated": True}),
    },
)  # fmt: skip
def test_the_figures_of_a_model(cards: list[Scorecard], figures: dict[str, float]) -> None:
    (found,) = models(*cards).to_dict("records")
    assert {name: found[name] for name in figures} == pytest.approx(figures, nan_ok=True)


def test_briefs_name_their_best_and_worst_model() -> None:
    one = row(briefs(card("a", score=0.2), card("b", score=0.7), unanswered(model="c")))
    assert (one.best, one.best_score, one.worst, one.worst_score, one.gap) == (
        "b",
        0.7,
        "a",
        0.2,
        pytest.approx(0.5),
    )


def test_of_equal_models_the_better_ranked_is_best_and_the_worse_ranked_worst() -> None:
    cards = (card("a", "b1", 0.5), card("b", "b1", 0.5), card("a", "b2", 0.1), card("b", "b2", 0.9))
    one = row(briefs(*cards))
    assert (one.best, one.worst) == ("b", "a")


def test_a_brief_that_nobody_answered_has_neither_best_nor_worst() -> None:
    one = row(briefs(unanswered(), card(brief="b2")))
    assert (one.best, one.worst_name) == (None, None)
    assert math.isnan(one.expected_score)
    assert math.isnan(one.best_score)


def test_briefs_come_by_id_with_their_complexity() -> None:
    found = briefs(card(brief="b2", complexity="complex"), card(brief="b1"))
    assert list(zip(found["brief_id"], found["complexity"], strict=True)) == [
        ("b1", "simple"),
        ("b2", "complex"),
    ]


def spread_of(by_brief: list[list[float]]) -> tuple[float, float]:
    rows = [(brief, value) for brief, values in enumerate(by_brief) for value in values]
    scores = pd.DataFrame(rows, columns=["brief", "score"]).astype({"score": float})
    return spread(scores.groupby("brief")["score"])


@cases(
    "scores, samples, briefs",
    {
        "samples that agree": ([[0.2, 0.2], [0.8, 0.8]], 0.0, 0.4243),
        "briefs that differ less than their samples": ([[0.2, 0.8], [0.21, 0.81]], 0.4243, 0.0),
        "no repeated samples": ([[0.2], [0.8]], math.nan, 0.4243),
        "one brief": ([[0.4, 0.6]], 0.1414, math.nan),
    },
)
def test_the_spread_between_samples_is_apart_from_that_between_briefs(
    scores: list[list[float]], samples: float, briefs: float
) -> None:
    assert spread_of(scores) == pytest.approx((samples, briefs), abs=1e-4, nan_ok=True)


def test_the_two_spreads_are_separated_in_a_population_with_known_ones() -> None:
    draw = numpy.random.default_rng(7)
    samples, of_briefs = spread_of(
        [list(draw.normal(brief, 0.05, 3)) for brief in draw.normal(0.5, 0.1, 4_000)]
    )
    assert samples == pytest.approx(0.05, abs=0.002)
    assert of_briefs == pytest.approx(0.1, abs=0.004)
