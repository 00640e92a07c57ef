"""Configs, briefs and requests for tests."""

from typing import Any

from stages.contracts.brief import Brief, Expectations, Prompt
from stages.contracts.json_text import JsonValue
from stages.contracts.model_config import ModelConfig
from stages.contracts.params import GenerateParams
from stages.generate.plan.cells import PlannedCell, plan_cells
from stages.generate.plan.endpoint import endpoint_of
from stages.generate.plan.request import ApiRequest, build_request

PROMPT = Prompt(path="prompts/p.txt", text="Draft a graph.", sha256="a" * 64)


def config(name: str = "m", **changed: Any) -> ModelConfig:
    """A model config."""
    fields: dict[str, Any] = {
        "id": name,
        "display_name": name,
        "provider": "openai",
        "model": name,
        "target_mode": "fast",
        "pricing": {"input_per_1m": 2.0, "output_per_1m": 8.0, "source": "a test"},
    }
    return ModelConfig.model_validate(fields | changed)


def brief(name: str = "b", body: str = "Buy or rent?") -> Brief:
    """A brief."""
    return Brief(id=name, expectations=Expectations.model_validate({}), body=body, sha256="b" * 64)


def request(
    of: ModelConfig, *, body: str = "Buy or rent?", schema: dict[str, JsonValue] | None = None, **variables: str
) -> ApiRequest:
    """The request of a config for a brief."""
    return build_request(of, endpoint_of(of, variables), PROMPT, brief(body=body), schema)


def cells(
    *configs: ModelConfig, briefs: int = 1, schema: dict[str, JsonValue] | None = None, **generate: int
) -> list[PlannedCell]:
    """The cells of a run."""
    return plan_cells(
        [(of, endpoint_of(of, {})) for of in configs],
        PROMPT,
        [brief(f"b{number}", f"brief {number}") for number in range(1, briefs + 1)],
        GenerateParams.model_validate(generate),
        schema=schema,
    )
