"""Answers by another model than was asked for."""

import pytest

from graph_evaluator.report.findings import is_same_model, other_models_text
from tests.builders.scorecards import card


@pytest.mark.parametrize(
    ("asked", "answered", "same"),
    [
        ("gpt-x", "gpt-x-2026-10-01", True),
        ("gpt-x-2026-10-01", "gpt-x", True),
        ("gpt-x-2026-10-01", "gpt-x-2026-12-01", False),
        ("claude-y-latest", "claude-y", True),
        ("claude-y", "claude-y@20261001", True),
        ("gpt-4", "gpt-4-0613", True),
        ("gpt-4", "gpt-4.1", False),
        ("gpt-x", "gpt-x-mini", False),
        ("models/Gemini-X", "gemini-x-001", True),
    ],
)
def test_snapshots_of_the_asked_model_are_no_difference(asked, answered, same):
    assert is_same_model(asked, answered) is same


def answers(*models):
    """An answer by each of these models to a brief of its own; gpt-x was asked."""
    return [
        card("a", f"b{number:02}", asked_model="gpt-x", answered_model=model, content=None)
        for number, model in enumerate(models)
    ]


OTHERS = answers("gpt-y", "gpt-x-2026-10-01", "gpt-z", "gpt-y", None)
LINE = "75% (3/4) of the answers are from another model than requested: gpt-y (2), gpt-z (1)."


def test_one_line_says_how_many_answers_another_model_gave_and_which():
    assert other_models_text("A", OTHERS) == f"A: {LINE}"
    assert other_models_text("A", answers("gpt-x", None)) == ""
