"""What cells come to, counted by hand."""

from dataclasses import astuple

import pytest
from hypothesis import strategies as st

from graph_evaluator.analysis.interval import mean_interval, share_interval, usable_mean
from graph_evaluator.analysis.summary import (
    summarise,
)
from graph_evaluator.records.record import Measurement
from tests.builders.cases import cases
from tests.builders.scorecards import card, distinct, invalid, unanswered, unfaithful, unusable

SCORES = st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=12)


def summary_of(*cards):
    return summarise(cards)


def of_scores(*scores, **fields):
    """One brief for each score, None for a graph that breaks a rule."""
    cards = [
        invalid("a", f"b{number:02}", **fields)
        if score is None
        else card("a", f"b{number:02}", score, **fields)
        for number, score in enumerate(scores)
    ]
    return summary_of(*cards)


def test_every_aggregate_is_of_its_own_field():
    exact = {"exact_names": True}
    foreign = {"checks": {"grounding": "not_applicable"}, "content": None}
    cards = [
        *(distinct(sample, **exact) for sample in (1, 2)),
        distinct(3, **exact, **foreign),
        *(invalid("m", "b1", "X", sample=sample, attempts=2) for sample in range(4)),
        *(unfaithful("m", "b2", "target", sample=sample, attempts=2) for sample in range(5)),
        *(unusable("truncated", "m", "b3", sample=sample, attempts=2) for sample in range(6)),
        *(unanswered("rate_limited", "m", "b4", sample=sample, attempts=8) for sample in range(7)),
    ]
    summary = summary_of(*cards)
    counts = ("cells", "answered", "unanswered", "usable")
    assert [getattr(summary, name) for name in counts] == [25, 18, 7, 3]
    assert summary.outcomes == {
        "usable": 2,
        "unchecked": 1,
        "invalid": 4,
        "unfaithful": 5,
        "truncated": 6,
        "rate_limited": 7,
    }
    assert summary.simulated is False
    assert summary.usable_share == 3 / 25
    assert (summary.asked_briefs, list(summary.briefs)) == (5, ["b1", "b2", "b3", "b7"])
    assert astuple(summary.briefs["b7"]) == pytest.approx((0.65, 1.0, 0.65, 0.68, 1.0, 0, 0.0, 0.0))
    assert summary.content_unmeasured == 1
    assert summary.cell_overall.n == 8
    means = {"cell_expected": 3 * 0.65 / 18, "cell_overall": (3 * 0.64 + 5 * 0.5) / 8}
    for name, mean in means.items():
        assert getattr(summary, name).value == pytest.approx(mean), name
    parts = {"param_quality": 0.61, "option_diff": 0.62, "completeness": 0.63}
    found = {name: (mean.value, mean.n) for name, mean in summary.dimensions.items()}
    assert found == {
        name: (pytest.approx((3 * value + 2.5) / 8), 8) for name, value in parts.items()
    }
    assert summary.sub_scores == {"completeness.goal_threshold": Measurement(value=0.66, n=3)}


def test_cost_latency_and_tokens_are_of_their_own_field():
    other = {"est_cost_usd": 0.0375, "latency_ms": 3250.0, "cached_tokens": None}
    summary = summary_of(distinct(1), distinct(2), invalid("m", "b1", "X", **other))
    assert astuple(summary.cost) == pytest.approx((0.0625, 0, 0.0625 / 3, 0.03125))
    assert astuple(summary.latency) == pytest.approx((1250.0, 3050.0, 5750 / 3))
    assert (summary.latency.p50_s, summary.latency.p95_s) == (1.25, 3.05)
    assert summary.cached_share == 1050 / 4200


def test_a_failure_counts_0_in_the_expected_score_and_nothing_in_the_quality():
    quality = [0.70, 0.75, 0.80, 0.85, 0.90]
    summary = of_scores(*quality, None)
    assert summary.form == usable_mean([*quality, 0.0], [1.0] * len(quality) + [0.0])
    assert summary.form_of_usable == mean_interval(quality)
    assert summary.usable_rate.value == pytest.approx(5 / 6)
    assert summary.usable_rate.ends == share_interval(5 / 6, 6)


