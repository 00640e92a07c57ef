"""What went wrong with a call: a status, whether trying again can help, and the wait that the server asked for."""

import datetime
import re
from collections.abc import Mapping

import msgspec

from stages.contracts.json_text import JsonValue, NotJson, canonical, parse
from stages.generate.caller import Fault
from stages.generate.pace.rate_headers import asked_wait_s, limits_of

QUOTA_CODES = frozenset({
    "insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "access_terminated", "quota_exceeded",
    "insufficient_credits", "credit_balance_too_low", "monthly_limit_reached", "hard_limit_reached",
})  # fmt: skip
"""Error codes and types of an account that cannot pay: no wait helps."""

_NO_SUCH_MODEL = frozenset({"model_not_found", "model_not_available", "unsupported_model"})
_NEVER = frozenset({501, 505})
_CODE = re.compile(r"[A-Za-z0-9_.\-]{1,64}")


class Told(msgspec.Struct, frozen=True):
    """What a provider's error says of itself; "" where it says nothing."""

    code: str = ""
    type: str = ""
    message: str = ""


def told_by(body: JsonValue) -> Told:
    """The code, the type and the message in an error body of any of the usual shapes."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, str):
        return Told(message=error)
    if not isinstance(error, dict):
        return Told()
    found = next((error[key] for key in ("message", "detail", "error") if error.get(key)), "")
    message = found if isinstance(found, str) else canonical(found).decode("utf-8")  # FastAPI lists what is wrong
    return Told(code=_code(error.get("code")), type=_code(error.get("type")), message=message)


def of_status(
    status: int, headers: Mapping[str, str], body: str, *, now: datetime.datetime, key_env: str | None
) -> Fault:
    """The fault of an HTTP status that is not a success.

    Args:
        status: the HTTP status, 300 or above.
        headers: by lower-case name.
        body: the body's text, however broken.
        now: when it arrived, UTC.
        key_env: the variable that holds the key, for the message.
    """
    try:
        told = told_by(parse(body))
    except NotJson:
        told = Told()
    code = told.code or told.type or f"http_{status}"
    text = f"HTTP {status}" + (f": {told.message}" if told.message else "")
    limits = limits_of(headers)
    if status == 402 or (status < 500 and QUOTA_CODES & {told.code, told.type}):
        hint = (
            "the account has no credit left or its spending limit is reached: mend that at the provider, then run again"
        )
        return Fault(status="quota_exceeded", code=code, message=f"{text} ({hint})", scope="key")
    if status in (401, 403) and told.code not in _NO_SUCH_MODEL:
        held = (
            f"the key in {key_env} was refused: put a valid one in the environment or in .env"
            if key_env
            else "the endpoint wants a key: name it in api_key_env"
        )
        # The provider's own words often repeat part of the key.
        return Fault(status="auth_failed", code=code, message=f"HTTP {status}: {held}", scope="key")
    if status == 429:
        if told.message.startswith("Request too large"):
            return Fault(status="invalid_request", code=code, message=text, scope="cell")
        return Fault(
            status="rate_limited", code=code, message=text, wait_s=asked_wait_s(headers, now=now), limits=limits
        )
    if status == 408:
        return Fault(
            status="timeout_failed", code=code, message=text, wait_s=asked_wait_s(headers, now=now), limits=limits
        )
    if status in (409, 425) or status >= 500:
        return Fault(
            status="server_error",
            code=code,
            message=text,
            scope="cell" if status in _NEVER else "call",
            wait_s=asked_wait_s(headers, now=now),
            may_be_billed=status == 504,
            limits=limits,
        )
    if status < 400:
        text += ": the server points elsewhere; give the model config the base_url that it means"
    return Fault(status="invalid_request", code=code, message=text, scope="cell")


def of_failed_response(error: JsonValue) -> Fault:
    """The fault of an answer that came with HTTP 200 but says that it failed (`"status": "failed"`, or only an `error`)."""
    told = told_by(error)
    code = told.code or told.type or "response_failed"
    text = told.message or "the answer says that it failed"
    if {told.code, told.type} & QUOTA_CODES:
        return Fault(status="quota_exceeded", code=code, message=text, scope="key")
    if told.code == "rate_limit_exceeded":
        return Fault(status="rate_limited", code=code, message=text)
    if told.code.startswith("invalid_") or told.type == "invalid_request_error":
        return Fault(status="invalid_request", code=code, message=text, scope="cell")
    return Fault(status="server_error", code=code, message=text, may_be_billed=True)


def no_answer_in_time(timeout_s: float) -> Fault:
    """The deadline of the call passed."""
    message = f"no complete answer within {timeout_s:g} s (runtime.timeout_s, or timeout_s of the model config)"
    return Fault(status="timeout_failed", code="deadline", message=message, may_be_billed=True)


def cell_out_of_time(last: Fault | None, *, left_s: float, cell_timeout_s: float) -> Fault:
    """The deadline of the call passed, and it was what the cell's earlier attempts and waits had left of the cell's time.

    Args:
        last: what the attempt before had come to; None when there was none.
        left_s: the deadline.
        cell_timeout_s: the cell's time.
    """
    limit = f"runtime.cell_timeout_s ({cell_timeout_s:g} s)"
    if last is None:
        message = f"no complete answer within {limit}: raise it"
        return Fault(status="timeout_failed", code="deadline", message=message, may_be_billed=True)
    left = f"and the {left_s:.3g} s then left of {limit} brought no complete answer"
    if last.status == "rate_limited":
        message = f"{last.message}; it was refused again and again, {left}"
        return Fault(status="rate_limited", code=last.code, message=message, may_be_billed=True)
    message = f"{last.message}, {left}"
    return Fault(status="timeout_failed", code="deadline", message=message, may_be_billed=True)


def unusable_body(code: str, message: str) -> Fault:
    """HTTP 200 with a body that is no answer: cut, empty, HTML, too long, or of another shape."""
    return Fault(status="server_error", code=code, message=message, may_be_billed=True)


def connection(code: str, message: str, *, sent: bool) -> Fault:
    """The connection failed; `sent` says that the request may have been received."""
    return Fault(status="connection_failed", code=code, message=message, may_be_billed=sent)


def _code(value: JsonValue | None) -> str:
    text = str(value) if isinstance(value, str | int) else ""
    return text if _CODE.fullmatch(text) else ""
