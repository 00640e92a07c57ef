"""Projects whose answers are sent back, with a server that counts drafts and repairs apart."""

import json
from pathlib import Path
from typing import Any

from tests.builders.provider import answer_body
from tests.generate.workspace import Workspace, model
from tests.score.drafts import draft, edge, with_edges

VALID = json.dumps(draft())
INVALID = json.dumps(with_edges(draft(), edge("opt_raise", "goal")))
"""A graph with one edge that is not allowed."""
BROKEN = (200, answer_body(INVALID))
PROSE = (200, answer_body("I would rather not say."))
PRICE_USD = 0.006
"""Of every call: 1,000 tokens in and 500 out."""


def turns_of(body: dict[str, Any]) -> list[dict[str, str]]:
    """The conversation of a request, without the system prompt."""
    messages = body.get("input", body.get("messages"))
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    assert isinstance(messages, list)
    return [message for message in messages if message["role"] != "system"]


def name_of(body: dict[str, Any]) -> str:
    """What a call is counted as: "draft of brief 1" or "repair of brief 1"."""
    turns = turns_of(body)
    kind = "draft" if len(turns) == 1 else "repair"
    return f"{kind} of {turns[0]['content']}"


def workspace(folder: Path, url: str, *, briefs: int = 3, **params: Any) -> Workspace:
    """A project with one model that sends answers back once."""
    generate = {"repair": 1} | params.pop("generate", {})
    config = model(url=url, params={"max_output_tokens": 4000}, **params.pop("config", {}))
    project = Workspace(folder, config, briefs=briefs, generate=generate, **params)
    project.write("prompts/repair.txt", "Wrong:\n{problems}\nAgain, please.\n")
    return project
