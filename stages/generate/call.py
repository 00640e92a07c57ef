"""One call of a model: what is asked, of whom, and what came of it."""

from typing import Literal

import msgspec

from stages.contracts.cell import Cell
from stages.contracts.json_text import JsonValue
from stages.contracts.response import Status
from stages.generate.plan.endpoint import Endpoint as Endpoint


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One answer to be had: the request and which independent draw of it.

    `settings` holds the API's own parameters other than model, instructions and input, as they are sent (for the Responses
    API for instance `{"max_output_tokens": 100, "reasoning": {"effort": "low"}}`).
    """

    fingerprint: str
    cell: Cell
    round: int
    draw: int
    endpoint: Endpoint
    model: str
    instructions: str
    instructions_sha256: str
    input: str
    settings: dict[str, JsonValue] = {}
    timeout_s: float
    input_tokens_estimate: int
    output_tokens_upper: int
    cost_upper_usd: float | None
    """The most the call may cost, for the budget; None when the price is not known."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider answered: paid for, so it is stored before it counts.

    `body` is the text of the API's JSON answer as it came. `latency_ms` is the time of the answered call alone, None for an
    answer out of a batch, whose own time nobody measures. `attempts` counts the calls up to it; `arrived_at` is UTC, ISO 8601
    with seconds.
    """

    fingerprint: str
    body: str
    latency_ms: float | None
    attempts: int
    arrived_at: str
    endpoint: str
    source: Literal["call", "batch", "adopted"] = "call"


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a call has no answer after `attempts` tries: a status, the provider's code, and a message free of secrets."""

    fingerprint: str
    status: Status
    code: str
    message: str
    attempts: int


Outcome = Answer | Failure
