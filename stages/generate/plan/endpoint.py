"""Where the calls of a model go, and how that is shown."""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from stages.generate.apis import API_KINDS, OWN_URL, ApiKind
from stages.shared.records.model_config import Api, ModelConfig, Provider

OWN_KEY = "OPENAI_API_KEY"
BASE_URL_VARIABLE = "OPENAI_BASE_URL"


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
