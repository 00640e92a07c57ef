"""How each model of a run is called, and one call: where it goes and how that is shown, what is
sent, under which fingerprint its answer is kept, and the most that it may cost.
"""

import datetime
import ipaddress
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from graph_evaluator.generate.apis import API_KINDS, OWN_URL, ApiKind, stated
from graph_evaluator.generate.prices import ModelPrices, PublishedModel
from graph_evaluator.records.brief import Prompt
from graph_evaluator.records.json_text import JsonObject, JsonValue, canonical, text_sha256
from graph_evaluator.records.model_config import Api, ModelConfig, Provider
from graph_evaluator.records.params import RuntimeParams
from graph_evaluator.records.response import Cell

OWN_KEY = "OPENAI_API_KEY"
BASE_URL_VARIABLE = "OPENAI_BASE_URL"
UNBOUNDED_OUTPUT_TOKENS = 128_000
"""The most that a model may write when its config does not bound it."""
MESSAGE_TOKENS = 8
"""What the two messages of a request add to their texts."""


Variables = Mapping[str, str]
"""Environment variables, with those of `.env`."""


class Endpoint(BaseModel):
    """Where calls go; `url` is None for the provider's own address.

    It contains no secret: `key_env` and `headers_env` name environment variables. A `service` of an
    address has rate limits of its own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: Provider
    api: Api = "responses"
    url: str | None = None
    key_env: str | None = None
    headers_env: tuple[tuple[str, str], ...] = ()
    api_version: str | None = None
    service: str | None = None

    @property
    def simulated(self) -> bool:
        """Whether the models there are simulated, so that nothing is paid."""
        return self.provider == "simulated"

    @property
    def api_kind(self) -> ApiKind:
        """The API that is spoken there."""
        return API_KINDS[self.api]


def endpoint_of(config: ModelConfig, variables: Variables) -> Endpoint:
    """Where a model is called: `base_url` of its config, else `OPENAI_BASE_URL`, else the
    provider's own address.

    Each simulated model is a service of its own. `OPENAI_API_KEY` is sent to the provider's own
    address alone.
    """
    if config.provider == "recorded":
        return Endpoint(provider="recorded", api=config.api)
    if config.provider == "simulated":
        return Endpoint(provider="simulated", api=config.api, service=config.model)
    url = (config.base_url or variables.get(BASE_URL_VARIABLE, "")).rstrip("/") or None
    if url == OWN_URL:
        url = None
    return Endpoint(
        provider=config.provider,
        api=config.api,
        url=url,
        key_env=config.api_key_env or (OWN_KEY if url is None else None),
        headers_env=tuple(sorted(config.headers_env.items())),
        api_version=config.api_version,
    )


def address(endpoint: Endpoint) -> str:
    """The address as it is shown, stored and hashed; `simulated` or
    `recorded` for models that are not called. Holds no
    user or password.

    >>> address(Endpoint(provider="openai"))
    'https://api.openai.com/v1'
    """
    if endpoint.provider in ("simulated", "recorded"):
        return endpoint.provider
    parts = urlsplit(endpoint.url or OWN_URL)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def is_loopback(endpoint: Endpoint) -> bool:
    """True when calls stay on this machine. A local endpoint needs no key."""
    if endpoint.provider == "simulated":
        return True
    host = urlsplit(endpoint.url or OWN_URL).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class PlannedModel:
    """A model config in one run and environment.

    `settings` are the API's own parameters that can alter an answer, as they are sent, `schema` the
    JSON Schema among them.
    """

    config: ModelConfig
    endpoint: Endpoint
    settings: JsonObject
    timeout_s: float
    prices: ModelPrices
    schema: JsonObject | None = None

    @property
    def most_output_tokens(self) -> int:
        """The most that an answer may have."""
        bound = self.config.params.max_output_tokens
        return UNBOUNDED_OUTPUT_TOKENS if bound is None else bound

    @property
    def warnings(self) -> list[str]:
        """What the config states and is not sent."""
        sampling = _sampling(self.config)
        reason = "models called with reasoning_effort reject it"
        return [f"{name} is not sent: {reason}" for name in sampling if name not in self.settings]


def plan_model(
    config: ModelConfig,
    endpoint: Endpoint,
    runtime: RuntimeParams,
    *,
    schema: JsonObject | None,
    published: PublishedModel | None,
    today: datetime.date,
) -> PlannedModel:
    """How a model is called; `schema` is the draft graph's, without which `response_format:
    json_schema` is a `ValueError`.
    """
    params, tier = config.params, config.params.service_tier
    in_batches = runtime.mode == "batch" and config.provider != "simulated"
    usual_timeout_s = runtime.flex_timeout_s if tier == "flex" else runtime.timeout_s
    return PlannedModel(
        config=config,
        endpoint=endpoint,
        settings=api_settings(config, _output_format(config, schema)),
        schema=schema if params.response_format == "json_schema" else None,
        timeout_s=config.timeout_s or usual_timeout_s,
        prices=ModelPrices(
            pricing=config.pricing,
            published=published,
            requested_tier=tier,
            expected_tier="batch" if in_batches else tier,
            today=today,
        ),
    )


def api_settings(config: ModelConfig, output_format: JsonObject | None) -> JsonObject:
    """A config's `params` as settings of its API."""
    params = config.params
    settings = API_KINDS[config.api].settings(config, output_format)
    if params.reasoning_effort is None:
        settings |= _sampling(config)
    return settings | stated({"service_tier": params.service_tier})


def _sampling(config: ModelConfig) -> JsonObject:
    return stated({"temperature": config.params.temperature, "top_p": config.params.top_p})


def _output_format(config: ModelConfig, schema: JsonObject | None) -> JsonObject | None:
    response_format = config.params.response_format
    if response_format == "json_object":
        return {"type": "json_object"}
    if response_format != "json_schema":
        return None
    if schema is None:
        raise ValueError("response_format json_schema needs a schema")
    return API_KINDS[config.api].schema_format(schema, strict=is_strict(schema))


def is_strict(schema: JsonValue) -> bool:
    """Whether the API's strict mode takes a JSON Schema: every object is closed, every property
    required.
    """
    if isinstance(schema, list):
        return all(map(is_strict, schema))
    if not isinstance(schema, dict):
        return True
    properties, required = schema.get("properties"), schema.get("required")
    if schema.get("type") == "object" or properties is not None:
        is_closed = schema.get("additionalProperties") is False
        names = {*properties} if isinstance(properties, dict) else set()
        if not is_closed or names != ({*required} if isinstance(required, list) else set()):
            return False
    return all(map(is_strict, schema.values()))


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request that is to be made: a system prompt and a user's message, to a planned model.

    `identity` is everything that can alter the answer. `cell` says in limits, budget and progress
    whose answer it is.
    """

    cell: Cell
    planned: PlannedModel
    prompt: Prompt
    text: str
    identity: JsonObject
    fingerprint: str
    draw: int = 1
    input_tokens: int
    timeout_s: float

    @cached_property
    def cost_upper_usd(self) -> float | None:
        """The most that it may cost; None when no price is known."""
        planned = self.planned
        return planned.prices.upper_usd(self.input_tokens, planned.most_output_tokens)

    @property
    def endpoint(self) -> Endpoint:
        """Where it goes."""
        return self.planned.endpoint

    @property
    def model(self) -> str:
        """The name of the model there."""
        return self.planned.config.model

    @property
    def canonical(self) -> str:
        """The canonical request, whose hash is the fingerprint: what the ledger keeps of it."""
        return canonical(self.identity)

    @property
    def costs_money(self) -> bool:
        """False for a simulated model, at a price of 0, and on this machine where no price is
        known.
        """
        if self.cost_upper_usd is None:
            return not is_loopback(self.endpoint)
        return self.cost_upper_usd > 0 and not self.endpoint.simulated

    def body(self, *, in_batch: bool = False) -> JsonObject:
        """The JSON body of a direct call, or of a batch's line: a batch is a service tier
        itself.
        """
        api_kind = self.endpoint.api_kind
        body: JsonObject = {"model": self.model}
        body |= api_kind.messages(self.prompt.text, self.text)
        body |= self.planned.settings
        if in_batch:
            body.pop("service_tier", None)
        else:
            body["stream"] = False  # some gateways stream without it; no answer depends on it
        if api_kind.caches_anywhere or self.endpoint.url is None:
            body["prompt_cache_key"] = prompt_cache_key(self.prompt.sha256, self.model)
        return body


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has, rather too many than too few; 0 for no text.

    A token is about four characters of ASCII, and one character in other scripts.

    >>> estimated_tokens("a short sentence"), estimated_tokens("短い文")
    (4, 3)
    """
    ascii_only = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_only / 4) + len(text) - ascii_only


def prompt_cache_key(instructions_sha256: str, model: str) -> str:
    """A key that all requests of one prompt and model share, so that they meet in the same
    cache.
    """
    return f"graph-{instructions_sha256[:16]}-{text_sha256(model)[:8]}"
