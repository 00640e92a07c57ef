"""One call: where it goes and how that is shown, what is sent, under which fingerprint its answer
is kept, and the most that it may cost.
"""

import hashlib
import ipaddress
import math
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from stages.generate.apis import API_KINDS, OWN_URL, ApiKind
from stages.generate.prices import ModelPrices
from stages.shared.records.json_text import JsonObject, canonical
from stages.shared.records.model_config import Api, ModelConfig, Provider
from stages.shared.records.response import Cell

OWN_KEY = "OPENAI_API_KEY"
BASE_URL_VARIABLE = "OPENAI_BASE_URL"
MESSAGE_TOKENS = 8
"""What the two messages of a request add to their texts."""


class Endpoint(BaseModel):
    """Where calls go; `url` is None for the provider's own address.

    It holds no secret: `key_env` and `headers_env` name environment variables. A `service` of an
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


def endpoint_of(config: ModelConfig, variables: Mapping[str, str]) -> Endpoint:
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
    """True when calls stay on this machine: such an endpoint needs no key."""
    if endpoint.provider == "simulated":
        return True
    host = urlsplit(endpoint.url or OWN_URL).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request that is to be made, and everything that callers, limits, budget and ledger need.

    `instructions` is the system prompt, `text` the user's message, `settings` the API's own
    parameters, `schema` the JSON Schema among them. `identity` is everything that can alter the
    answer. `cell` says in limits, budget and progress whose answer it is. `cost_upper_usd` is None
    when no price is known.
    """

    cell: Cell
    endpoint: Endpoint
    model: str
    instructions: str
    instructions_sha256: str
    text: str
    settings: JsonObject
    schema: JsonObject | None = None
    identity: JsonObject
    fingerprint: str
    draw: int = 1
    input_tokens: int
    most_output_tokens: int
    cost_upper_usd: float | None
    prices: ModelPrices
    timeout_s: float

    @property
    def canonical(self) -> str:
        """The canonical request, whose hash is the fingerprint: what the ledger keeps of it."""
        return canonical(self.identity).decode("utf-8")

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
        body |= api_kind.messages(self.instructions, self.text)
        body |= self.settings
        if in_batch:
            body.pop("service_tier", None)
        if api_kind.caches_anywhere or self.endpoint.url is None:
            body["prompt_cache_key"] = prompt_cache_key(self.instructions_sha256, self.model)
        return body


def fingerprint_of(identity: JsonObject) -> str:
    """The fingerprint of a request: the SHA-256 of its canonical JSON, 64 hex digits."""
    return hashlib.sha256(canonical(identity)).hexdigest()


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
    model_sha256 = hashlib.sha256(model.encode()).hexdigest()
    return f"graph-{instructions_sha256[:16]}-{model_sha256[:8]}"
