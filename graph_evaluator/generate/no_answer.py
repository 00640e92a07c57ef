"""Why a reply is not an answer, and what arrived in its place."""

import re

from graph_evaluator.generate.apis import API_KINDS
from graph_evaluator.records.json_text import JsonObject, JsonValue, NotJson
from graph_evaluator.records.response import Measured

LOOKED_AT = 2_000
"""Characters at the beginning of a body that its description is made of."""
LONGEST_EXCERPT = 80
_EVENT = re.compile(r"(?:data|event|id|retry)?:")
_TITLE = re.compile(r"<title[^<>]*>([^<>]*)", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
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
    start = received[:LOOKED_AT].lstrip()
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
    if record.get("choices") == []:
        what = "no choices"
    message = f"{what} instead of an answer of these APIs: {', '.join(API_KINDS)}"
    return NoAnswer("wrong_shape", message, measured=measured)


def _excerpt(text: str) -> str:
    """The beginning of a text as one line, in quotes."""
    line = " ".join(text[:LOOKED_AT].split())
    shown = line if len(line) <= LONGEST_EXCERPT else f"{line[:LONGEST_EXCERPT]}…"
    return f'"{shown}"'
