"""What the reports say of recorded models."""

from typing import Any

from stages.report.cells import with_configs
from stages.report.findings import find
from stages.shared.records.params import CompareParams, ReportParams
from stages.shared.records.run import RecordedCounts
from tests.builders.cases import cases
from tests.builders.scorecards import card, config, frame, manifest


@cases(
    "of_run, shown",
    {
        "another": ("prompts/v1.txt", "a (with prompts/live.txt)"),
        "that of the run": ("prompts/live.txt", "a"),
    },
)
def test_answers_to_another_prompt_name_it_beside_the_model(of_run: str, shown: str) -> None:
    answers: dict[str, Any] = {"answers": "answers/a.jsonl", "prompt": "prompts/live.txt"}
    recorded = config("a", display_name="a", provider="recorded", **answers)
    cells = with_configs(frame(card("a")), {"a": recorded}, of_run)
    assert list(cells["name"]) == [shown]


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
    results = find(run, frame(card("a")), {}, ReportParams(), CompareParams())
    (message,) = (flag.message for flag in results.flags if flag.kind == "not_recorded")
    assert "no recorded answer to 2 briefs" in message
    assert results.total.cells == results.total.answered == 1
