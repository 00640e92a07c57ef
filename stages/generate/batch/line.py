"""What one line of a batch's output or error file says about one request."""

import datetime

import msgspec

from stages.contracts.model_config import Api
from stages.generate.caller import Fault
from stages.generate.client.answer_shape import tokens_or_fault
from stages.generate.pace import failures

_LONG_AGO = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


class BatchLine(msgspec.Struct, frozen=True):
    """One readable line: whose it is, and the answer's body as it came, or why there is none."""

    custom_id: str
    body: str | None = None
    fault: Fault | None = None


class _Response(msgspec.Struct):
    status_code: int | None = None
    body: msgspec.Raw = msgspec.Raw(b"null")


class _Error(msgspec.Struct):
    code: str | None = None
    message: str | None = None


class _Line(msgspec.Struct):
    custom_id: str
    response: _Response | None = None
    error: _Error | None = None


_DECODER = msgspec.json.Decoder(_Line)


def read_line(line: bytes, *, api: Api, key_env: str | None = None) -> BatchLine | None:
    """What a line says; None for an empty line and for one that cannot be read or names no request.

    An answer is taken as an answer only when it is of the API's shape: a body that says "failed" is a fault.

    Args:
        line: Bytes of one line, with or without its end.
        api: The API that the batch was for.
        key_env: The variable that holds the key, for messages.
    """
    if not line.strip():
        return None
    try:
        found = _DECODER.decode(line)
        body = bytes(found.response.body).decode("utf-8") if found.response else "null"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    response = found.response
    if found.error is not None or response is None:
        return BatchLine(found.custom_id, fault=_of_error(found.error or _Error()))
    status = response.status_code if response.status_code is not None else 200
    if status >= 300:
        fault = failures.of_status(status, {}, body, now=_LONG_AGO, key_env=key_env)
        return BatchLine(found.custom_id, fault=fault)
    shape = tokens_or_fault(api, body)
    return (
        BatchLine(found.custom_id, fault=shape) if isinstance(shape, Fault) else BatchLine(found.custom_id, body=body)
    )


def _of_error(error: _Error) -> Fault:
    code = error.code or "batch_error"
    message = error.message or "the batch has no answer to this request and does not say why"
    if code == "batch_expired":
        return Fault(status="timeout_failed", code=code, message=message)
    if code in failures.QUOTA_CODES:
        return Fault(status="quota_exceeded", code=code, message=message, scope="key")
    return Fault(status="server_error", code=code, message=message)
