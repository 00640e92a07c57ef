from typing import Any

from stages.report.exports import metrics, model_metrics
from tests.builders.scorecards import card, findings, invalid, unanswered

KEYS = {
    "overall_score", "expected_score", "param_quality", "option_diff", "completeness", "usable_rate", "answered_rate",
    "scored", "cells", "cost_usd",
}  # fmt: skip


def test_the_keys_are_those_that_others_rely_on() -> None:
    found = findings(card("gpt-4.1"))
    assert set(metrics(found)) == KEYS | {"models"}
    models: Any = model_metrics(found)
    assert set(models["gpt-4.1"]) == KEYS | {
        "latency_ms_p50", "cost_per_usable_usd", "unchecked", "content", "same_choice",
    }  # fmt: skip


def test_each_model_has_its_expected_score() -> None:
    found = findings(card("a", score=0.8), invalid("a", "b2", "X"), unanswered(model="b"))
    assert metrics(found)["models"] == {"a": 0.4, "b": None}


def test_no_key_has_a_dot() -> None:
    found: Any = metrics(findings(card("a.b.c"), card("a-b")))
    assert sorted(found["models"]) == ["a-b", "a_b_c"]


def test_ids_that_differ_in_dots_only_keep_both_their_scores() -> None:
    found: Any = metrics(findings(card("a.b", score=0.1), card("a_b", score=0.9)))
    assert found["models"] == {"a_b": 0.1, "a_b_": 0.9}


def test_scores_are_means_over_scored_cells_and_rates_over_all() -> None:
    found = metrics(
        findings(
            card(score=0.8),
            invalid("a", "b2", "X"),
            unanswered(brief="b3"),
            card(brief="b4", score=0.4),
        )
    )
    assert {key: found[key] for key in KEYS} == {
        "overall_score": 0.6, "param_quality": 0.6, "option_diff": 0.6, "completeness": 0.6, "expected_score": 0.4,
        "usable_rate": 0.5, "answered_rate": 0.75, "scored": 2, "cells": 4, "cost_usd": 0.03,
    }  # fmt: skip


def test_figures_have_six_decimals() -> None:
    assert metrics(findings(card(score=1 / 3)))["overall_score"] == 0.333333


def test_what_was_not_measured_is_null() -> None:
    found = metrics(findings(unanswered()))
    assert [
        found[key] for key in ("overall_score", "expected_score", "completeness", "cost_usd")
    ] == [None] * 4
    assert found["usable_rate"] == 0.0
