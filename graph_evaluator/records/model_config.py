"""Model configs: how to call one model, with which settings, at which price, for which mode."""

import datetime
import re
from typing import Annotated, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema, model_validator

from graph_evaluator.records.errors import input_error, looks_like_a_key
from graph_evaluator.records.json_text import sha256_of
from graph_evaluator.records.record import Omitted, WrittenRecord, parse_record

Provider = Literal["openai", "azure", "simulated", "recorded"]
TargetMode = Literal["fast", "normal", "deep"]
Api = Literal["responses", "chat_completions"]
ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
UsdPerMillion = Annotated[float, Field(ge=0, allow_inf_nan=False)]

IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What ids (and the file names they stand for) may look like: never a path."""
ID_RULE = "letters, digits, . _ - and start with a letter or digit"


ADDRESS_RULE = (
    "must be an address that begins with http:// or https://, without user, password or query: "
    "api_key_env and headers_env name the variables with keys"
)
"""It repeats no address, which may contain a password."""


def http_parts(url: str) -> SplitResult | None:
    """The parts of an HTTP address without query and fragment; None for any other text."""
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:  # reading the port checks it
        return None
    is_plain = url.isprintable() and " " not in url and not (parts.query or parts.fragment)
    return parts if has_host and is_plain and parts.scheme in ("http", "https") else None


def is_address(url: str) -> bool:
    """Whether a text can be the address of an endpoint."""
    parts = http_parts(url)
    return parts is not None and parts.username is None


def _check_address(url: str) -> str:
    if not is_address(url):
        raise ValueError(ADDRESS_RULE)
    return url


def _check_variable(name: str) -> str:
    """The name of an environment variable; a key in its place is never printed."""
    if looks_like_a_key(name) or not re.fullmatch(_VARIABLE, name):
        raise ValueError("must be the name of a variable, not a key: letters, digits and _")
    return name


def _check_header(name: str) -> str:
    if looks_like_a_key(name) or not _HEADER.fullmatch(name):
        allowed = "letters, digits and any of !#$%&'*+.^_`|~-"
        raise ValueError(f"a header's name must be {allowed}, and no key")
    return name


_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
Variable = Annotated[
    str, AfterValidator(_check_variable), WithJsonSchema({"type": "string", "pattern": _VARIABLE})
]
Address = Annotated[
    str,
    AfterValidator(_check_address),
    WithJsonSchema({"type": "string", "pattern": r"^https?://[^\s]+$"}),
]


class ModelParams(WrittenRecord):
    """The settings of a call that can alter the answer; None means that the setting is not sent."""

    temperature: float | None = Field(None, ge=0, le=2)
    """Not sent together with reasoning_effort."""
    top_p: float | None = Field(None, gt=0, le=1)
    """Not sent together with reasoning_effort."""
    reasoning_effort: ReasoningEffort | None = None
    """For reasoning models."""
    max_output_tokens: int | None = Field(None, ge=16)
    """Bound on output and reasoning tokens together."""
    service_tier: Literal["auto", "default", "flex", "priority", "scale"] | None = None
    """The processing tier that is asked for."""
    verbosity: Literal["low", "medium", "high"] | None = None
    """How wordy the text may be."""
    response_format: Literal["text", "json_object", "json_schema"] | None = None
    """Text, a JSON object, or the draft graph's schema."""


class Pricing(WrittenRecord):
    """Prices in US dollars per million tokens, and where they were read."""

    input_per_1m: UsdPerMillion
    """Input tokens that were not read from the prompt cache."""
    output_per_1m: UsdPerMillion
    """Output tokens, reasoning included."""
    cached_input_per_1m: UsdPerMillion | None = None
    """Input tokens read from the cache; else as input."""
    cache_write_per_1m: UsdPerMillion | None = None
    """Input tokens written to the cache; else as input."""
    source: str = Field(min_length=1, max_length=200)
    """Where and when the prices were read."""


class ModelConfig(WrittenRecord):
    """One file of `models/`."""

    model_config = ConfigDict(title="Model config", populate_by_name=True)

    schema_: str | None = Field(None, alias="$schema", exclude=True)
    """For editors."""
    comment: str | None = Field(None, alias="$comment", exclude=True)
    """For people."""
    id: str = Field(pattern=f"^{IDENTIFIER.pattern}$")
    """Equal to the file name without .json."""
    display_name: str = Field(min_length=1, max_length=100)
    """The name in reports."""
    provider: Provider
    """openai: any endpoint that speaks its API; azure; simulated: offline; recorded: answers from a
    file.
    """
    model: str = Field(min_length=1, max_length=200)
    """The model's name at the endpoint."""
    answers: Omitted[str | None] = Field(None, pattern=rf"^answers/{IDENTIFIER.pattern}\.jsonl$")
    """For recorded: the file with the answers, answers/ID.jsonl."""
    prompt: Omitted[str | None] = Field(None, pattern=r"^prompts/")
    """For recorded: the prompt of the answers, if it is not that of the run."""
    api: Api = "responses"
    """The API that the endpoint speaks."""
    api_key_env: Variable | None = None
    """Environment variable with the key; loopback needs none."""
    base_url: Address | None = None
    """The endpoint, up to and with /v1."""
    api_version: str | None = None
    """For azure."""
    headers_env: dict[Annotated[str, AfterValidator(_check_header)], Variable] = Field(
        default_factory=dict
    )
    """Extra headers: name to environment variable."""
    params: ModelParams = ModelParams()
    target_mode: TargetMode
    """The mode that the model is a candidate for."""
    pricing: Pricing | None = None
    """Left out: looked up among the published prices."""
    timeout_s: float | None = Field(None, gt=0, le=86_400)
    """Deadline of one call; else runtime.timeout_s."""
    deprecated_on: datetime.date | None = Field(None, strict=False)
    """The day the model is switched off."""

    @model_validator(mode="after")
    def _provider_has_what_it_needs(self) -> "ModelConfig":
        if self.provider == "azure" and not (self.base_url and self.api_version):
            raise ValueError('"azure" needs base_url and api_version')
        if self.provider == "recorded" and not self.answers:
            raise ValueError('"recorded" needs answers, such as "answers/production.jsonl"')
        if self.provider != "recorded" and (self.answers or self.prompt):
            raise ValueError('answers and prompt are for the provider "recorded" alone')
        if self.provider == "simulated" and self.api != "responses":
            raise ValueError('"simulated" models answer as the API "responses" does')
        return self

    @property
    def sha256(self) -> str:
        """The hash that `run.json` has of the config; comments and layout do not count."""
        return sha256_of(self.model_dump(mode="json", by_alias=True))


def parse_config(config_id: str, text: str, file: str) -> ModelConfig:
    """The model config in the text of its file; InputError has all problems, or says that the id is
    not the file name.
    """
    config = parse_record(text, ModelConfig, file)
    if config.id != config_id:
        message = f'must equal the file name: found "{config.id}", expected "{config_id}"'
        raise input_error(file, "id", message)
    return config
