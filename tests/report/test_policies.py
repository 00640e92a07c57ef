"""Policies in the reports: rows beside the models', candidates of the decision, a page."""

from typing import Any

import pytest

from graph_evaluator.records.model_config import Policy
from graph_evaluator.records.response import RecordedCounts
from graph_evaluator.records.scorecard import Scorecard
from graph_evaluator.report.columns import LEADERBOARD, OTHERS, table_of
from graph_evaluator.report.exports import metrics, plots
from graph_evaluator.report.findings import Findings
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.report.site.pages import site_files
from graph_evaluator.report.summary import summary
from tests.builders.policies import policy
from tests.builders.scorecards import (
    card,
    findings,
    invalid,
    manifest,
)

FALL_BACK = policy(("a", 2), ("b", 1), policy_id="a-then-b")


def run(*policies: Policy, briefs: int = 8, lower: float = 0.0, **params: Any) -> Findings:
    """Model a fails on every second answer; b is dearer, slower and never fails, and may score lower."""
    cards: list[Scorecard] = []
    cheap: Any = {"est_cost_usd": 0.01, "latency_ms": 1000.0}
    for number in range(1, briefs + 1):
        brief, score = f"b{number}", 0.7 + number / 100
        cards += [card("a", brief, score, sample, **cheap) for sample in (1, 2)]
        cards += [invalid("a", brief, "NO_GOAL", sample=sample, **cheap) for sample in (3, 4)]
        cards.append(card("b", brief, score - lower, est_cost_usd=0.06, latency_ms=9000.0))
    return findings(*cards, policies=policies, **params)


def policy_of(found: Findings) -> Candidate:
    (one,) = (candidate for candidate in found.candidates if candidate.is_policy)
    return one


def pages_of(found: Findings) -> dict[str, bytes]:
    only = card("a")
    return dict(site_files(found, {}, lambda _: (only, None)))


def test_a_policy_is_a_row_of_the_leaderboard_beside_its_models() -> None:
    found = run(FALL_BACK)
    assert [one.id for one in found.candidates] == ["b", "a-then-b", "a"]
    ranked = policy_of(found)
    assert (ranked.name, ranked.rank, ranked.mode) == ("A-THEN-B (policy)", 1, "normal")
    assert ranked.summary.cost.usd == pytest.approx(8 * (0.01 + 0.01 / 2 + 0.06 / 6))


def test_a_policy_has_the_keys_of_a_model_in_the_files_for_programs() -> None:
    found = run(FALL_BACK)
    by_model: Any = metrics(found)["models"]
    assert by_model["a-then-b"] == pytest.approx(0.745)
    assert b"\na-then-b,normal,8,8,1.0000,0.7450" in plots(found)["models.csv"]


def test_a_policy_is_a_candidate_of_its_mode_with_the_steps_written_out() -> None:
    decided: Any = run(FALL_BACK, lower=0.1).decision.to_json()
    normal = decided["modes"]["normal"]
    assert normal["model"] is None
    assert normal["policy"] == decided["policies"]["a-then-b"]
    steps = ({"model": "a", "tries": 2}, {"model": "b", "tries": 1})
    assert normal["policy"]["steps"] == steps
    assert {rival["model"] for rival in normal["rivals"]} == {"a", "b"}


def test_the_limits_of_a_mode_are_checked_for_policies() -> None:
    limits = {"max_p95_latency_s": 5, "max_usd_per_usable_graph": 0.1, "min_usable_rate": 0.6}
    found = run(FALL_BACK, briefs=40, modes={"fast": limits})
    checks = [one for one in found.decision.modes["fast"].checks if one.model == "a-then-b"]
    assert [one.verdict for one in checks][1:] == ["met", "met"]
    assert checks[0].measured.value == pytest.approx(1 / 6, abs=0.02)


def test_a_policy_of_more_tries_than_samples_says_how_many_it_needs() -> None:
    found = run(policy(("b", 3), policy_id="thrice"), run=manifest("a", "b", briefs=8))
    assert policy_of(found).summary.latency.p50_ms is None
    assert found.decision.modes["normal"].named == "b"
    assert [note.message for note in found.notes if note.model_id == "thrice"] == [
        "THRICE (policy) has no estimate on 8 briefs, with fewer answers than it may call: "
        "generate.samples would have to be 3."
    ]


def test_recorded_answers_that_are_missing_are_not_called_for() -> None:
    counts = RecordedCounts(
        answers_sha256="0", prompt=None, answers=1, not_recorded=0, left_out=0, without_answer=0
    )
    one_run = manifest("old", "b").model_copy(update={"recorded": {"old": counts}})
    tried = policy(("old", 2), ("b", 1))
    found = findings(card("old"), card("b"), run=one_run, policies=[tried])
    assert found.notes == ()


def test_its_page_shows_its_steps_and_its_name_is_escaped() -> None:
    hostile = FALL_BACK.model_copy(update={"display_name": "<img src=x onerror=alert(1)>|`x`"})
    found = run(hostile)
    page, index = (pages_of(found)[name].decode() for name in ("model/a-then-b.html", "index.html"))
    shown = " ".join(page.split())
    assert "Rank 1, candidate for normal mode. It takes 2 tries of <a" in shown
    assert '>A</a>, then 1 try of <a href="../model/b.html">B</a> until there is a usable' in shown
    assert "model/a-then-b.html" in index
    assert "<img" not in page + index + summary(found)


def test_the_cost_of_a_policy_is_an_estimate_that_is_in_no_sum() -> None:
    table = table_of([policy_of(run(FALL_BACK))], (*LEADERBOARD, *OTHERS))
    shown = {
        column.title: entry for column, entry in zip(table.columns, table.rows[0], strict=True)
    }
    assert shown["Per usable graph"].text.endswith(" (estimate)")
    assert (shown["Cost"].text, shown["Cost"].value) == ("—", None)
