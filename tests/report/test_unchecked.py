"""Graphs that nothing could compare with their brief are counted and shown as such."""

from typing import Any

from stages.report.columns import UNCHECKED_GRAPHS
from stages.report.summary import summary
from stages.report.tables import table_of
from stages.shared.records.scorecard import CheckOutcome, CheckResult, Scorecard
from tests.builders.scorecards import card, findings, invalid

SHORT = "The brief is too short."


def checked(outcome: CheckOutcome, model: str = "a", brief: str = "b1", **fields: Any) -> Scorecard:
    checks = (
        CheckResult(name="grounding", outcome=outcome, message=SHORT),
        CheckResult(name="twin_options", outcome="pass", message="Fine."),
    )
    return card(model, brief, fidelity=checks, **fields)


def test_the_briefs_whose_graphs_cannot_be_checked_are_listed_with_the_reason() -> None:
    cards = (
        checked("not_applicable"),
        checked("pass", "b"),
        checked("pass", brief="b2"),
        invalid("c"),
    )
    (row,) = table_of(findings(*cards).briefs[:1], UNCHECKED_GRAPHS).rows
    assert [entry.text for entry in row] == ["b1", "1", "2", SHORT]


def test_the_summary_counts_unchecked_graphs_and_says_why() -> None:
    found = findings(checked("not_applicable"), checked("pass", "b"))
    page = summary(found, lambda _: None)
    assert "## Graphs that were not checked" in page
    assert SHORT in page
    assert {model.id: model.summary.unchecked for model in found.models} == {"a": 1, "b": 0}


def test_a_run_whose_graphs_were_all_checked_says_nothing_about_it() -> None:
    assert "not checked" not in summary(findings(checked("pass")), lambda _: None)
