"""Where the records of a log have their input, answer and measures: by the paths that a person
names, else by those known paths that fit the first records best.
"""

import datetime
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from stages.commands.ingest.unwrapping import (
    KEYS,
    NAMES,
    PRESETS,
    Unreadable,
    find_answer,
    find_conversation,
    find_fact,
    follow,
    has_graph,
    is_not_an_answer,
    opened,
)
from stages.generate.answers.recorded import time_of_body, utc_text
from stages.generate.apis.kind import count_of, object_of, text_of
from stages.shared.records.errors import input_error
from stages.shared.records.json_text import JsonObject, JsonValue
from stages.shared.shell.text import visible

_COUNTS = (
    *("input_tokens", "output_tokens"),
    *("cached_tokens", "cache_write_tokens", "reasoning_tokens"),
)
Found = TypeVar("Found")
Tests: TypeAlias = dict[str, Callable[[JsonValue], bool | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One input and its answer, a text or a graph.

    `input` and `system` are None where the record has none. `stop` says why the answer was cut off
    and `refusal` what the model said in its place. `stated` has what a line of recorded answers may
    state besides.
    """

    input: str | None
    input_path: str
    system: str | None
    answer: JsonValue
    stop: str | None
    refusal: str | None
    stated: JsonObject


class PathMapping:
    """Reads records by paths; `used` counts by which."""

    def __init__(self, paths: Mapping[str, Sequence[str]]) -> None:
        self.used: Counter[tuple[str, str]] = Counter()
        self.paths = paths

    def read(self, record: JsonObject) -> Exchange:
        """What a record says.

        Raises:
            Unreadable: it has no answer, or its input has several turns.
        """
        found = self._first("output", record, find_answer)
        if found is None:
            raise Unreadable("has no output")
        path = found[0]
        value = follow(record, path)
        conversation = self._first("input", record, lambda value: find_conversation(value).user)
        system: str | None = None
        for system_path in self.paths["system"]:
            system = system or _system_at(record, system_path)
        response = follow(record, "attributes.gen_ai.response")
        around = follow(record, path.rpartition(".")[0]) if "." in path else None
        stop = _stop_of(value) or _stop_of(response) or _stop_of(around)
        return Exchange(
            input=conversation[1] if conversation else None,
            input_path=conversation[0] if conversation else "",
            system=system,
            answer=find_answer(value),
            stop=stop,
            refusal=text_of(find_fact(value, ["refusal"])),
            stated=self._read_stated(record, value),
        )

    def _first(
        self, field: str, record: JsonObject, read: Callable[[JsonValue], Found | None]
    ) -> tuple[str, Found] | None:
        """The first path of a field at which something is read, and what."""
        for path in self.paths[field]:
            value = follow(record, path)
            if value is not None and (found := read(value)) is not None:
                self.used[field, path] += 1
                return path, found
        return None

    def _read_stated(self, record: JsonObject, value: JsonValue) -> JsonObject:
        is_cached = record.get("cache_hit") or object_of(record.get("response")).get("cached")
        model = self._first("model", record, text_of)
        stated: JsonObject = {
            "model": model[1] if model else text_of(find_fact(value, ["model", "modelVersion"])),
            "created_at": _time_of(record) or _time_of(object_of(opened(value))),
        }
        if not is_cached:  # else they are those of the cache
            latency = self._first("latency", record, read_number)
            cost = self._first("cost", record, read_number)
            stated["latency_ms"] = _milliseconds(*latency) if latency else _period_ms(record)
            stated["cost_usd"] = cost[1] if cost and (cost[1] or cost[0] == "cost_usd") else None
            usage = self._first("usage", record, _usage)
            reported = find_fact(value, KEYS["usage"])
            stated["usage"] = usage[1] if usage else _usage(reported)
        return {key: entry for key, entry in stated.items() if entry is not None}


def choose_paths(
    records: Sequence[JsonObject],
    named: Mapping[str, str | None],
    is_known: Callable[[str], bool],
) -> PathMapping:
    """The mapping by named paths, and by those that fit these records best for each other field.

    An input fits where `is_known` says that it is a brief's; an output where it has a graph. Keys
    that no preset has are tried too, those of outputs where no preset has any, and count only where
    they fit.
    """
    keys = dict.fromkeys(key for record in records for key in record if not is_not_an_answer(key))

    def is_brief(value: JsonValue) -> bool | None:
        user = find_conversation(value).user
        return None if user is None else is_known(user)

    def has_answer(value: JsonValue) -> bool | None:
        answer = find_answer(value)
        return None if answer is None else has_graph(answer)

    paths: dict[str, Sequence[str]] = {}
    for field, presets in PRESETS.items():
        tests: Tests = dict.fromkeys(presets, _is_there)
        if field == "input":
            tests = dict.fromkeys((*presets, *keys), is_brief)
        elif field == "output":
            tests = dict.fromkeys(presets, has_answer)
            if not any(_share_that_fits(records, *test) is not None for test in tests.items()):
                known = {*PRESETS["input"], *PRESETS["system"]}  # a prompt may have an example
                tests = dict.fromkeys((*(key for key in keys if key not in known), "."), has_answer)
        elif field == "system":
            tests = tests | dict.fromkeys(PRESETS["input"], _has_system)
        if name := named.get(field):
            paths[field] = (name,)
            continue
        fits = {path: _share_that_fits(records, path, test) for path, test in tests.items()}
        shares = {path: share for path, share in fits.items() if share is not None}
        chosen = [path for path, share in shares.items() if share or path in presets]
        is_input = field == "input"
        paths[field] = sorted(
            chosen, key=lambda path: -shares[path] if is_input else shares[path] < 0.5
        )
        if field == "output":
            _check_one_output(chosen, shares)
    return PathMapping(paths)


def _is_there(value: JsonValue) -> bool:
    return True


def _has_system(value: JsonValue) -> bool | None:
    return bool(find_conversation(value).system) or None


def _check_one_output(paths: Sequence[str], fits: Mapping[str, float]) -> None:
    """InputError where keys that no preset has are the only outputs, and there are several."""
    graphs = [path for path in paths if fits[path] >= 0.5 and path != "."]
    if len(graphs) > 1 and graphs[0] not in PRESETS["output"]:
        names = ", ".join(f'"{visible(path)}"' for path in graphs)
        raise input_error("the log", "outputs", f"choose one with --output: {names}")


def _share_that_fits(
    records: Sequence[JsonObject], path: str, fits: Callable[[JsonValue], bool | None]
) -> float | None:
    """The share of the values at a path that fit; None where there are none."""
    results: list[bool] = []
    for record in records:
        value = follow(record, path)
        try:
            result = None if value is None else fits(value)
        except Unreadable:
            result = False
        if result is not None:
            results.append(result)
    return sum(results) / len(results) if results else None


def _system_at(record: JsonObject, path: str) -> str | None:
    """The system prompt at a path: all of a text or its parts, or what a request has of it."""
    try:
        found = find_conversation(follow(record, path))
    except Unreadable:
        return None
    is_request = path in PRESETS["input"] or path == "prompt.raw"
    return found.system if is_request else found.system or found.user


def _stop_of(value: JsonValue) -> str | None:
    """Why an answer was cut off; None where it was not, as far as is known."""
    reason = find_fact(value, KEYS["stop"])
    if isinstance(reason, list) and reason:
        reason = reason[0]
    if isinstance(reason, dict):
        reason = reason.get("reason")
    return NAMES.get(str(reason).casefold().rpartition(".")[2])


def read_number(value: JsonValue) -> float | None:
    """A finite number from 0, which a table has as a text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _milliseconds(path: str, number: float) -> float | None:
    """A time in milliseconds where its name ends so, else in seconds; 0 is not measured."""
    return (number if path.casefold().endswith("ms") else 1000 * number) or None


def _period_ms(record: JsonObject) -> float | None:
    start, end = (
        next(filter(None, [_seconds(key, record.get(key)) for key in KEYS[name]]), None)
        for name in ("start", "end")
    )
    return 1000 * (end - start) if start and end and start < end else None


def _seconds(key: str, value: JsonValue) -> float | None:
    number = read_number(value)
    if number and key.endswith("Nano"):
        return number / 1e9
    if number is None and isinstance(value, str):
        try:
            time = datetime.datetime.fromisoformat(value)
        except ValueError:
            return None
        return time.replace(tzinfo=time.tzinfo or datetime.UTC).timestamp()
    return number


def _time_of(record: JsonObject) -> str | None:
    for key in KEYS["time"]:
        value = record.get(key)
        try:
            time = utc_text(value) if isinstance(value, str) else None
        except ValueError:
            time = None
        if time := time or time_of_body({"created": value}):
            return time
    return None


def _usage(value: JsonValue) -> JsonObject | None:
    """Token counts in the spelling of the Responses API, from that of any other."""
    reported = object_of(opened(value))
    counts = [count_of(read_number(find_fact(reported, KEYS[name]))) for name in _COUNTS]
    input_tokens, output_tokens, cached, written, reasoning = counts
    if not input_tokens and not output_tokens:
        return None
    if input_tokens and {"cache_read_input_tokens", "input_tokens"} <= reported.keys():
        input_tokens += (cached or 0) + (written or 0)  # Anthropic counts what was in no cache
    if output_tokens is not None and "candidatesTokenCount" in reported:
        output_tokens += reasoning or 0  # Gemini counts thoughts apart
    return {
        "input_tokens": input_tokens,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written},
        "output_tokens": output_tokens,
        "output_tokens_details": {"reasoning_tokens": reasoning},
    }
