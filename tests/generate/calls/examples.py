"""Calls and settings for the tests of calling."""

from typing import Any

from stages.contracts.cell import Cell
from stages.contracts.json_text import JsonValue
from stages.contracts.params import RuntimeParams
from stages.generate.plan.cells import Call, PlannedCell
from stages.generate.plan.endpoint import Endpoint
from stages.generate.plan.request import ApiRequest
from tests.generate.asking import config


def settings(**changed: Any) -> RuntimeParams:
    """The runtime's settings with some changed."""
    return RuntimeParams.model_validate({"warm_prompt_cache": False, **changed})


def call(
    name: str = "a",
    *,
    url: str | None = None,
    endpoint: Endpoint | None = None,
    model: str = "m",
    draws: int = 1,
    draw: int = 1,
    instructions: str = "Draw a graph.",
    sent: dict[str, JsonValue] | None = None,
    **changed: Any,
) -> Call:
    """A call whose input and fingerprint are its name; further draws have the fingerprints `name/2` and so on."""
    request = ApiRequest(
        endpoint=endpoint or Endpoint(provider="openai", url=url),
        model=model,
        instructions=instructions,
        instructions_sha256="0" * 64,
        input=name,
        settings=sent or {},
    )
    planned = PlannedCell(
        cell=Cell(model_id=model, brief_id=name, sample=1),
        config=config(model),
        request=request,
        round_number=1,
        fingerprints=(name, *(f"{name}/{number}" for number in range(2, draws + 1))),
    )
    given: dict[str, Any] = {
        "planned": planned,
        "draw": draw,
        "timeout_s": 10.0,
        "input_tokens": 10,
        "output_tokens": 100,
        "cost_upper_usd": 0.01,
    }
    return Call(**{**given, **changed})
