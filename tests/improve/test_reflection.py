"""What the proposer reads, and what is read of its answer."""

import pytest

from graph_evaluator.improve.reflection import feedback_on, read_proposal
from graph_evaluator.records.brief import Brief, Expectations
from graph_evaluator.records.scorecard import CODES, EffectResult, Scorecard, SubScore
from graph_evaluator.settle.settling import Graded
from tests.builders.responses import response
from tests.builders.scorecards import card, invalid, unfaithful


@pytest.mark.parametrize(
    ("answer", "prompt"),
    [
        ("<prompt>\nDraft.\n</prompt>", "Draft.\n"),
        ("<prompt>Write <prompt>x</prompt>.</prompt>", "Write <prompt>x</prompt>.\n"),
        ("<prompt></prompt>", ""),
        ("<prompt>no end", ""),
        ("", ""),
    ],
)
def test_the_prompt_of_an_answer(answer: str, prompt: str) -> None:
    assert read_proposal(answer) == prompt


def graded(scorecard: Scorecard, text: str) -> Graded:
    return Graded(response(scorecard.cell, status=scorecard.status, raw_text=text), scorecard)


def test_feedback_has_the_brief_its_worst_answer_and_what_the_reports_say() -> None:
    half = SubScore(name="goal_threshold", value=0.5, weight=0.2, counted={}, message="No target.")
    full = half.model_copy(update={"name": "readability", "value": 1.0})
    unused = half.model_copy(update={"name": "levels", "weight": 0.0})
    effects = (
        EffectResult(effect="price raises sales", outcome="wrong"),
        EffectResult(effect="staff lowers waits", outcome="right"),
    )
    good = card(sub_scores={"completeness": (half, full, unused)}, effects=effects)
    brief = Brief("b1", Expectations(), "Should we?", "")
    text = feedback_on(
        brief,
        [graded(invalid("a", "b1", "MISSING_GOAL"), "worst"), graded(good, "good"),
         graded(unfaithful("a", "b1", "grounding"), "foreign")],
    )  # fmt: skip
    assert text.splitlines()[:6] == ["<brief>", "Should we?", "</brief>", "<answer>", "foreign", "</answer>"]  # fmt: skip
    assert "goal_threshold in 33% of the answers: No target." in text
    assert "effects in 33% of the answers: Expected effects that are not met: price raises sales (wrong)." in text  # fmt: skip
    assert f"MISSING_GOAL was found. {CODES['MISSING_GOAL'].fix}" in text
    assert f"grounding failed. {CODES['grounding'].fix}" in text
    assert not any(name in text for name in ("readability", "levels", "staff"))
