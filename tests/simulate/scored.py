"""What the scorer says of the simulated models' answers to the shipped briefs."""

from functools import cache
from typing import NamedTuple

from stages.contracts.params import ScoringRules
from stages.contracts.response import Status
from stages.contracts.scorecard import Scorecard
from stages.generate.answers.extraction import extract
from stages.score import score_graph
from stages.simulate.answer import SimulatedAnswer
from tests.simulate.requests import BRIEFS, ask

RULES = ScoringRules()
ENDINGS: dict[str, Status] = {"cut off": "truncated", "refused": "refused"}


class Scored(NamedTuple):
    """An answer, its status, and its scorecard where it has a graph."""

    answer: SimulatedAnswer
    status: Status
    card: Scorecard | None


@cache
def scored(model: str, draw: str = "1/1/1") -> tuple[Scored, ...]:
    """A model's answers to all shipped briefs, in order."""
    found = []
    for brief in BRIEFS.values():
        answer = ask(model, brief.body, draw=draw, max_output_tokens=32_000)
        status, card = ENDINGS.get(answer.ending, "success"), None
        if status == "success":
            extraction = extract(answer.text)
            status = "success" if extraction.method else "parse_failed"
            card = score_graph(extraction.parsed, brief.expectations, RULES) if extraction.method else None
        found.append(Scored(answer, status, card))
    return tuple(found)


def cards(model: str, draw: str = "1/1/1") -> list[Scorecard]:
    """The scorecards of a model's readable answers."""
    return [entry.card for entry in scored(model, draw) if entry.card is not None]


def scores(model: str, draw: str = "1/1/1") -> list[float]:
    """The overall scores of a model's valid graphs."""
    return [card.overall_score for card in cards(model, draw) if card.overall_score is not None]
