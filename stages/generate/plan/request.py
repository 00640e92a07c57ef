"""The request of a cell: a model config, a prompt and a brief in the form of the API that the endpoint speaks, and its fingerprint."""

import hashlib
from dataclasses import dataclass

from stages.contracts.brief import Brief, Prompt
from stages.contracts.json_text import JsonValue, canonical
from stages.contracts.model_config import ModelConfig
from stages.generate.answers.structured import outside_strict_subset
from stages.generate.plan.endpoint import OWN_URL, Endpoint, address

UNHASHED = frozenset({"prompt_cache_key"})
"""Settings that are sent and cannot alter an answer."""
NOT_IN_BATCHES = frozenset({"service_tier"})
"""A batch is a service tier of its own; the API refuses another one inside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRequest:
    """What is asked of a model for a brief.

    Attributes:
        settings: The API's own parameters besides model, instructions and input, as they are sent.
        schema: The JSON Schema among the settings; None when none is sent.
        warnings: The settings of the config that the request leaves out, in sentences.
    """

    endpoint: Endpoint
    model: str
    instructions: str
    instructions_sha256: str
    input: str
    settings: dict[str, JsonValue]
    schema: dict[str, JsonValue] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def lasting_settings(self) -> dict[str, JsonValue]:
        """The settings that can alter the answer."""
        return {name: value for name, value in self.settings.items() if name not in UNHASHED}

    @property
    def path(self) -> str:
        """The path of the API below the endpoint's address."""
        return "/responses" if self.endpoint.api == "responses" else "/chat/completions"

    def body(self, *, in_batch: bool = False) -> dict[str, JsonValue]:
        """The JSON body of a direct call, or of a line of a batch."""
        asked: dict[str, JsonValue]
        if self.endpoint.api == "responses":
            asked = {"instructions": self.instructions, "input": self.input}
        else:
            asked = {
                "messages": [
                    {"role": "system", "content": self.instructions},
                    {"role": "user", "content": self.input},
                ]
            }
        left_out = NOT_IN_BATCHES if in_batch else frozenset[str]()
        settings = {name: value for name, value in self.settings.items() if name not in left_out}
        return {"model": self.model, **asked, **settings}

    def canonical(self, *, round_number: int, sample: int, draw: int) -> str:
        """The canonical JSON of everything that can alter the answer; its hash is the fingerprint, and it is stored with the answer.

        It holds the prompt's hash, not the prompt. Left out, because they cannot alter an answer: key, headers, time limits,
        concurrency, price, names, target mode, and `prompt_cache_key`.
        """
        form: dict[str, JsonValue] = {
            "api": self.endpoint.api,
            "api_version": self.endpoint.api_version,
            "endpoint": address(self.endpoint),
            "model": self.model,
            "instructions_sha256": self.instructions_sha256,
            "input": self.input,
            "settings": self.lasting_settings,
            "round": round_number,
            "sample": sample,
            "draw": draw,
        }
        return canonical(form).decode("utf-8")


def fingerprint_of(canonical_text: str) -> str:
    """The fingerprint of a canonical request: its SHA-256, 64 hex digits."""
    return hashlib.sha256(canonical_text.encode("utf-8")).hexdigest()


def build_request(
    config: ModelConfig, endpoint: Endpoint, prompt: Prompt, brief: Brief, schema: dict[str, JsonValue] | None
) -> ApiRequest:
    """The request for one model and brief; `schema` is the draft graph's, for `response_format: json_schema`.

    Raises:
        ValueError: `response_format` is `json_schema` and there is no schema.
    """
    settings, warnings = api_settings(config, schema)
    if endpoint.api == "responses" or endpoint.url is None:
        settings["prompt_cache_key"] = prompt_cache_key(prompt.sha256, config.model)
    return ApiRequest(
        endpoint=endpoint,
        model=config.model,
        instructions=prompt.text,
        instructions_sha256=prompt.sha256,
        input=brief.body,
        settings=settings,
        schema=schema if config.params.response_format == "json_schema" else None,
        warnings=warnings,
    )


def api_settings(
    config: ModelConfig, schema: dict[str, JsonValue] | None
) -> tuple[dict[str, JsonValue], tuple[str, ...]]:
    """A config's `params` as settings of its API, and what was left out of them, in words.

    `reasoning_effort` excludes `temperature` and `top_p`, which reasoning models reject.
    """
    params = config.params
    responses = config.api == "responses"
    settings: dict[str, JsonValue] = {}
    warnings: list[str] = []
    effort = params.reasoning_effort
    if effort is not None:
        settings |= {"reasoning": {"effort": effort}} if responses else {"reasoning_effort": effort}
    for name, value in (("temperature", params.temperature), ("top_p", params.top_p)):
        if value is not None and effort is not None:
            warnings.append(f"{name} is not sent: models called with reasoning_effort reject it")
        elif value is not None:
            settings[name] = value
    if params.max_output_tokens is not None:
        settings[_output_bound(config)] = params.max_output_tokens
    if params.service_tier is not None:
        settings["service_tier"] = params.service_tier
    text: dict[str, JsonValue] = {}
    if params.verbosity is not None:
        text["verbosity"] = params.verbosity
    if params.response_format in ("json_object", "json_schema"):
        text["format" if responses else "response_format"] = _format(params.response_format, schema, responses)
    if text:
        settings |= {"text": text} if responses else text
    return settings, tuple(warnings)


def prompt_cache_key(instructions_sha256: str, model: str) -> str:
    """A key that is the same for all requests of one prompt and model, so that they meet in the same prompt cache."""
    return f"graph-{instructions_sha256[:16]}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"


def _output_bound(config: ModelConfig) -> str:
    """The name of the bound on the output. OpenAI's newer models refuse `max_tokens`; some other servers know nothing else."""
    if config.api == "responses":
        return "max_output_tokens"
    elsewhere = config.provider == "openai" and (config.base_url or OWN_URL).rstrip("/") != OWN_URL
    return "max_tokens" if elsewhere else "max_completion_tokens"


def _format(kind: str, schema: dict[str, JsonValue] | None, responses: bool) -> dict[str, JsonValue]:
    if kind == "json_object":
        return {"type": "json_object"}
    if schema is None:
        raise ValueError("response_format json_schema needs a schema")
    strict = outside_strict_subset(schema) is None
    body: dict[str, JsonValue] = {"name": "draft_graph", "schema": schema, "strict": strict}
    return {"type": "json_schema", **body} if responses else {"type": "json_schema", "json_schema": body}