def test_samples_are_averaged_on_a_brief_and_models_after_them():
    summary = summary_of(
        card("a", "b1", 0.2, 1, content=0.5),
        invalid("a", "b1", sample=2),
        card("b", "b1", 0.5),
        card("a", "b2", 0.8),
    )
    score = summary.briefs["b1"]
    assert (score.form, score.usable) == pytest.approx((0.3, 0.75))
    assert score.form_of_usable == pytest.approx(0.35)
    assert summary.form.value == pytest.approx((0.3 + 0.8) / 2)
    assert summary.cell_expected == Measurement(value=1.5 / 4, n=4)


MEASURED = [card("a", f"b{number}", content=0.5) for number in range(1, 10)]
UNCODED = card("a", "b0", content=None)


@cases(
    "cells, mean, briefs, unmeasured",
    {
        "a failure counts 0": ([card(content=0.8), invalid("a", "b1", sample=2)], 0.4, 1, 0),
        "of another brief too": (
            [card(content=0.8), unfaithful("a", "b2", "target", content=0.9)], 0.4, 2, 0,
        ),
        "no answer counts nothing": ([card(content=0.8), unanswered(brief="b2")], 0.8, 1, 0),
        "failures alone": ([invalid(), unusable("refused", "a", "b2")], 0.0, 2, 0),
        "one in ten is not measured": ([*MEASURED, UNCODED], 0.5, 9, 1),
        "two in ten are not measured": (
            [*MEASURED[1:], UNCODED, card("a", "b1", content=None), invalid("a", "b11")], None, 0, 2,
        ),
        "exact names are covered always": (
            [card(content=0.25, exact_names=True), invalid("a", "b2", exact_names=True), UNCODED],
            0.125, 2, 1,
        ),
        "no effect is stated": ([card(states_effects=False), invalid(states_effects=False)], None, 0, 0),
    },
)  # fmt: skip
def test_content_covers_the_briefs_that_state_effects_where_it_is_measured(
    cells, mean, briefs, unmeasured
):
    summary = summarise(cells)
    assert (summary.content.value, summary.content.n) == (mean, briefs)
    assert summary.content_unmeasured == unmeasured


def test_of_nothing_nothing_is_measured():
    for summary in (summary_of(), summary_of(unanswered())):
        assert summary.form == summary.form_of_usable == Measurement()
        assert (summary.cost.usd, summary.latency.p50_ms, summary.cached_share) == (None,) * 3
        assert summary.rerun_form == summary.rerun_content == Measurement()


def test_an_unknown_cost_is_counted_and_leaves_no_mean():
    known = of_scores(0.5, 0.7, None, est_cost_usd=0.03).cost
    assert (known.usd, known.unknown) == pytest.approx((0.09, 0))
    assert (known.per_answer, known.per_usable) == pytest.approx((0.03, 0.045))
    cost = summary_of(card(est_cost_usd=0.03), card(sample=2, est_cost_usd=None)).cost
    assert (cost.usd, cost.unknown, cost.per_answer, cost.per_usable) == (0.03, 1, None, None)


def test_an_unknown_latency_leaves_percentiles_and_no_mean():
    latencies = (1000.0, 2000.0, 3000.0, 4000.0, None)
    cells = [card(sample=sample, latency_ms=value) for sample, value in enumerate(latencies)]
    assert astuple(summary_of(*cells).latency) == pytest.approx((2500.0, 3850.0, None))


def test_reruns_are_the_mean_difference_of_two_answers_of_a_model_over_briefs():
    cards = [
        card("a", "b1", 0.5, 1, content=0.25),
        invalid("a", "b1", sample=2),
        card("a", "b1", 0.9, 3, content=0.5),
        card("b", "b1", 0.5, 1, content=None),
        card("b", "b1", 0.7, 2, content=0.75),
        card("a", "b2", 0.1, 1, content=1.0),
        card("a", "b2", 0.2, 2, content=1.0),
        card("a", "b3", 0.6),
    ]
    of_a = (0.5 + 0.9 + 0.4) / 3
    summary = summary_of(*cards)
    assert summary.rerun_form.value == pytest.approx(((of_a + 0.2) / 2 + 0.1) / 2)
    assert summary.rerun_content.value == pytest.approx((1.0 / 3 + 0.0) / 2)
    assert (summary.rerun_form.n, summary.rerun_content.n) == (2, 2)
