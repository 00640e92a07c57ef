"""Requests to the simulated models, and how their answers to the shipped briefs are read and
scored.
"""

from functools import cache
from typing import Any, NamedTuple

from graph_evaluator.generate.answers import read_answer
from graph_evaluator.records.json_text import canonical
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.records.response import Answer
from graph_evaluator.records.scorecard import Scorecard
from graph_evaluator.score import Scorer
from graph_evaluator.shell.inputs import load_briefs, load_codebooks, load_prompt
from graph_evaluator.simulate.answer import SimulatedRequest, answer

PROMPT = load_prompt("prompts/draft_graph_v20.txt")
BRIEFS = {brief.id: brief for brief in load_briefs()}
"""The shipped briefs by id."""
CODEBOOKS = load_codebooks(BRIEFS.values())
SCORER = Scorer(ScoringRules(), BRIEFS.values(), PROMPT, codebooks=CODEBOOKS)


def ask(model, text, *, draw="1/1/1", **more):
    """The answer of a simulated model, as `generate` reads it."""
    asked: dict[str, Any] = {"instructions": PROMPT.text, "max_output_tokens": 32_000} | more
    request = SimulatedRequest(model=model, input=text, draw=draw, **asked)
    body, _, _ = answer(request)
    about: dict[str, Any] = {"latency_ms": None, "attempts": 1, "created_at": None}
    return read_answer(canonical(body), **about)


class Scored(NamedTuple):
    """An answer, and its scorecard where it has a graph."""

    answer: Answer
    card: Scorecard | None


@cache
def scored(model, draw="1/1/1"):
    """A model's answers to all shipped briefs, in order."""
    results: list[Scored] = []
    for brief in BRIEFS.values():
        found = ask(model, brief.body, draw=draw)
        has_graph = found.status == "success"
        card = SCORER.score_graph(found.graph, brief.id) if has_graph else None
        results.append(Scored(found, card))
    return tuple(results)


def cards(model, draw="1/1/1"):
    """The scorecards of a model's readable answers."""
    return [entry.card for entry in scored(model, draw) if entry.card is not None]


def scores(model, draw="1/1/1"):
    """The overall scores of a model's valid graphs."""
    return [card.overall_score for card in cards(model, draw) if card.overall_score is not None]
