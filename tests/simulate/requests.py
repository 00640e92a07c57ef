"""Requests to the simulated models, and how their answers to the shipped briefs are read and
scored.
"""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from graph_evaluator.generate.answers import read_answer
from graph_evaluator.records.brief import parse_brief, prompt_of
from graph_evaluator.records.codebook import parse_codebook
from graph_evaluator.records.json_text import canonical
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.records.response import Answer
from graph_evaluator.records.scorecard import Scorecard
from graph_evaluator.score import Scorer
from graph_evaluator.simulate.answer import SimulatedRequest, answer

REPOSITORY = Path(__file__).parents[2]
PROMPT = (REPOSITORY / "prompts" / "draft_graph_v20.txt").read_text(encoding="utf-8")
BRIEFS = {
    file.stem: parse_brief(file.stem, file.read_text(encoding="utf-8"), file=file.name)
    for file in sorted((REPOSITORY / "briefs").glob("*.md"))
}
"""The shipped briefs by id."""
CODEBOOKS = {
    brief_id: parse_codebook(brief, file.read_text(encoding="utf-8"), file.name)
    for brief_id, brief in BRIEFS.items()
    if (file := REPOSITORY / "codebooks" / f"{brief_id}.yaml").exists()
}
SCORER = Scorer(ScoringRules(), BRIEFS.values(), prompt_of("p", PROMPT), codebooks=CODEBOOKS)


def ask(model: str, text: str, *, draw: str = "1/1/1", **more: Any) -> Answer:
    """The answer of a simulated model, as `generate` reads it."""
    asked: dict[str, Any] = {"instructions": PROMPT, "max_output_tokens": 32_000} | more
    request = SimulatedRequest(model=model, input=text, draw=draw, **asked)
    body = canonical(answer(request).body).decode()
    about: dict[str, Any] = {"latency_ms": None, "attempts": 1, "created_at": None}
    return read_answer(body, **about)


class Scored(NamedTuple):
    """An answer, and its scorecard where it has a graph."""

    answer: Answer
    card: Scorecard | None


@cache
def scored(model: str, draw: str = "1/1/1") -> tuple[Scored, ...]:
    """A model's answers to all shipped briefs, in order."""
    results: list[Scored] = []
    for brief in BRIEFS.values():
        found = ask(model, brief.body, draw=draw)
        has_graph = found.status == "success"
        card = SCORER.score_graph(found.graph, brief.id) if has_graph else None
        results.append(Scored(found, card))
    return tuple(results)


def cards(model: str, draw: str = "1/1/1") -> list[Scorecard]:
    """The scorecards of a model's readable answers."""
    return [entry.card for entry in scored(model, draw) if entry.card is not None]


def scores(model: str, draw: str = "1/1/1") -> list[float]:
    """The overall scores of a model's valid graphs."""
    return [card.overall_score for card in cards(model, draw) if card.overall_score is not None]
