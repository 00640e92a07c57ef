"""Policies in the reports: rows beside the models', candidates of the decision, a page."""

import json
from typing import Any

import pytest

from stages.report.columns import LEADERBOARD, OTHERS, table_of
from stages.report.exports import metrics, plots
from stages.report.findings import Findings
from stages.report.ranking import Candidate
from stages.report.site.pages import site_files
from stages.report.summary import summary
from stages.shared.records.json_text import pretty
from stages.shared.records.model_config import Policy
from stages.shared.records.response import RecordedCounts
from stages.shared.records.scorecard import Scorecard
from tests.builders.policies import policy
from tests.builders.scorecards import (
    card,
    findings,
    invalid,
    manifest,
)

FALL_BACK = policy(("a", 2), ("b", 1), policy_id="a-then-b")


def half_failed(model: str, brief: str, score: float, **fields: Any) -> list[Scorecard]:
    """Four answers, of which two are usable."""
    good = [card(model, brief, score, sample, **fields) for sample in (1, 2)]
    return [*good, *(invalid(model, brief, "NO_GOAL", sample=place, **fields) for place in (3, 4))]


def run(*policies: Policy, briefs: int = 8, lower: float = 0.0, **params: Any) -> Findings:
    """Model a fails on every second answer; b is dearer, slower and never fails, and may score lower."""
    cards: list[Scorecard] = []
    for number in range(1, briefs + 1):
        brief, score = f"b{number}", 0.7 + number / 100
        cards += half_failed("a", brief, score, est_cost_usd=0.01, latency_ms=1000.0)
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
    assert [one.id for one in found.models] == ["b", "a"]
    ranked = policy_of(found)
    assert (ranked.name, ranked.rank, ranked.mode) == ("A-THEN-B (policy)", 1, "normal")
    summary = ranked.summary
    assert summary.expected.value == pytest.approx(0.745)
    assert (summary.cells, summary.usable_share, summary.expected.n) == (8, 1.0, 8)
    assert summary.cost.usd == pytest.approx(8 * (0.01 + 0.01 / 2 + 0.06 / 6))
    assert (summary.latency.p50_ms, summary.latency.p95_ms) == (1000, 11000)


def test_a_policy_has_the_keys_of_a_model_in_the_files_for_programs() -> None:
    found = run(FALL_BACK)
    by_model: Any = metrics(found)["models"]
    assert by_model["a-then-b"] == pytest.approx(0.745)
    lines = plots(found)["models.csv"].decode().splitlines()
    assert [line.split(",")[0] for line in lines] == ["model", "b", "a-then-b", "a"]
    assert lines[2].startswith("a-then-b,normal,8,8,1.0000,0.7450")


def test_a_policy_is_a_candidate_of_its_mode_with_the_steps_written_out() -> None:
    decided: Any = json.loads(pretty(run(FALL_BACK, lower=0.1).decision.to_json()))
    normal = decided["modes"]["normal"]
    assert normal["model"] is None
    steps = [{"model": "a", "tries": 2}, {"model": "b", "tries": 1}]
    assert (normal["policy"]["id"], normal["policy"]["steps"]) == ("a-then-b", steps)
    assert decided["policies"] == {"a-then-b": normal["policy"]}
    assert {rival["model"] for rival in normal["rivals"]} == {"a", "b"}


def test_the_limits_of_a_mode_are_checked_for_policies() -> None:
    limits = {"max_p95_latency_s": 5, "max_usd_per_usable_graph": 0.1, "min_usable_rate": 0.6}
    found = run(FALL_BACK, briefs=40, modes={"fast": limits})
    checks = found.decision.modes["fast"].checks
    verdicts = {check.name: check.verdict for check in checks if check.model == "a-then-b"}
    assert verdicts["max_usd_per_usable_graph"] == "met"
    assert verdicts["min_usable_rate"] == "met"
    late = next(check for check in checks if check.model == "a-then-b")
    assert late.measured.value == pytest.approx(1 / 6, abs=0.02)


def test_a_policy_of_more_tries_than_samples_says_what_they_would_cost() -> None:
    found = run(policy(("b", 3), policy_id="thrice"), run=manifest("a", "b", briefs=8))
    assert policy_of(found).summary.expected.n == 0
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


def test_its_page_shows_its_steps() -> None:
    pages = pages_of(run(FALL_BACK))
    page = " ".join(pages["model/a-then-b.html"].decode().split())
    assert "Rank 1, candidate for normal mode. It takes 2 tries of <a" in page
    assert '>A</a>, then 1 try of <a href="../model/b.html">B</a> until there is a usable' in page
    assert "model/a-then-b.html" in pages["index.html"].decode()


def test_the_cost_of_a_policy_is_an_estimate_that_is_in_no_sum() -> None:
    (row,) = table_of([policy_of(run(FALL_BACK))], (*LEADERBOARD, *OTHERS)).rows
    shown = {field.title: entry for field, entry in zip((*LEADERBOARD, *OTHERS), row, strict=True)}
    assert shown["Per usable graph"].text.endswith(" (estimate)")
    assert (shown["Cost"].text, shown["Cost"].value) == ("—", None)


def test_hostile_names_are_escaped() -> None:
    hostile = FALL_BACK.model_copy(update={"display_name": "<img src=x onerror=alert(1)>|`x`"})
    found = run(hostile)
    pages = pages_of(found)
    assert b"<img src=x" not in pages["model/a-then-b.html"] + pages["index.html"]
    assert "<img" not in summary(found)
