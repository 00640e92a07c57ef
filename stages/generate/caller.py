"""The seam between what decides about calls and what makes them: a caller, its reply, and the fault when there is none."""

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

import msgspec

from stages.contracts.response import Status
from stages.generate.call import Answer, Call, Failure


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a reply's `x-ratelimit-*` headers said when the call was admitted; None where they said nothing.

    `requests_left` and `tokens_left` are what may still be asked for; `requests_reset_s` and `tokens_reset_s` are the seconds,
    from the admission of the call on, after which that count is full again.
    """

    requests_left: int | None = None
    requests_reset_s: float | None = None
    tokens_left: int | None = None
    tokens_reset_s: float | None = None


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A provider's answer to one call: the JSON text as it came, checked to be of the API's shape.

    `latency_ms` is from sending to the last byte; `arrived_at` is UTC, ISO 8601 with seconds; `tokens` is what the answer says it
    used in all, None when it does not say.
    """

    body: str
    latency_ms: float
    arrived_at: str
    endpoint: str
    limits: Limits = Limits()
    tokens: int | None = None


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """Why one call brought no answer.

    `scope` says what it dooms: "call" may succeed when tried again, "cell" never will, "key" means that no call of this
    endpoint and key will. `wait_s` is the wait the server asked for. `may_be_billed` is True when the provider may have done the
    work although its answer was lost. `message` is free of secrets.
    """

    status: Status
    code: str
    message: str
    scope: Literal["call", "cell", "key"] = "call"
    wait_s: float | None = None
    may_be_billed: bool = False
    limits: Limits = Limits()


class CallFailed(Exception):
    """One call brought no answer; `fault` says why."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(f"{fault.status}: {fault.message}")


class Caller(Protocol):
    """Makes one call and nothing else: no retry, no waiting for a turn.

    `on_begun` is called once, when the answer has begun to come.

    Raises:
        CallFailed: there is no answer.
    """

    def __call__(self, call: Call, on_begun: Callable[[], None], /) -> Awaitable[Reply]:
        """The reply to `call`."""


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """A cell's call has its answer, which is stored; the body is not kept here, so that memory does not grow with the cells."""

    fingerprint: str
    attempts: int
    cost_usd: float | None


Result = Answered | Failure
Store = Callable[[Answer], Awaitable[Call | None]]
"""Makes an answer durable; returns the cell's next draw when one more is wanted, else None."""

Price = Callable[[Call, str], float | None]
"""What an answer cost in US dollars, from its call and body; None when the price or the usage is not known."""
