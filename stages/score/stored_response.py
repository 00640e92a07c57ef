"""A response as it lies in a file: read strictly where it decides anything, leniently where a value is left out.

Files may be made by hand or by another tool: whatever is optional may be missing or null, other keys are ignored, and the
names that some tools write for numbers that JSON cannot hold are read (a graph that has one is invalid).
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from stages.contracts.errors import InputError, Problem, nearest
from stages.contracts.graph import GraphReading, read_graph, read_graph_json
from stages.contracts.json_text import JsonValue, NotJson, parse
from stages.contracts.model_config import IDENTIFIER
from stages.contracts.response import STATUSES, Response

_REQUIRED = ("model_id", "brief_id", "status")
_SAMPLE = re.compile(r"response-([1-9][0-9]{0,8})\.json")


class _Stored(Response, frozen=True, kw_only=True):
    """A response whose graph is still JSON text, so that it can be read in one step."""

    parsed_graph: msgspec.Raw = msgspec.Raw(b"null")  # type: ignore[assignment]


_decoder = msgspec.json.Decoder(_Stored)


class StoredAnswer(NamedTuple):
    """A response, without its `parsed_graph`, and what was read of that; None where the status is not `success`."""

    response: Response
    reading: GraphReading | None


def sample_named(file_name: str) -> int:
    """The sample that a file's name stands for: 1, unless the name is response-N.json.

    >>> sample_named("response.json"), sample_named("response-12.json"), sample_named("response-by-hand.json")
    (1, 12, 1)
    """
    match = _SAMPLE.fullmatch(file_name)
    return int(match[1]) if match else 1


def read_response(raw: bytes, *, file: str) -> StoredAnswer:
    """The response in the bytes of its file.

    Args:
        raw: The whole file.
        file: Its path, for messages and, where the file does not say, for the number of the sample.

    Raises:
        InputError: no JSON object; `model_id`, `brief_id` or `status` is missing; or a value is of the wrong type.
    """
    response: Response
    try:
        raw.decode()  # the decoder does not look at the encoding of what it skips
        stored = _decoder.decode(raw)
        response, graph = stored, bytes(stored.parsed_graph)
        reading = read_graph_json(graph) if stored.status == "success" else None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        response = _exactly(raw, file)
        reading = read_graph(response.parsed_graph) if response.status == "success" else None
    problems = [
        Problem(file, key, f"must be letters, digits, . _ - and start with a letter or digit, found {value[:60]!r}")
        for key, value in (("model_id", response.model_id), ("brief_id", response.brief_id))
        if not IDENTIFIER.fullmatch(value)
    ]
    if response.sample < 1:
        problems.append(Problem(file, "sample", f"counts from 1, found {response.sample}"))
    if problems:
        raise InputError(problems)
    return StoredAnswer(response, reading)


def _exactly(raw: bytes, file: str) -> Response:
    try:
        value = parse(_text(raw), not_finite=True)
    except NotJson as error:
        raise InputError([Problem(file, "", f"is not JSON: {error}")]) from None
    except UnicodeDecodeError as error:
        raise InputError([Problem(file, "", _not_utf_8(error))]) from None
    if not isinstance(value, dict):
        raise InputError([Problem(file, "", "must hold a JSON object")])
    given = {key: entry for key, entry in value.items() if entry is not None}
    problems = [Problem(file, key, "is missing") for key in _REQUIRED if key not in given]
    problems += _about_status(given, file)
    if problems:
        raise InputError(problems)
    try:
        return msgspec.convert({"sample": sample_named(file.rpartition("/")[2]), **given}, Response)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$.")
        raise InputError([Problem(file, path.rstrip("`"), _lower(message))]) from None
    except UnicodeEncodeError as error:
        raise InputError([Problem(file, "", f"has a key with half a character in it: {error.object!a}")]) from None


def _text(raw: bytes) -> str:
    text = raw.decode("utf-8")
    if text.startswith("\ufeff"):
        raise NotJson("it begins with a byte order mark; save it as UTF-8 without one")
    return text


def _not_utf_8(error: UnicodeDecodeError) -> str:
    if error.object.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "is not UTF-8: it begins like UTF-16; save it as UTF-8"
    line = error.object.count(b"\n", 0, error.start) + 1
    return f"is not UTF-8: byte 0x{error.object[error.start]:02x} in line {line}, at byte {error.start} of the file; save it as UTF-8"


def _about_status(given: Mapping[str, JsonValue], file: str) -> list[Problem]:
    status = given.get("status")
    if not isinstance(status, str) or status in STATUSES:
        return []
    hint = nearest(status[:60], STATUSES)
    return [Problem(file, "status", f"unknown status {status[:60]!r}{hint}; allowed are {', '.join(STATUSES)}")]


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
