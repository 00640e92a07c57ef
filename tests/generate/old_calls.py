"""Calls and settings for the tests of calling."""

from typing import Any

from stages.contracts.cell import Cell
from stages.contracts.params import RuntimeParams
from stages.generate.call import Call, Endpoint


def settings(**changed: Any) -> RuntimeParams:
    """The runtime's settings with some changed."""
    return RuntimeParams.model_validate({"warm_prompt_cache": False, **changed})


def call(name: str = "a", *, url: str | None = None, **changed: Any) -> Call:
    """A call whose input and fingerprint are its name."""
    model = str(changed.pop("model", "m"))
    given: dict[str, Any] = {
        "fingerprint": name,
        "cell": Cell(model, name, 1),
        "round": 1,
        "draw": 1,
        "endpoint": Endpoint(provider="openai", url=url),
        "model": model,
        "instructions": "Draw a graph.",
        "instructions_sha256": "0" * 64,
        "input": name,
        "timeout_s": 10.0,
        "input_tokens_estimate": 10,
        "output_tokens_upper": 100,
        "cost_upper_usd": 0.01,
    }
    return Call(**{**given, **changed})
