"""Which calls go up together: batches of one endpoint and one model each, within the Batch API's limits."""

from collections.abc import Iterator, Sequence

import msgspec

from stages.contracts.json_text import JsonValue, canonical
from stages.contracts.model_config import Api
from stages.generate.call import Call, Endpoint

MOST_REQUESTS = 50_000
MOST_BYTES = 200_000_000
"""The limits of one input file (OpenAI, Batch API guide: 50,000 requests, 200 MB)."""

_NOT_IN_BATCHES = frozenset({"service_tier"})
"""A batch is a service tier of its own; asking for another one inside it is an error."""


class BatchLimits(msgspec.Struct, frozen=True):
    """What one input file may hold."""

    requests: int = MOST_REQUESTS
    bytes: int = MOST_BYTES


OPENAI_LIMITS = BatchLimits()


class BatchPart(msgspec.Struct, frozen=True):
    """The calls of one batch, in order: one endpoint, one model, at least one call."""

    calls: tuple[Call, ...]

    @property
    def endpoint(self) -> Endpoint:
        """Where the batch goes."""
        return self.calls[0].endpoint

    @property
    def model(self) -> str:
        """The model that all its calls ask."""
        return self.calls[0].model

    def halves(self) -> tuple["BatchPart", ...]:
        """The same calls in two batches; a single call stays one."""
        middle = len(self.calls) // 2
        return tuple(BatchPart(calls) for calls in (self.calls[:middle], self.calls[middle:]) if calls)


def parts_of(calls: Sequence[Call], limits: BatchLimits = OPENAI_LIMITS) -> tuple[BatchPart, ...]:
    """The calls, split into batches as few as the limits allow when taken in order.

    Endpoints and models come in the order of their first call. A call whose own line is over the limit gets a batch of its
    own: the service refuses it, and the refusal names the cause.
    """
    groups: dict[tuple[Endpoint, str], list[Call]] = {}
    for call in calls:
        groups.setdefault((call.endpoint, call.model), []).append(call)
    return tuple(part for group in groups.values() for part in _split(group, limits))


def _split(calls: Sequence[Call], limits: BatchLimits) -> Iterator[BatchPart]:
    held: list[Call] = []
    size = 0
    for call in calls:
        length = len(line_of(call))
        if held and (len(held) == limits.requests or size + length > limits.bytes):
            yield BatchPart(tuple(held))
            held, size = [], 0
        held.append(call)
        size += length
    if held:
        yield BatchPart(tuple(held))


def url_of(api: Api) -> str:
    """The path that every line of a batch names, and the batch itself.

    >>> url_of("chat_completions")
    '/v1/chat/completions'
    """
    return "/v1/responses" if api == "responses" else "/v1/chat/completions"


def line_of(call: Call) -> bytes:
    """One line of the input file, line end included; `custom_id` is the fingerprint."""
    settings = {name: value for name, value in call.settings.items() if name not in _NOT_IN_BATCHES}
    asked: dict[str, JsonValue]
    if call.endpoint.api == "responses":
        asked = {"instructions": call.instructions, "input": call.input}
    else:
        asked = {
            "messages": [{"role": "system", "content": call.instructions}, {"role": "user", "content": call.input}]
        }
    body: dict[str, JsonValue] = {"model": call.model, **asked, **settings}
    line: dict[str, JsonValue] = {
        "custom_id": call.fingerprint,
        "method": "POST",
        "url": url_of(call.endpoint.api),
        "body": body,
    }
    return canonical(line) + b"\n"


def file_of(part: BatchPart) -> bytes:
    """The input file of a batch, JSONL."""
    return b"".join(line_of(call) for call in part.calls)
