"""What makes one call: the interface between the workers and a provider, a simulated model or a user's own function."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from stages.generate.calls.faults import NO_LIMITS, Fault, RateLimits
from stages.generate.plan.cells import Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a provider sent with HTTP 200: the body's text, which need not be an answer.

    `latency_ms` is from sending to the last byte; `arrived_at` is UTC, ISO 8601 with seconds.
    """

    body: str
    latency_ms: float
    arrived_at: str
    endpoint: str
    limits: RateLimits = NO_LIMITS


class CallFailed(Exception):
    """One call has no reply; `fault` says why."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(f"{fault.status}: {fault.message}")


Caller = Callable[[Call], Awaitable[Reply]]
"""Makes one call within `Call.timeout_s`: no retry, no waiting for a rate limit. Raises `CallFailed` when there is no reply."""
