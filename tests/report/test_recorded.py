"""What the reports say of recorded models."""

from typing import Any

from stages.contracts.params import ReportParams
from stages.contracts.run import RecordedCounts
from stages.report.findings import find
from tests.builders.scorecards import card, config, findings, frame, manifest


def test_answers_to_a_prompt_of_their_own_name_it_beside_the_model() -> None:
    answers: dict[str, Any] = {
        "provider": "recorded",
        "answers": "answers/a.jsonl",
        "prompt": "prompts/live.txt",
    }
    names = findings(card("a"), card("b"), configs=[config("a", **answers), config("b")]).names
    assert names["a"].endswith(" (with prompts/live.txt)")
    assert "prompts/" not in names["b"]


def test_briefs_that_are_not_recorded_are_flagged_and_no_failures() -> None:
    counts = RecordedCounts(
        answers_sha256="0" * 64,
        prompt=None,
        answers=1,
        not_recorded=2,
        left_out=0,
        without_answer=0,
    )
    run = manifest("a", briefs=3).model_copy(update={"recorded": {"a": counts}})
    results = find(run, frame(card("a")), {}, ReportParams.model_validate({}))
    (message,) = (flag.message for flag in results.flags if flag.kind == "not_recorded")
    assert "no recorded answer to 2 briefs" in message
    assert results.total.cells == results.total.answered == 1
