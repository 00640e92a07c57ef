"""What one call gives: a reply, or a fault (its status, and whether trying again can help)."""

import datetime
import email.utils
import math
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from stages.generate.answers.answer import Body, NoAnswer, read_body
from stages.generate.plan.call import Call
from stages.shared.records.json_text import JsonValue, NotJson, canonical, parse
from stages.shared.records.model_config import Api
from stages.shared.records.response import Status

QUOTA_CODES = frozenset({
    "insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "access_terminated",
    "quota_exceeded", "insufficient_credits", "credit_balance_too_low", "monthly_limit_reached",
    "hard_limit_reached",
})  # fmt: skip
"""Error codes and types of an account that cannot pay: no wait helps."""

NO_CREDIT = (
    "no credit is left or the spending limit is reached: fix that at the provider, then run again"
)
_NO_SUCH_MODEL = frozenset({"model_not_found", "model_not_available", "unsupported_model"})
_CODE = re.compile(r"[A-Za-z0-9_.\-]{1,64}")
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


@dataclass(frozen=True, slots=True)
class Limit:
    """How much may still be sent, and the seconds until the limit is full again."""

    left: int
    reset_s: float


RateLimits = tuple[Limit | None, Limit | None]
"""What the `x-ratelimit-*` headers say of requests and tokens."""
NO_LIMITS: RateLimits = (None, None)
Scope = Literal["call", "cell", "model", "key"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why one call has no answer, or, once given up, why a cell has none after `attempts`.

    `scope` says what cannot succeed: "call" may when tried again, "cell" never will, nor will any
    call of the "model" or the "key".
    `wait_s` is what the server asked for. `may_be_billed`: the work may have been done. `message`
    holds no secret.
    """

    status: Status
    code: str
    message: str
    scope: Scope = "call"
    wait_s: float | None = None
    may_be_billed: bool = False
    limits: RateLimits = NO_LIMITS
    attempts: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A body that came with HTTP 200, which need not be an answer.

    `latency_ms` is from sending to the last byte.
    """

    body: str
    latency_ms: float
    created_at: str
    endpoint: str
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


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """What a provider's error says; "" where it says nothing."""

    code: str = ""
    type: str = ""
    message: str = ""

    @property
    def name(self) -> str:
        """Its code, else its type."""
        return self.code or self.type

    @property
    def is_about_quota(self) -> bool:
        """Whether the account cannot pay."""
        return not QUOTA_CODES.isdisjoint((self.code, self.type))


def error_body(body: JsonValue) -> ErrorBody:
    """The code, the type and the message in an error body of any of the usual shapes."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, str):
        return ErrorBody(message=error)
    if not isinstance(error, dict):
        return ErrorBody()
    message = error.get("message") or error.get("detail") or error.get("error") or ""
    if not isinstance(message, str):  # FastAPI lists what is wrong
        message = canonical(message).decode("utf-8")
    return ErrorBody(code=_code(error.get("code")), type=_code(error.get("type")), message=message)


def fault_of_status(
    status: int,
    headers: Mapping[str, str],
    body: str,
    *,
    now: datetime.datetime,
    key_env: str | None,
) -> Fault:
    """The fault of an HTTP status that is not a success.

    `headers` are by lower-case name, `now` is when they were received (UTC).
    """
    error = ErrorBody()
    with suppress(NotJson):
        error = error_body(parse(body))
    text = f"HTTP {status}" + (f": {error.message}" if error.message else "")
    fault = partial(Fault, code=error.name or f"http_{status}")
    if status == 402 or (status < 500 and error.is_about_quota):
        return fault(status="quota_exceeded", message=f"{text} ({NO_CREDIT})", scope="key")
    if status in (401, 403) and error.code not in _NO_SUCH_MODEL:
        hint = "the endpoint requires a key: name its variable in api_key_env"
        if key_env:
            fix = "put a valid one in the environment or in .env"
            hint = f"the key in {key_env} was refused: {fix}"
        # The provider's own message often repeats part of the key.
        return fault(status="auth_failed", message=f"HTTP {status}: {hint}", scope="key")
    wait_s, limits = requested_wait_s(headers, now=now), limits_of(headers)
    passing = partial(fault, message=text, wait_s=wait_s, limits=limits)
    if status == 429 and not error.message.startswith("Request too large"):
        return passing(status="rate_limited")
    if status == 408:
        return passing(status="timeout_failed")
    if status in (409, 425) or status >= 500:
        scope: Scope = "cell" if status in (501, 505) else "call"
        return passing(status="server_error", scope=scope, may_be_billed=status == 504)
    if status < 400:
        text += ": the server redirects; give the model config the base_url that it names"
    return fault(status="invalid_request", message=text, scope="cell")


def answered_body(received: str, api: Api, limits: RateLimits = NO_LIMITS) -> Body:
    """What a body that came with HTTP 200 says.

    Raises:
        CallFailed: it is no answer of this API.
    """
    try:
        body = read_body(received)
    except NoAnswer as error:
        fault = _fault_of_error(error.error) if error.error else None
        fault = fault or unusable_body(error.code, error.message)
        raise CallFailed(replace(fault, limits=limits)) from None
    if body.api == api:
        return body
    problem = "HTTP 200 with an answer of another API, which this run cannot use"
    fix = f'set "api": "{body.api}" in the model config'
    other = Fault(
        status="invalid_request",
        code="other_api",
        message=f"{problem}: the server speaks {body.api}; {fix}",
        scope="model",
        may_be_billed=True,
        limits=limits,
    )
    raise CallFailed(other)


def _fault_of_error(body: JsonValue) -> Fault:
    error = error_body(body)
    code = error.name or "response_failed"
    text = error.message or "the answer says that it failed"
    fault = partial(Fault, code=code, message=text)
    if error.is_about_quota:
        return fault(status="quota_exceeded", scope="key")
    if error.code == "rate_limit_exceeded":
        return fault(status="rate_limited")
    if error.code.startswith("invalid_") or error.type == "invalid_request_error":
        return fault(status="invalid_request", scope="cell")
    return unusable_body(code, text)


def unusable_body(code: str, message: str) -> Fault:
    """HTTP 200 with a body that is no answer: cut, empty, HTML, too long, or of another shape."""
    return Fault(status="server_error", code=code, message=message, may_be_billed=True)


def no_answer_in_time(timeout_s: float) -> Fault:
    """The deadline of a call passed."""
    limits = "runtime.timeout_s, timeout_s of the model config, or what runtime.cell_timeout_s left"
    message = f"no complete answer within {timeout_s:.3g} s ({limits})"
    return Fault(status="timeout_failed", code="deadline", message=message, may_be_billed=True)


def requested_wait_s(headers: Mapping[str, str], *, now: datetime.datetime) -> float | None:
    """The seconds to wait from `now`.

    Of `retry-after-ms`, else of `retry-after` (RFC 9110, section 10.2.3); None without either.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "").strip()
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        until = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return max((until.replace(tzinfo=until.tzinfo or datetime.UTC) - now).total_seconds(), 0.0)


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
    text = text.strip().lower()
    parts = _PART.findall(text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return math.fsum(float(number) * _UNIT_S[unit] for number, unit in parts)
    return _number(text)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _code(value: JsonValue | None) -> str:
    text = str(value) if isinstance(value, str | int) else ""
    return text if _CODE.fullmatch(text) else ""
