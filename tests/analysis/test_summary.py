"""What cells come to, counted by hand."""

from typing import Any

import pytest
from hypothesis import strategies as st

from graph_evaluator.analysis.interval import mean_interval, share_interval, usable_mean
from graph_evaluator.analysis.summary import Summary, summarise
from graph_evaluator.records.record import Measurement
from graph_evaluator.records.scorecard import Scorecard, ScoredCell
from tests.builders.cases import cases
from tests.builders.scorecards import card, invalid, unanswered, unfaithful, unusable

SCORES = st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=12)


def summary_of(*cards: Scorecard) -> Summary:
    return summarise(cards)


def of_scores(*scores: float | None, **fields: Any) -> Summary:
    """One brief for each score, None for a graph that breaks a rule."""
    cards = [
        invalid("a", f"b{number:02}", **fields)
        if score is None
        else card("a", f"b{number:02}", score, **fields)
        for number, score in enumerate(scores)
    ]
    return summary_of(*cards)


def test_cells_are_counted_by_their_outcome() -> None:
    summary = summary_of(
        card("a", "b1"),
        invalid("a", "b2", "ORPHAN"),
        unfaithful("a", "b3", "target"),
        unusable("truncated", "a", "b4"),
        unanswered("rate_limited", "a", "b5"),
    )
    assert (summary.cells, summary.answered, summary.unanswered) == (5, 4, 1)
    assert (summary.usable, summary.invalid, summary.unfaithful, summary.scored) == (1, 1, 1, 2)
    counts = {status: count for status, count in summary.statuses.items() if count}
    assert counts == {"success": 3, "truncated": 1, "rate_limited": 1}
    assert (summary.usable_share, summary.answered_share) == (0.2, 0.8)
    assert summary.asked_briefs == 5
    assert list(summary.briefs) == ["b1", "b2", "b3", "b4"]


def test_a_failure_counts_0_in_the_expected_score_and_nothing_in_the_quality() -> None:
    quality = [0.70, 0.75, 0.80, 0.85, 0.90]
    summary = of_scores(*quality, None)
    assert summary.expected == usable_mean([*quality, 0.0], [1.0] * len(quality) + [0.0])
    assert summary.quality == mean_interval(quality)
    assert summary.usable_rate.value == pytest.approx(5 / 6)
    assert summary.usable_rate.ends == share_interval(5 / 6, 6)


def test_samples_are_averaged_on_a_brief_and_models_after_them() -> None:
    summary = summary_of(
        card("a", "b1", 0.2, 1, content=0.5),
        invalid("a", "b1", sample=2),
        card("b", "b1", 0.5),
        card("a", "b2", 0.8),
    )
    score = summary.briefs["b1"]
    assert (score.expected, score.usable) == pytest.approx((0.3, 0.75))
    assert score.quality == pytest.approx(0.35)
    assert summary.expected.value == pytest.approx((0.3 + 0.8) / 2)
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
    cells: list[ScoredCell], mean: float | None, briefs: int, unmeasured: int
) -> None:
    summary = summarise(cells)
    assert (summary.content.value, summary.content.n) == (mean, briefs)
    assert summary.content_unmeasured == unmeasured


def test_of_nothing_nothing_is_measured() -> None:
    for summary in (summary_of(), summary_of(unanswered())):
        assert summary.expected == summary.quality == Measurement()
        assert (summary.cost.usd, summary.latency.p50_ms, summary.tokens.input) == (None,) * 3
        assert summary.reruns.form == summary.reruns.content == Measurement()


def test_an_unknown_cost_is_counted_and_leaves_no_mean() -> None:
    known = of_scores(0.5, 0.7, None, est_cost_usd=0.03).cost
    assert (known.usd, known.unknown) == pytest.approx((0.09, 0))
    assert (known.per_answer, known.per_usable) == pytest.approx((0.03, 0.045))
    cost = summary_of(card(est_cost_usd=0.03), card(sample=2, est_cost_usd=None)).cost
    assert (cost.usd, cost.unknown, cost.per_answer, cost.per_usable) == (0.03, 1, None, None)


def test_latencies_and_tokens_are_those_that_are_measured() -> None:
    cells = [
        card(sample=number, latency_ms=1000.0 * number, cached_tokens=None)
        for number in range(1, 5)
    ]
    summary = summary_of(*cells, card(sample=5, latency_ms=None, input_tokens=1000))
    latency, tokens = summary.latency, summary.tokens
    assert (latency.p50_ms, latency.p95_ms) == pytest.approx((2500.0, 3850.0))
    assert latency.per_answer_ms is None
    assert (tokens.input, tokens.cached_share) == (9000, 0.5)


def test_reruns_are_the_mean_difference_of_two_answers_of_a_model_over_briefs() -> None:
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
    reruns = summary_of(*cards).reruns
    assert reruns.form.value == pytest.approx(((of_a + 0.2) / 2 + 0.1) / 2)
    assert reruns.content.value == pytest.approx((1.0 / 3 + 0.0) / 2)
    assert (reruns.form.n, reruns.content.n) == (2, 2)
