"""The SDK's client for an endpoint, with the headers, keys and limits of this project."""

import re
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import httpx2
import openai

from stages.generate.apis.kind import OWN_URL
from stages.generate.calls.redaction import SHORTEST_SECRET, words_in
from stages.generate.plan.endpoint import Endpoint, address, is_loopback
from stages.shared.records.errors import InputError, Problem

CONNECT_S = 20.0
LONGEST_BODY = 32 * 1024 * 1024
CUSTOM_HEADERS = "OPENAI_CUSTOM_HEADERS"
ORGANIZATION = "OPENAI_ORG_ID"
PROJECT = "OPENAI_PROJECT_ID"
NO_KEY = "none"
_HARMLESS = re.compile(
    "accept.*|content-.*|http-referer|openai-beta|referer|user-agent|x-title", re.IGNORECASE
)
"""The names of custom headers that hold no secret."""
_KEY = re.compile("auth|key|token|secret|cookie", re.IGNORECASE)
"""What the name of a header says whose value must be long enough to be kept out of answers."""


def open_sdk(endpoint: Endpoint, variables: Mapping[str, str]) -> openai.AsyncOpenAI:
    """A client without retries, redirects and deadlines; `variables` hold its key and headers."""
    key = variables.get(endpoint.key_env or "", "").strip()
    timeout = httpx2.Timeout(None, connect=CONNECT_S)
    hooks: dict[str, list[Any]] = {"request": [], "response": [_bound_body]}
    if not key:
        hooks["request"].append(_remove_placeholder)
    options: dict[str, Any] = {
        "base_url": endpoint.url or OWN_URL,
        "api_key": key or NO_KEY,
        "max_retries": 0,
        "timeout": timeout,
        "default_headers": _headers(endpoint, variables, key or NO_KEY),
        "http_client": openai.DefaultAioHttpClient(
            timeout=timeout,
            limits=httpx2.Limits(max_connections=0),  # aiohttp: no limit
            follow_redirects=False,
            trust_env=not is_loopback(endpoint),
            verify=_certificates(endpoint),
            event_hooks=hooks,
        ),
    }
    sdk = _client(endpoint, options)
    is_own = _is_own(endpoint)
    sdk.organization = variables.get(ORGANIZATION) if is_own else None
    sdk.project = variables.get(PROJECT) if is_own else None
    return sdk


def problems_of_variables(endpoint: Endpoint, variables: Mapping[str, str]) -> Iterator[Problem]:
    """What is wrong with the address, and with the values of the variables that the endpoint
    names.
    """
    try:
        httpx2.URL(endpoint.url or OWN_URL)
    except httpx2.InvalidURL as error:
        yield Problem("base_url", address(endpoint), f"cannot be used: {error}")
    for name, header, value in _secret_values(endpoint, variables):
        if not (value.isascii() and value.isprintable()):
            problem = "holds characters that no HTTP header can carry: set it again"
            yield Problem("environment", name, problem)
        is_short = bool(value) and len(" ".join(words_in(value))) < SHORTEST_SECRET
        if is_short and _KEY.search(header) and not is_loopback(endpoint):
            problem = f"is shorter than {SHORTEST_SECRET} characters, so that it could not be kept "
            problem += "out of answers and messages: set a longer key"
            yield Problem("environment", name, problem)


def secrets_of(endpoint: Endpoint, variables: Mapping[str, str]) -> list[str]:
    """The values of which nothing must reach a file, log or message."""
    secrets = [value for _, _, value in _secret_values(endpoint, variables)]
    return [*secrets, *(variables.get(name, "").strip() for name in (ORGANIZATION, PROJECT))]


def _secret_values(
    endpoint: Endpoint, variables: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """The key and the values of all headers that the user names, each with its variable and header;
    custom headers without those that are harmless.
    """
    for header, variable in (("Authorization", endpoint.key_env or ""), *endpoint.headers_env):
        if variable in variables:
            yield variable, header, variables[variable].strip()
    for header, value in _custom_headers(variables).items():
        if not _HARMLESS.fullmatch(header):
            yield CUSTOM_HEADERS, header, value


def _is_own(endpoint: Endpoint) -> bool:
    """Whether calls go to the provider's own address."""
    return endpoint.provider == "openai" and endpoint.url is None


def _client(endpoint: Endpoint, options: dict[str, Any]) -> openai.AsyncOpenAI:
    if endpoint.provider != "azure":
        return openai.AsyncOpenAI(**options)
    if (endpoint.url or "").rstrip("/").endswith("/v1"):
        # It takes OpenAI's own requests, not deployments' paths.
        return openai.AsyncOpenAI(default_query={"api-version": endpoint.api_version}, **options)
    options["default_headers"]["Authorization"] = openai.omit
    return openai.AsyncAzureOpenAI(api_version=endpoint.api_version, **options)


def _headers(endpoint: Endpoint, variables: Mapping[str, str], key: str) -> dict[str, Any]:
    headers: dict[str, Any] = {"Accept-Encoding": "identity", "Authorization": f"Bearer {key}"}
    if endpoint.provider == "azure":
        headers["api-key"] = key
    for name, variable in endpoint.headers_env:
        if variable in variables:
            headers[name] = variables[variable].strip()
    present = {name.lower() for name in headers}
    for name, value in _custom_headers(variables).items():
        if name.lower() not in present:  # the SDK would send them to any address
            headers[name] = value if _is_own(endpoint) else openai.omit
    return headers


def _custom_headers(variables: Mapping[str, str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in variables.get(CUSTOM_HEADERS, "").split("\n"):
        name, colon, value = line.partition(":")
        if colon and name.strip():
            headers[name.strip()] = value.strip()
    return headers


def _certificates(endpoint: Endpoint) -> ssl.SSLContext:
    """The system's certificate authorities, or those in `SSL_CERT_FILE`.

    None for plain HTTP, as loading them takes a while.
    """
    if (endpoint.url or "").startswith("http://"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        return httpx2.create_ssl_context()
    except (OSError, ssl.SSLError) as error:
        problem = f"names a file that cannot be read as certificates: {error}"
        raise InputError([Problem("environment", "SSL_CERT_FILE", problem)]) from None


async def _remove_placeholder(request: httpx2.Request) -> None:
    """Remove the placeholder for the key, on which the SDK insists."""
    for name in ("Authorization", "api-key"):
        if request.headers.get(name) in (NO_KEY, f"Bearer {NO_KEY}"):
            del request.headers[name]


async def _bound_body(response: httpx2.Response) -> None:
    """Read only the beginning of a body that is too long; files of batches have any length."""
    is_file = response.is_success and response.request.url.path.endswith("/content")
    if not is_file and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream, LONGEST_BODY)


class _Bounded(httpx2.AsyncByteStream):
    """The first `left` bytes of a stream."""

    def __init__(self, stream: httpx2.AsyncByteStream, left: int) -> None:
        self._stream = stream
        self._left = left

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            yield chunk[: self._left]
            self._left -= len(chunk)
            if self._left <= 0:
                return

    async def aclose(self) -> None:
        await self._stream.aclose()
