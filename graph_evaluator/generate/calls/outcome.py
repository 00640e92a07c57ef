"""The result of one call: a reply, or a fault (its status, and whether trying again can help)."""

import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal, NamedTuple

from graph_evaluator.generate.answers import read_answer
from graph_evaluator.generate.calls.redaction import one_line
from graph_evaluator.generate.plan.call import Call, address
from graph_evaluator.generate.replies import (
    NoAnswer,
    error_fields,
    number_of,
    object_of,
    objects_of,
    plain_word,
    stated_usage,
)
from graph_evaluator.records.json_text import JsonObject, JsonValue
from graph_evaluator.records.response import Answer, Measured, Status, Usage

Scope = Literal["call", "once", "cell", "key"]
Failing = tuple[Status, Scope]
NO_CREDIT = (
    "no credit is left, the spending limit is reached or a daily quota is used up: fix that at the "
    "provider, or wait for the next day, then run again"
)
_REFUSED_KEY = "the key in {} was refused: put a valid one in the environment or in .env"
_NEEDS_KEY = "the endpoint requires a key: name its variable in api_key_env"
_QUOTA: Failing = ("quota_exceeded", "key")
_WRONG: Failing = ("invalid_request", "cell")
_BROKEN: Failing = ("server_error", "call")
_BY_NAME: tuple[tuple[re.Pattern[str], Failing], ...] = (
    (
        re.compile(
            "quota|billing|credit|hard_limit|monthly_limit|access_terminated|Arrear|budget_exceeded"
        ),
        _QUOTA,
    ),
    (re.compile("(?i)api_?key_?invalid|invalid_?api_?key"), ("auth_failed", "key")),
    (re.compile("model_not_found|model_not_available|unsupported_model"), _WRONG),
    (re.compile("rate_limit_exceeded|token_limit_exceeded"), ("rate_limited", "call")),
    (re.compile("batch_expired"), ("timeout_failed", "call")),
)
"""The outcome of a call by what the code or type of an error has in it, whatever its HTTP status
below 500.
"""
_BY_STATUS: dict[int, Failing] = {
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
_CODE = re.compile(r"(?![0-9]+$)[A-Za-z0-9_.\-]{1,64}")
_HTTP_ERROR = re.compile("[45][0-9]{2}")
_STATUS_OF_NAME: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile("apikey|authentication|unauthenticated|unauthorized"), 401),
    (re.compile("permission|forbidden|accessdenied"), 403),
    (re.compile("ratelimit|throttling|exhausted|toomanyrequests"), 429),
    (re.compile("notfound"), 404),
    (re.compile("invalidrequest|invalidargument|invalidparameter|badrequest"), 400),
)
"""The HTTP status that the name of an error stands for where it came with HTTP 200."""
_DAILY = re.compile(
    r"(?:per|by|/)[ _-]?(?:day|month)|\b(?:dai|month)ly\b|\b[RT]PD\b", re.IGNORECASE
)
"""How a refusal names a limit that a run does not outlast."""
_SPENT = re.compile(
    r"(?i)(?:sorry, )?(?:insufficient balance|your (?:account|credit) balance is (?:too|insu)|"
    r"your newly created team|your team \S+ has (?:either )?used all|key limit exceeded \(|"
    "this request requires more credits|budget has been exceeded)"
)
"""How a message begins that says that no credit is left, where the code says something else."""
_LOOKED_AT = 5_000
"""Characters of an error that say which limit it is about."""
_PART = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?)(ms|s|m|h|d)")
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


class Limit(NamedTuple):
    """How much may still be sent, and the seconds until the limit is full again."""

    left: int
    reset_s: float


