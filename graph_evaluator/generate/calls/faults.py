"""What one call gives: a reply, or a fault (its status, and whether trying again can help)."""

import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from graph_evaluator.generate.answers import NoAnswer
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.records.response import Status

Scope = Literal["call", "cell", "key"]
NO_CREDIT = (
    "no credit is left or the spending limit is reached: fix that at the provider, then run again"
)
_REFUSED_KEY = "the key in {} was refused: put a valid one in the environment or in .env"
_NEEDS_KEY = "the endpoint requires a key: name its variable in api_key_env"
_QUOTA: tuple[Status, Scope] = ("quota_exceeded", "key")
_WRONG: tuple[Status, Scope] = ("invalid_request", "cell")
_BROKEN: tuple[Status, Scope] = ("server_error", "call")
_BY_NAME: tuple[tuple[re.Pattern[str], tuple[Status, Scope]], ...] = (
    (re.compile("quota|billing|credit|hard_limit|monthly_limit|access_terminated"), _QUOTA),
    (re.compile("model_not_found|model_not_available|unsupported_model|invalid_prompt"), _WRONG),
    (re.compile("rate_limit_exceeded|token_limit_exceeded"), ("rate_limited", "call")),
    (re.compile("batch_expired"), ("timeout_failed", "call")),
)
"""The outcome of a call by what the code or type of an error has in it, whatever its HTTP status
below 500.
"""
_BY_STATUS: dict[int, tuple[Status, Scope]] = {
    401: ("auth_failed", "key"),
    402: _QUOTA,
    403: ("auth_failed", "key"),
    408: ("timeout_failed", "call"),
    409: _BROKEN,
    425: _BROKEN,
    429: ("rate_limited", "call"),
    501: ("server_error", "cell"),
    505: ("server_error", "cell"),
}
_CODE = re.compile(r"[A-Za-z0-9_.\-]{1,64}")
_PART = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?)(ms|s|m|h|d)")
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


@dataclass(frozen=True, slots=True)
class Limit:
    """How much may still be sent, and the seconds until the limit is full again."""

    left: int
    reset_s: float


RateLimits = tuple[Limit | None, Limit | None]
"""What the `x-ratelimit-*` headers say of requests and tokens."""
NO_LIMITS: RateLimits = (None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why one call has no answer, or, once given up, why a cell has none after `attempts`.

    `scope` says what cannot succeed: "call" may when tried again, "cell" never will, nor will any
    call of the "key".
    `wait_s` is what the server asked for. `may_be_billed`: the work may have been done. `message`
    holds no secret.
    """

    status: Status
    code: str
    message: str
    scope: Scope = "call"
    wait_s: float | None = None
    may_be_billed: bool = False
    attempts: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A body that came with HTTP 200, which need not be an answer.

    `latency_ms` is from sending to the last byte.
    """

    body: str
    latency_ms: float
    created_at: str
    limits: RateLimits = NO_LIMITS


class CallFailed(Exception):
    """One call has no reply; `fault` says why."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(f"{fault.status}: {fault.message}")


Caller = Callable[[Call], Awaitable[Reply]]
"""Makes one call within `Call.timeout_s`: no retry, no waiting for a rate limit.

Raises `CallFailed` when there is no reply.
"""


def fault_of_error(
    status: int, body: object, headers: Mapping[str, str], key_env: str | None = None
) -> Fault:
    """The fault of an HTTP status that is not a success, or of an error in an answer (200).

    `body` is the provider's error in any of the usual shapes, `headers` are by lower-case name.
    """
    error = body.get("error", body) if isinstance(body, dict) else body
    fields: dict[str, object] = error if isinstance(error, dict) else {"message": error}
    stated = str(fields.get("message") or fields.get("detail") or fields.get("error") or "")
    values = [fields.get("code") or "", fields.get("type") or ""]
    names = [name for name in map(str, values) if _CODE.fullmatch(name)]
    outcome, scope = _outcome(status, names)
    if stated.startswith("Request too large"):  # no limit will ever let it pass
        outcome, scope = "invalid_request", "cell"
    problem = "no answer" if status == 200 else f"HTTP {status}"
    message = f"{problem}: {stated}" if stated else problem
    if outcome == "quota_exceeded":
        message += f" ({NO_CREDIT})"
    if outcome == "auth_failed":  # the provider's own message often repeats part of the key
        message = f"{problem}: {_REFUSED_KEY.format(key_env) if key_env else _NEEDS_KEY}"
    if 300 <= status < 400:
        message += ": the server redirects; give the model config the base_url that it names"
    return Fault(
        status=outcome,
        code=names[0] if names else f"http_{status}",
        message=message,
        scope=scope,
        wait_s=requested_wait_s(headers),
        may_be_billed=status in (200, 504),
    )


def _outcome(status: int, names: Sequence[str]) -> tuple[Status, Scope]:
    """The outcome of a call that failed with this HTTP status and an error of these names."""
    for pattern, outcome in _BY_NAME:
        if status < 500 and any(map(pattern.search, names)):
            return outcome
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return _BROKEN if status == 200 or status >= 500 else _WRONG


def fault_of_no_answer(error: NoAnswer) -> Fault:
    """The fault of a body that came with HTTP 200 and is no answer."""
    if error.error:
        return fault_of_error(200, error.error, {})
    return unusable_body(error.code, error.message)


def unusable_body(code: str, message: str) -> Fault:
    """HTTP 200 with a body that is no answer: cut, empty, HTML, too long, or of another shape."""
    return Fault(status="server_error", code=code, message=message, may_be_billed=True)


def no_answer_in_time(timeout_s: float) -> Fault:
    """The deadline of a call passed."""
    limits = "runtime.timeout_s, timeout_s of the model config, or what runtime.cell_timeout_s left"
    message = f"no complete answer within {timeout_s:.3g} s ({limits})"
    return Fault(status="timeout_failed", code="deadline", message=message, may_be_billed=True)


def requested_wait_s(headers: Mapping[str, str]) -> float | None:
    """The seconds to wait, of `retry-after-ms`, else of `retry-after`; None without either."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    return _number(headers.get("retry-after", ""))


def limits_of(headers: Mapping[str, str]) -> RateLimits:
    """What the `x-ratelimit-*` headers say, by lower-case name.

    What cannot be read says nothing.
    """
    return _limit(headers, "requests"), _limit(headers, "tokens")


def _limit(headers: Mapping[str, str], unit: str) -> Limit | None:
    left = _number(headers.get(f"x-ratelimit-remaining-{unit}", ""))
    reset_s = _duration_s(headers.get(f"x-ratelimit-reset-{unit}", ""))
    if left is None or reset_s is None:
        return None
    return Limit(int(left), reset_s)


def _duration_s(text: str) -> float | None:
    """Seconds, from a duration such as `6m0s` or `20ms`, or from plain seconds.

    None when it is neither.
    """
    parts = _PART.findall(text.lower())
    if not parts:
        return _number(text)
    return math.fsum(float(number) * _UNIT_S[unit] for number, unit in parts)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
