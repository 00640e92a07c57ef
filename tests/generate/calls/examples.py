"""Calls and settings for the tests of calling."""

from dataclasses import replace
from typing import Any

from stages.contracts.brief import Prompt
from stages.contracts.json_text import JsonValue
from stages.contracts.params import RuntimeParams
from stages.generate.plan.cells import Call, PlannedCell
from stages.generate.plan.endpoint import Endpoint
from tests.generate.asking import brief, config, planned_model


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
    input_tokens: int = 10,
    output_tokens: int = 100,
    cost_upper_usd: float | None = 0.01,
    cost_usd: float = 0.001,
    timeout_s: float = 10.0,
) -> Call:
    """A call whose input and fingerprint are its name; further draws have the fingerprints `name/2` and so on.

    An answer of 100 tokens costs `cost_usd`.
    """
    pricing = {"input_per_1m": 0.0, "output_per_1m": cost_usd * 1e4, "source": "a test"}
    planned = PlannedCell(
        model=replace(
            planned_model(
                config(model, params={"max_output_tokens": output_tokens}, pricing=pricing)
            ),
            endpoint=endpoint or Endpoint(provider="openai", url=url),
            settings=sent or {},
        ),
        prompt=Prompt(path="p.txt", text=instructions, sha256="0" * 64),
        brief=brief(name, name),
        sample=1,
        round_number=1,
        fingerprints=(name, *(f"{name}/{number}" for number in range(2, draws + 1))),
        input_tokens=input_tokens,
        cost_upper_usd=cost_upper_usd,
    )
    return Call(planned=planned, draw=draw, timeout_s=timeout_s)
