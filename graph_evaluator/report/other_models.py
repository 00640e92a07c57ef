"""Answers by another model than the one that was asked for. Pure."""

import re
from collections import Counter
from collections.abc import Iterable

from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.shell import numbers as show
from graph_evaluator.shell.text import clip

MAX_NAME = 60
"""Maximum columns of a model's name."""
_SNAPSHOT = re.compile(r"[-@:](?:latest|[0-9]{3,8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$")
"""The end of a name that says which version of a model it is."""


def other_models_text(name: str, cells: Iterable[ScoredCell]) -> str:
    """How many answers to `name` another model gave, and which; empty where none is known to.

    Only answers count that say which model gave them.
    """
    answers = 0
    others: Counter[str] = Counter()
    for cell in cells:
        asked, answered = cell.asked_model, cell.measured.answered_model
        if asked and answered:
            answers += 1
            if not is_same_model(asked, answered):
                others[clip(answered, MAX_NAME)] += 1
    if not others:
        return ""
    by_count = sorted(others.items(), key=lambda other: (-other[1], other[0]))
    models = show.first_of([f"{model} ({show.count(count)})" for model, count in by_count])
    share = show.share_of(others.total(), answers)
    return f"{name}: {share} of the answers are from another model than requested: {models}."


def is_same_model(asked: str, answered: str) -> bool:
    """Whether two names mean one model. Capitals and the path of a provider make no difference, nor
    does a snapshot that only one of the names states.

    >>> is_same_model("gpt-x", "openai/gpt-x-2026-10-01"), is_same_model("gpt-x", "gpt-x-mini")
    (True, False)
    """
    first, second = (name.rpartition("/")[2].casefold() for name in (asked, answered))
    return second in (first, _SNAPSHOT.sub("", first)) or first == _SNAPSHOT.sub("", second)
