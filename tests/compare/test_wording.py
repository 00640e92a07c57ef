"""What a comparison says, once for every form: see test_views for the forms."""

from graph_evaluator.compare.comparison import Comparison, Unmeasured
from graph_evaluator.compare.wording import describe
from graph_evaluator.present.table import Table
from graph_evaluator.records.response import RecordedCounts
from tests.compare.cards import (
    BASE,
    BETTER,
    card,
    cards,
    compared,
    lines,
    manifest,
    side,
)


def better() -> Comparison:
    return compared(cards(BASE), side([*cards(BETTER), card(brief="new")], "v21"))


def models_of(result: Comparison) -> Table:
    table = describe(result).parts[1].table
    assert table is not None
    return table


def test_the_sentences_have_both_numbers_with_their_intervals_the_reason_and_what_to_do() -> None:
    report = describe(better())
    assert (report.heading, report.title) == ("better", "v21 against main")
    assert report.sentences == [
        "Form rose from 0.360 to 0.723: +0.363 (between +0.337 and +0.389), on 10 of 10 briefs.",
        "Form decides alone: content is measured on both sides on 0 briefs, and 6 are needed "
        "(`graph-evaluator briefs code`).",
        "Next: take the candidate.",
    ]


def test_what_is_beside_the_verdict_has_a_fixed_order() -> None:
    head = [*cards([0.8] * 15), card(brief="b16", codes=("X",))]
    assert lines(compared(cards([0.8] * 16), head), 0) == [
        "Quality, mean of usable graphs: candidate 0.800, baseline 0.800",
        "Failures, answers without a usable graph: candidate 1 of 16 (interval 1% to 26%); "
        "baseline none of 16, up to 17% may fail",
        "Briefs: candidate won 0, lost 1, 15 equal in score",
    ]


def test_a_comparison_that_could_not_be_made_says_why() -> None:
    report = describe(Unmeasured(baseline="main", candidate="v21", reasons=("no results",)))
    assert (report.heading, report.sentences) == ("could not measure", ("no results",))


LOGGED = manifest(
    recorded={
        "logged": RecordedCounts(
            answers_sha256="0" * 64, prompt="prompts/live.txt", answers=10, not_recorded=0,
            left_out=0, without_answer=0,
        )
    }
)  # fmt: skip


def test_the_prompt_of_each_side_is_named_a_recorded_models_own() -> None:
    sides = side([], run=LOGGED, model="called"), side([], run=LOGGED, model="logged")
    baseline, candidate, *_ = lines(compared(*sides), -1)
    assert "prompt prompts/v20.txt" in baseline
    assert "prompt prompts/live.txt" in candidate


def test_the_models_are_listed_below_all_together_with_cost_and_latency() -> None:
    prices = {"dear": 0.04, "free": None, "cheap": 0.001}
    before, after = (
        [
            one
            for model, usd in prices.items()
            for one in cards(scores, model=model, est_cost_usd=usd, latency_ms=latency)
        ]
        for scores, latency in ((BASE, 100.0), (BETTER, 150.0))
    )
    rows = models_of(compared(before, after)).rows
    assert [row[0].text for row in rows] == ["all models", "cheap", "dear", "free"]
    costs = ["$0.00100 (x\u00a01.00)", "$0.0400 (x\u00a01.00)", "—"]
    assert [row[5].text for row in rows][1:] == costs
    assert rows[0][6].text == "x\u00a01.50"


def test_cells_of_one_side_and_cells_without_an_answer_are_reported() -> None:
    candidate = [*cards(BETTER), card(None, brief="b01", sample=2), card(brief="new")]
    provenance = lines(compared(cards(BASE), side(candidate, "v21")), -1)
    assert "Only in v21: m / new." in provenance
    assert "1 cell of v21 without an answer: left out, not counted as 0." in provenance