RateLimits = tuple[Limit | None, Limit | None]
"""What the `x-ratelimit-*` headers say of requests and tokens."""
NO_LIMITS: RateLimits = (None, None)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why one call has no answer, or, once given up, why a cell has none after `attempts`.

    `scope` says what cannot succeed: "call" may when tried again, "once" is tried once more at
    most, as it was probably paid for, "cell" never will, nor will any call of the "key".
    `wait_s` is what the server asked for. `may_be_billed`: the work may have been done; `measured`
    is what the reply reports, `body` all that arrived. Neither holds a secret, nor does `message`.
    """

    status: Status
    code: str
    message: str
    scope: Scope = "call"
    wait_s: float | None = None
    may_be_billed: bool = False
    measured: Measured | None = None
    body: str = ""
    attempts: int = 1

    def cost_usd(self, call: Call) -> float | None:
        """What the call cost, US dollars; None where that is not known."""
        if not self.may_be_billed:
            return 0.0
        return call.planned.prices.cost(self.measured).usd if self.measured else None

    def in_place_of_answer(self, call: Call) -> Answer:
        """The record that says why a call has no answer."""
        known = {"attempts": self.attempts, "endpoint": address(call.endpoint)}
        measured = Measured.model_validate({**dict(self.measured or Measured()), **known})
        return Answer(
            fingerprint=call.fingerprint,
            status=self.status,
            failure_code=self.code,
            error_message=self.message,
            measured=measured,
            received=self.body,
        )


class Reply(NamedTuple):
    """A body that came with HTTP 200, which need not be an answer.

    `latency_ms` is from sending to the last byte; None in a batch.
    """

    body: str
    latency_ms: float | None
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
    status: int, body: JsonValue, headers: Mapping[str, str], key_env: str | None = None
) -> Fault:
    """The fault of an HTTP status that is not a success, or of an error in an answer (200), which
    may state the status itself.

    `body` is the provider's error in any of the usual shapes, `headers` are by lower-case name.
    """
    fields = error_fields(body)
    texts = (fields.get(key) for key in ("message", "msg", "detail", "error"))
    stated = str(next(filter(None, texts), ""))
    values = [fields.get(key) or "" for key in ("code", "type", "status")]
    values += [detail.get("reason") or "" for detail in objects_of(fields.get("details"))]
    names = [name for name in map(str, values) if _CODE.fullmatch(name)]
    problem = f"HTTP {status}"
    if status == 200:
        status = _stated_status(fields) or status
        problem = f"HTTP 200 with the error {status}" if status != 200 else "no answer"
    limits = f"{stated[:_LOOKED_AT]} {fields.get('details')}"[: 2 * _LOOKED_AT]
    outcome, scope = _outcome(status, names, limits)
    if stated.startswith("Request too large"):  # no limit will ever let it pass
        outcome, scope = "invalid_request", "cell"
    message = f"{problem}: {stated}" if stated else problem
    if outcome == "quota_exceeded":
        message = f"{problem}: {one_line(stated)} ({NO_CREDIT})"
    if outcome == "auth_failed":  # the provider's own message often repeats part of the key
        message = f"{problem}: {_REFUSED_KEY.format(key_env) if key_env else _NEEDS_KEY}"
    if 300 <= status < 400:
        message += ": the server redirects; set base_url in the model config to that address"
    waits_s = [requested_wait_s(headers), _retry_delay_s(fields)]
    return Fault(
        status=outcome,
        code=names[0] if names else f"http_{status}",
        message=one_line(message),
        scope=scope,
        wait_s=max((wait_s for wait_s in waits_s if wait_s is not None), default=None),
        may_be_billed=status == 504,
    )


def _stated_status(fields: JsonObject) -> int | None:
    """The HTTP status that an error states as its code."""
    codes = (str(fields.get(key)) for key in ("code", "status", "status_code", "statusCode"))
    return next((int(code) for code in codes if _HTTP_ERROR.fullmatch(code)), None)


def _retry_delay_s(fields: JsonObject) -> float | None:
    """The seconds to wait by the details of an error of Google's APIs: `"36.5s"`, or an object with
    the seconds.
    """
    delays = [detail.get("retryDelay") for detail in objects_of(fields.get("details"))]
    stated = [object_of(delay).get("seconds", delay) for delay in delays if delay is not None]
    return next((_duration_s(str(delay)) for delay in stated), None)


def _outcome(status: int, names: Sequence[str], limits: str) -> Failing:
    """The outcome of a call that failed with this HTTP status and an error of these names, which
    says this about limits.
    """
    if status == 200:
        plain = " ".join(map(plain_word, names))
        named = (named for pattern, named in _STATUS_OF_NAME if pattern.search(plain))
        status = next(named, status)
    if status == 429 and _DAILY.search(limits):
        return _QUOTA
    for pattern, outcome in _BY_NAME:
        if status < 500 and any(map(pattern.search, names)):
            return outcome
    if status < 500 and _SPENT.match(limits):
        return _QUOTA
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return _BROKEN if status == 200 or status >= 500 else _WRONG


def answer_in(reply: Reply, call: Call, *, attempts: int = 1, in_batch: bool = False) -> Answer:
    """The answer in a reply; `CallFailed` when it is none."""
    try:
        return read_answer(
            reply.body,
            call,
            latency_ms=reply.latency_ms,
            attempts=attempts,
            created_at=reply.created_at,
            in_batch=in_batch,
            has_just_arrived=True,
        )
    except NoAnswer as error:
        fault = fault_of_no_answer(error, reply.body, call.endpoint.key_env)
        raise CallFailed(fault) from None


def fault_of_no_answer(error: NoAnswer, received: str = "", key_env: str | None = None) -> Fault:
    """The fault of a body that came with HTTP 200 and is no answer: tried once more at most, unless
    the provider reports an error and no usage.
    """
    fault = unusable_body(error.code, f"HTTP 200 with {error.message}", received)
    if error.error:
        fault = fault_of_error(200, error.error, {}, key_env)
    is_billed = error.measured is not None and error.measured.usage != Usage()
    if error.error and not is_billed:
        return fault
    scope: Scope = "once" if fault.scope == "call" else fault.scope
    measured = error.measured or fault.measured
    return replace(fault, scope=scope, may_be_billed=True, measured=measured, body=received)


def unusable_body(code: str, message: str, received: str = "") -> Fault:
    """HTTP 200 with a body that is no answer: cut, empty, HTML, too long, or of another shape. A
    server that sends an event stream unasked does it again.
    """
    return Fault(
        status="server_error",
        code=code,
        message=one_line(message),
        scope="key" if code == "event_stream" else "once",
        may_be_billed=True,
        measured=Measured(usage=stated_usage(received)),
        body=received,
    )


def requested_wait_s(headers: Mapping[str, str]) -> float | None:
    """The seconds to wait, of `retry-after-ms`, else of `retry-after`, which may be a date after
    that in `date`; None without either.
    """
    milliseconds = number_of(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after", "")
    with suppress(ValueError, TypeError, OverflowError):
        wait = _http_date(asked) - _http_date(headers.get("date", ""))
        return max(wait.total_seconds(), 0.0)
    return _duration_s(asked)


def _http_date(text: str) -> datetime:
    """A date in any of the three forms of RFC 9110, which are all in GMT."""
    date = parsedate_to_datetime(text)
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def limits_of(headers: Mapping[str, str]) -> RateLimits:
    """What the `x-ratelimit-*` headers say, by lower-case name.

    What cannot be read says nothing.
    """
    return _limit(headers, "requests"), _limit(headers, "tokens")


def _limit(headers: Mapping[str, str], unit: str) -> Limit | None:
    left = number_of(headers.get(f"x-ratelimit-remaining-{unit}"))
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
        return number_of(text)
    return math.fsum(float(number) * _UNIT_S[unit] for number, unit in parts)
