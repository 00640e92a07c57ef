"""Requests to the simulated models, as literal as the tests need them."""

import json
from pathlib import Path
from typing import Any

from stages.contracts.brief import parse_brief
from stages.simulate.answer import Asked, SimulatedAnswer, answer
from stages.simulate.character import CAST

REPOSITORY = Path(__file__).parents[2]
PROMPT = (REPOSITORY / "prompts" / "draft_graph_v20.txt").read_text(encoding="utf-8")
BRIEFS = {
    file.stem: parse_brief(file.stem, file.read_text(encoding="utf-8"), file=file.name)
    for file in sorted((REPOSITORY / "briefs").glob("*.md"))
}
"""The shipped briefs by id."""


def ask(model: str, text: str, *, draw: str = "1/1/1", instructions: str = PROMPT, **more: Any) -> SimulatedAnswer:
    """The answer of a simulated model."""
    asked = Asked(model=model, instructions=instructions, input=text, draw=draw, **more)
    return answer(asked, CAST[model])


def body(**parts: Any) -> bytes:
    """A body of POST /v1/responses for sim-careful, with some parts replaced; a part that is None is left out."""
    whole = {"model": "sim-careful", "instructions": "Draft a graph.", "input": "Tea or coffee?"} | parts
    return json.dumps({key: value for key, value in whole.items() if value is not None}).encode()
