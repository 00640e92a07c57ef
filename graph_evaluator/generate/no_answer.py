"""Why a reply is not an answer, and what arrived in its place."""

import json
import re
from contextlib import suppress

from graph_evaluator.generate.apis import API_KINDS, object_of, read_usage
from graph_evaluator.records.json_text import JsonObject, JsonValue, NotJson
from graph_evaluator.records.response import Measured, Usage

LOOKED_AT = 2_000
"""Characters at the beginning of a body that its description is made of."""
LONGEST_EXCERPT = 80
_EVENT = re.compile(r"(?:data|event|id|retry)?:")
_TITLE = re.compile(r"<title[^<>]*>([^<>]*)", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_USAGE = re.compile(r'"usage"\s*+:\s*+(?={)')
LONGEST_USAGE = 5_000
_PLACE = re.compile(r"Extra data: .*\(char ([0-9]+)\)")


class NoAnswer(Exception):
    """A body that is not an answer, or says that it failed: `error` is the provider's error object,
    `measured` what the body reports all the same.
    """

    def __init__(
        self,
        code: str,
        message: str,
        error: JsonValue = None,
        measured: Measured | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.error = error
        self.measured = measured


def not_json(received: str, fault: NotJson) -> NoAnswer:
    """A body that is not JSON.

    >>> not_json("data: {}", NotJson("Expecting value")).message
    'an event stream instead of an answer'
    >>> not_json("<html><title>Sign in</title>", NotJson("Expecting value")).message
    'an HTML page instead of an answer: "Sign in"'
    """
    start = received.lstrip()[:LOOKED_AT]
    trailing = _PLACE.match(str(fault))
    if not start:
        return NoAnswer("empty_body", "an empty body")
    if _EVENT.match(start):
        return NoAnswer("event_stream", "an event stream instead of an answer")
    if start.startswith("<"):
        title = _TITLE.search(start)
        page = title[1] if title else _TAG.sub(" ", start)
        return NoAnswer("html", f"an HTML page instead of an answer: {_excerpt(page)}")
    if trailing:
        rest = _excerpt(received[int(trailing[1]) :])
        return NoAnswer("not_json", f"JSON with other text after it: {rest}")
    if start[0] in "{[":
        return NoAnswer("not_json", f"JSON that cannot be read ({fault})")
    return NoAnswer("not_json", f"a text instead of an answer: {_excerpt(start)}")


def wrong_shape(record: JsonObject, measured: Measured) -> NoAnswer:
    """JSON that is not an answer of any known API."""
    what = f"JSON with the keys {_excerpt(', '.join(record))}" if record else "no JSON object"
    if "choices" in record and not record["choices"]:
        what = "no choices"
    message = f"{what} instead of an answer of these APIs: {', '.join(API_KINDS)}"
    return NoAnswer("wrong_shape", message, measured=measured)


def error_fields(body: JsonValue) -> JsonObject:
    """The fields of a provider's error in any of the usual shapes; it may be the first of a list.

    >>> error_fields([{"error": {"code": 429}}]), error_fields({"code": 7, "error": "no credit"})
    ({'code': 429}, {'code': 7, 'error': 'no credit', 'message': 'no credit'})
    """
    record = _first(body)
    if not isinstance(record, dict):
        return {"message": record}
    error = _first(record.get("error") or record.get("errors"))
    if isinstance(error, dict):
        return error_fields(error)
    return record | {"message": error} if error else record


def _first(value: JsonValue) -> JsonValue:
    return value[0] if isinstance(value, list) and value else value


def stated_usage(received: str) -> Usage:
    """The last usage that is in a body which cannot be read as a whole, such as an event stream.

    >>> stated_usage('data: {"usage": {"prompt_tokens": 3, "total_tokens": 9}} [DO').output_tokens
    6
    """
    ends = [match.end() for match in _USAGE.finditer(received)]
    with suppress(ValueError, RecursionError):
        text = received[ends[-1] : ends[-1] + LONGEST_USAGE] if ends else ""
        return read_usage(object_of(json.JSONDecoder().raw_decode(text)[0]))
    return Usage()


def _excerpt(text: str) -> str:
    """The beginning of a text as one line, in quotes."""
    line = " ".join(text[:LOOKED_AT].split())
    shown = line if len(line) <= LONGEST_EXCERPT else f"{line[:LONGEST_EXCERPT]}…"
    return f'"{shown}"'
