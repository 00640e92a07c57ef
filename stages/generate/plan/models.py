"""How each model of a run is called: where, with which settings of its API, within which time and
at which price.
"""

import datetime
from dataclasses import dataclass, replace

from stages.generate.apis import API_KINDS
from stages.generate.plan.call import Endpoint
from stages.generate.prices import ModelPrices, PublishedModel
from stages.shared.records.json_text import JsonValue
from stages.shared.records.model_config import ModelConfig
from stages.shared.records.params import RuntimeParams

UNBOUNDED_OUTPUT_TOKENS = 128_000
"""The most that a model may write when its config does not bound it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedModel:
    """A model config in one run and environment.

    `settings` are the API's own parameters that can alter an answer, as they are sent, `schema` the
    JSON Schema among them, `warnings` what is not sent.
    """

    config: ModelConfig
    endpoint: Endpoint
    settings: dict[str, JsonValue]
    schema: dict[str, JsonValue] | None = None
    warnings: tuple[str, ...] = ()
    timeout_s: float
    prices: ModelPrices

    @property
    def simulated(self) -> bool:
        """Whether the model is simulated, so that nothing is paid."""
        return self.config.provider == "simulated"

    @property
    def most_output_tokens(self) -> int:
        """The most that an answer may have."""
        bound = self.config.params.max_output_tokens
        return UNBOUNDED_OUTPUT_TOKENS if bound is None else bound


def plan_model(
    config: ModelConfig,
    endpoint: Endpoint,
    runtime: RuntimeParams,
    *,
    schema: dict[str, JsonValue] | None,
    published: PublishedModel | None,
    today: datetime.date,
) -> PlannedModel:
    """How a model is called; `schema` is the draft graph's, without which `response_format:
    json_schema` is a `ValueError`.
    """
    settings, warnings = api_settings(config, schema)
    tier = config.params.service_tier
    in_batches = runtime.mode == "batch" and config.provider != "simulated"
    usual_timeout_s = runtime.flex_timeout_s if tier == "flex" else runtime.timeout_s
    return PlannedModel(
        config=config,
        endpoint=endpoint,
        settings=settings,
        schema=schema if config.params.response_format == "json_schema" else None,
        warnings=warnings,
        timeout_s=config.timeout_s or usual_timeout_s,
        prices=ModelPrices(
            pricing=config.pricing,
            published=published,
            requested_tier=tier,
            expected_tier="batch" if in_batches else tier,
            today=today,
        ),
    )


def asked_for_text(model: PlannedModel) -> PlannedModel:
    """The model as it is asked for text, whatever format its config asks for."""
    params = model.config.params.model_copy(update={"response_format": None})
    config = model.config.model_copy(update={"params": params})
    settings, _ = api_settings(config, None)
    return replace(model, config=config, settings=settings, schema=None)


def api_settings(
    config: ModelConfig, schema: dict[str, JsonValue] | None
) -> tuple[dict[str, JsonValue], tuple[str, ...]]:
    """A config's `params` as settings of its API, and what was left out of them, in words."""
    params = config.params
    output_format = _output_format(config, schema)
    settings = API_KINDS[config.api].settings(config, output_format)
    warnings: list[str] = []
    for name, value in (("temperature", params.temperature), ("top_p", params.top_p)):
        if value is None:
            continue
        if params.reasoning_effort is None:
            settings[name] = value
        else:
            warnings.append(f"{name} is not sent: models called with reasoning_effort reject it")
    if params.service_tier is not None:
        settings["service_tier"] = params.service_tier
    return settings, tuple(warnings)


def _output_format(
    config: ModelConfig, schema: dict[str, JsonValue] | None
) -> dict[str, JsonValue] | None:
    response_format = config.params.response_format
    if response_format == "json_object":
        return {"type": "json_object"}
    if response_format != "json_schema":
        return None
    if schema is None:
        raise ValueError("response_format json_schema needs a schema")
    strict = outside_strict_subset(schema) is None
    return API_KINDS[config.api].schema_format(schema, strict=strict)


def outside_strict_subset(schema: JsonValue, path: str = "$") -> str | None:
    """The first place at which the API's strict mode would refuse a schema; every object must be
    closed, every property required.
    """
    inner: list[tuple[str, JsonValue]] = []
    if isinstance(schema, list):
        inner = [(f"{path}[{index}]", part) for index, part in enumerate(schema)]
    elif isinstance(schema, dict):
        inner = [(f"{path}.{key}", part) for key, part in schema.items()]
        properties, required = schema.get("properties", {}), schema.get("required", [])
        is_object = schema.get("type") == "object" or "properties" in schema
        is_closed = schema.get("additionalProperties") is False
        is_complete = (
            isinstance(properties, dict)
            and isinstance(required, list)
            and {*properties} == {*required}
        )
        if is_object and not (is_closed and is_complete):
            return path
    return next(filter(None, (outside_strict_subset(part, below) for below, part in inner)), None)
