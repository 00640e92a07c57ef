"""Graphs that nothing could compare with their brief are counted and shown as such; content is beside the score."""

from typing import Any

import pandas as pd
import pytest

from stages.report.cells import frame_of
from stages.report.exports import scores_csv
from stages.report.ranking import rank_models, unchecked_briefs
from stages.report.summary import summary
from stages.shared.records.scorecard import CheckOutcome, CheckResult, Scorecard
from tests.builders.scorecards import card, findings, frame, invalid, row

SHORT = "The brief is too short."


def checked(outcome: CheckOutcome, model: str = "a", brief: str = "b1", **fields: Any) -> Scorecard:
    checks = (
        CheckResult(name="grounding", outcome=outcome, message=SHORT),
        CheckResult(name="twin_options", outcome="pass", message="Fine."),
    )
    return card(model, brief, fidelity=checks, **fields)


def with_meaning(**meaning: Any) -> pd.DataFrame:
    """The frame of one cell whose scorecard has this content."""
    return frame_of([card(**meaning)])


def ranked(*cards: Scorecard, **columns: list[Any]) -> Any:
    cells = frame(*cards).assign(**columns)
    return row(rank_models(cells, 0.95))


def test_a_graph_that_cannot_be_checked_did_not_pass() -> None:
    cell = row(frame(checked("not_applicable")))
    assert (cell.unchecked, cell.fidelity, cell.unchecked_reason) == (True, "unchecked", SHORT)


@pytest.mark.parametrize("outcome", ["pass", "warn"])
def test_a_graph_that_was_compared_is_checked(outcome: CheckOutcome) -> None:
    cell = row(frame(checked(outcome)))
    assert (cell.unchecked, cell.fidelity) == (False, outcome)


def test_a_graph_that_is_not_usable_is_no_unchecked_one() -> None:
    assert not row(frame(checked("not_applicable", usable=False))).unchecked


def test_the_briefs_whose_graphs_cannot_be_checked_are_listed_with_the_reason() -> None:
    cells = frame(
        checked("not_applicable"), checked("pass", "b"), checked("pass", brief="b2"), invalid("c")
    )
    brief = row(unchecked_briefs(cells))
    assert (brief.brief_id, brief.unchecked, brief.usable) == ("b1", 1, 2)
    assert brief.unchecked_reason == SHORT


def test_the_summary_and_the_tables_count_unchecked_graphs() -> None:
    found = findings(checked("not_applicable"), checked("pass", "b"))
    page = summary(found, lambda _: None)
    assert "## Graphs that were not checked" in page
    assert SHORT in page
    assert found.models.set_index("model_id")["unchecked"].to_dict() == {"a": 1, "b": 0}
    assert b"unchecked" in scores_csv("run", found.cells).splitlines()[0]


def test_a_run_whose_graphs_were_all_checked_says_nothing_about_it() -> None:
    assert "not checked" not in summary(findings(checked("pass")), lambda _: None)


def test_the_content_of_a_model_is_the_mean_over_briefs_of_its_usable_graphs() -> None:
    cards = [card(), card(sample=2), card(brief="b2"), invalid(brief="b3")]
    model = ranked(*cards, content=[0.5, 1.0, 0.25, 0.0])
    assert model.content == 0.5
    assert model.content_n == 2
    assert model.content_low < 0.5 < model.content_high


def test_without_stated_effects_there_is_no_content() -> None:
    assert pd.isna(ranked(card()).content)
