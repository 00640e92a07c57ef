"""What a log states of an answer besides its text: the model, tokens, cost, time, and why it
ended.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TypeVar

from graph_evaluator.generate.recorded import REFUSAL, read_time
from graph_evaluator.generate.replies import (
    LONGEST_REASON,
    count_of,
    ending_of,
    number_of,
    object_of,
    text_of,
)
from graph_evaluator.ingest.unwrapping import PATHS, TOKENS, UNITS, follow, opened
from graph_evaluator.records.json_text import JsonObject, JsonValue

Fact = TypeVar("Fact")
_ABOUT = {
    "cost": re.compile("cost|price|spend", re.IGNORECASE),
    "latency": re.compile("latency|duration|elapsed|response_time", re.IGNORECASE),
}
"""Names of keys that may have a cost or a latency."""
_PART = re.compile(
    "first|token|input|output|prompt|completion|queue|max|limit|_per_|judge|eval|_sl[ao]|network",
    re.IGNORECASE,
)
"""In the name of a key that has another cost or latency than that of the whole call."""
MAX_KEYS = 1_000
"""Of a record that are looked through."""
_LAST_WORD = re.compile("(?:(?<![A-Z])[A-Z]+|(?<![A-Za-z]))[a-z]*$")


def parse_measure(field: str, text: str) -> tuple[str, str, float | None]:
    """The path to a cost or latency in a text such as `latency_ms`, `cost:cents` or
    `latency:s@traceId+level`, the keys that the records must have, and what makes it US dollars or
    milliseconds; None where neither the text nor the name of the last key states a unit.
    """
    stated, _, key = text.partition("@")
    path, _, unit = stated.partition(":")
    unit = unit or _LAST_WORD.findall(path.rstrip(")"))[0].lower()
    return path, key, UNITS[field].get(unit)


class FactReader:
    """Reads what records state at dotted paths.

    `left` has the keys that may have a cost or a latency in a unit that is not known.
    """

    def __init__(self, paths: Mapping[str, Sequence[str]]) -> None:
        self.left: dict[str, dict[str, None]] = {"cost": {}, "latency": {}}
        self._paths = paths

    def read(self, record: JsonObject, body: JsonValue) -> JsonObject:
        """What a record, or the body of the answer in it, states, as a recorded line has it; what
        is not known is left out.
        """
        owners = record, body
        stop = self._first("stop", owners, _read_stop)
        if self._first("refusal", (body,), text_of):
            stop = REFUSAL
        latency_ms = self._measure("latency", owners)
        if not latency_ms and self._paths["latency"] is PATHS["latency"]:
            latency_ms = _duration_ms(record) or None
        stated: JsonObject = {
            "cut_off": stop,
            "model": self._first("model", owners, text_of),
            "latency_ms": latency_ms,
            "cost_usd": self._measure("cost", owners),
            "usage": self._first("usage", owners, _read_usage),
        }
        return {key: value for key, value in stated.items() if value is not None}

    def _first(
        self, field: str, owners: Sequence[JsonValue], read: Callable[[JsonValue], Fact | None]
    ) -> Fact | None:
        """The first fact that a path leads to."""
        for path in self._paths[field]:
            for owner in owners:
                fact = read(follow(owner, path))
                if fact is not None:
                    return fact
        return None

    def _measure(self, field: str, owners: Sequence[JsonValue]) -> float | None:
        """The first number that is in a known unit, else that of the one key whose name states a
        unit. 0, which logs have where nothing was measured, counts in `cost_usd` alone.
        """
        record = object_of(owners[0])
        for text in self._paths[field]:
            path, key, factor = parse_measure(field, text)
            for owner in owners if not key or {*key.split("+")} <= record.keys() else ():
                number = number_of(follow(owner, path))
                if number and factor is None:
                    self.left[field][path] = None
                elif factor and (number or (number == 0 and path == "cost_usd")):
                    return number * factor
        keys = filter(_ABOUT[field].search, islice(record, MAX_KEYS))
        numbers = {key: number for key in keys if (number := number_of(record[key]))}
        stated = [
            number * factor
            for key, number in numbers.items()
            if not _PART.search(key) and (factor := parse_measure(field, key)[2])
        ]
        if self._paths[field] is PATHS[field] and len(stated) == 1:
            return stated[0]
        self.left[field] |= dict.fromkeys(numbers)
        return None


def _read_stop(value: JsonValue) -> str | None:
    """The provider's word for why an answer is not finished, or an HTTP status that says so."""
    if (number := number_of(value)) is not None:
        return "error" if number >= 400 else None
    reason = (text_of(value) or "")[:LONGEST_REASON]
    return None if ending_of(reason) == "finished" else reason


def _duration_ms(record: JsonObject) -> float | None:
    """The milliseconds from the start to the end of a span (OTLP) or a run (LangSmith)."""
    for name, milliseconds in (("TimeUnixNano", _nanoseconds_ms), ("_time", _iso_ms)):
        with suppress(KeyError, ValueError, OverflowError):
            start, end = (str(record[f"{moment}{name}"]) for moment in ("start", "end"))
            return number_of(milliseconds(end) - milliseconds(start))
    return None


def _nanoseconds_ms(time: str) -> float:
    return int(time) / 1e6


def _iso_ms(time: str) -> float:
    return read_time(time).timestamp() * 1000


def _read_usage(value: JsonValue) -> JsonObject | None:
    """Token counts from the spelling of any API. Tokens that are in the total alone are output."""
    reported = object_of(opened(value))
    numbers = dict(reported)
    for key, entry in reported.items():
        if key.lower().endswith(("details", "tokens", "usage", "counts")):
            numbers |= object_of(entry)
    counts = {
        name: number
        for name, keys in TOKENS.items()
        for key in reversed(keys)  # the first one counts
        if (number := count_of(number_of(numbers.get(key)))) is not None
    }
    inputs, outputs = counts.get("input_tokens", 0), counts.get("output_tokens", 0)
    total = counts.pop("total_tokens", 0)
    if not inputs or not outputs + total:
        return None
    cached = counts.get("cached_tokens", 0) + counts.get("cache_write_tokens", 0)
    is_apart = {"input_tokens", "cache_read_input_tokens"} <= reported.keys()
    if is_apart or total == inputs + cached + outputs:
        inputs += cached
    return {**counts, "input_tokens": inputs, "output_tokens": max(outputs, total - inputs)}
