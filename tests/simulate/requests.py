"""Requests to the simulated models, and what the scorer says of their answers to the shipped
briefs.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from stages.contracts.brief import parse_brief
from stages.contracts.params import ScoringRules
from stages.contracts.response import Status
from stages.contracts.scorecard import Scorecard
from stages.generate.answers.extraction import extract
from stages.simulate.answer import SimulatedAnswer, answer
from stages.simulate.request import SimulatedRequest
from tests.score.drafts import scored as score_graph

REPOSITORY = Path(__file__).parents[2]
PROMPT = (REPOSITORY / "prompts" / "draft_graph_v20.txt").read_text(encoding="utf-8")
BRIEFS = {
    file.stem: parse_brief(file.stem, file.read_text(encoding="utf-8"), file=file.name)
    for file in sorted((REPOSITORY / "briefs").glob("*.md"))
}
"""The shipped briefs by id."""
RULES = ScoringRules()
ENDINGS: dict[str, Status] = {"cut off": "truncated", "refused": "refused"}


def ask(model: str, text: str, *, instructions: str = PROMPT, **more: Any) -> SimulatedAnswer:
    """The answer of a simulated model."""
    return answer(SimulatedRequest(model=model, instructions=instructions, input=text, **more))


REQUEST = {"model": "sim-careful", "instructions": "Draft a graph.", "input": "Tea or coffee?"}


def body(**parts: Any) -> bytes:
    """A body of POST /v1/responses for sim-careful, with some parts replaced; a part that is None
    is left out.
    """
    whole = REQUEST | parts
    return json.dumps({key: value for key, value in whole.items() if value is not None}).encode()


class Scored(NamedTuple):
    """An answer, its status, and where it has a graph the graph and its scorecard."""

    answer: SimulatedAnswer
    status: Status
    graph: Any = None
    card: Scorecard | None = None


@cache
def scored(model: str, draw: str = "1/1/1") -> tuple[Scored, ...]:
    """A model's answers to all shipped briefs, in order."""
    found = []
    for brief in BRIEFS.values():
        made = ask(model, brief.body, draw=draw, max_output_tokens=32_000)
        extraction = extract(made.text)
        if made.ending != "complete":
            found.append(Scored(made, ENDINGS[made.ending]))
        elif not extraction.method:
            found.append(Scored(made, "parse_failed"))
        else:
            card = score_graph(extraction.parsed, brief.expectations, RULES)
            found.append(Scored(made, "success", extraction.parsed, card))
    return tuple(found)


def cards(model: str, draw: str = "1/1/1") -> list[Scorecard]:
    """The scorecards of a model's readable answers."""
    return [entry.card for entry in scored(model, draw) if entry.card is not None]


def scores(model: str, draw: str = "1/1/1") -> list[float]:
    """The overall scores of a model's valid graphs."""
    return [card.overall_score for card in cards(model, draw) if card.overall_score is not None]
