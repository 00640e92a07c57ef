"""Reads the records of a log by dotted paths, and makes each the line of an answer to a brief or of
traffic.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from graph_evaluator.generate.answers import extract, ordinary_form
from graph_evaluator.generate.apis import count_of, object_of, text_of
from graph_evaluator.ingest.redacting import Redactor
from graph_evaluator.ingest.unwrapping import (
    PATHS,
    STOPS,
    TOKENS,
    follow,
    is_graph,
    may_answer,
    opened,
    said_by,
)
from graph_evaluator.records.json_text import JsonObject, JsonValue
from graph_evaluator.records.model_config import IDENTIFIER

Fact = TypeVar("Fact")
_PROMPTS = {path.partition(".")[0] for path in (*PATHS["input"], *PATHS["system"])}
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class Unreadable(ValueError):
    """Why a record of a log cannot be used."""


@dataclass(frozen=True, slots=True)
class LogAnswer:
    """The line of an answer to a brief or of traffic, without what must not be written, and what is
    known besides; `system` is empty where there is none.
    """

    line: JsonObject
    has_graph: bool
    model: str | None
    system: str


def brief_finder(
    bodies: Mapping[str, str], brief_id: str | None, template: str
) -> Callable[[str], str | None]:
    """Finds the brief of an input: one named for all, one whose id it is, or one whose text it has,
    alone or within a template; white space makes no difference.
    """
    ids = {_words(body): name for name, body in bodies.items()} | {name: name for name in bodies}
    before, after = map(_words, template.split("{brief}"))

    def find(text: str) -> str | None:
        words = _words(text)
        within = words.removeprefix(before).removesuffix(after).strip()
        return brief_id or ids.get(words) or ids.get(within)

    return find


def _words(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Chosen:
    """A text of a record at a path, and what fits in it: a brief or a graph."""

    path: str
    text: str
    fit: JsonValue


class RecordReader:
    """Reads records by the paths that a person names, else by known ones; `used` counts them."""

    def __init__(
        self,
        named: Mapping[str, str],
        find_brief: Callable[[str], str | None],
        redactor: Redactor,
    ) -> None:
        self.used: Counter[tuple[str, str]] = Counter()
        self._paths = {**PATHS, **{field: [path] for field, path in named.items()}}
        self._named = named
        self._find_brief = find_brief
        self._redactor = redactor

    def read(self, record: JsonObject) -> LogAnswer:
        """The answer in a record.

        Raises:
            Unreadable: it has none, or an input or a prompt that cannot be used.
        """
        asked = self._choose("input", record)
        answer = self._choose("output", record)
        system = self._system(record)
        if _NO_TEXT.search(asked.text + system):
            raise Unreadable("has a NUL character or half a surrogate pair")
        owners = record, opened(follow(record, answer.path))
        stop = self._fact("stop", owners, _read_stop)[1]
        if self._fact("refusal", owners, text_of)[1]:
            stop = "content_filter"
        line: JsonObject = {"input": asked.text.strip()}
        if asked.fit:
            line = {"brief": asked.fit, "text": answer.text, "cut_off": stop}
        elif asked.path == "brief" and IDENTIFIER.fullmatch(asked.text):
            raise Unreadable(f'names the brief "{asked.text}", which does not exist')
        elif stop:
            line["status"] = "truncated" if stop == "max_output_tokens" else "refused"
        else:
            line["status"] = "success" if answer.fit else "parse_failed"
            line["graph"] = ordinary_form(answer.fit)
        line |= self._stated(owners)
        stated: JsonObject = {key: value for key, value in line.items() if value is not None}
        return LogAnswer(stated, bool(answer.fit), text_of(line["model"]), system)

    def tried(self, field: str) -> str:
        """The paths at which something was read, else those that were tried."""
        used = [path for name, path in self.used if name == field]
        return f"--{field} {', '.join(used or self._paths[field])}"

    def _choose(self, field: str, record: JsonObject) -> Chosen:
        """The text at the first known path where it fits, or else at the first; where known paths
        lead to nothing, at another key where it fits.

        Raises:
            Unreadable: there is none, or different ones fit.
        """
        known = self._texts(field, record, self._paths[field])
        fitting = [chosen for chosen in known if chosen.fit is not None]
        if not known and field not in self._named:
            others = [key for key in record if key not in _PROMPTS and may_answer(key)]
            found = self._texts(field, record, others)
            fitting = [chosen for chosen in found if chosen.fit is not None]
            if any(chosen.fit != fitting[0].fit for chosen in fitting):
                raise Unreadable(f"has several {field}s: --{field} chooses one")
        for chosen in (*fitting, *known):
            self.used[field, chosen.path] += 1
            return chosen
        raise Unreadable(f"has no {field}: --{field} leads to it")

    def _texts(self, field: str, record: JsonObject, paths: Iterable[str]) -> list[Chosen]:
        """What the assistant said last at each path, or the user in the only turn."""
        role = "user" if field == "input" else "assistant"
        found: list[Chosen] = []
        for path in paths:
            texts = said_by(role, follow(record, path), role)
            if texts and (role == "assistant" or len(texts) == 1):
                text = self._redactor.text(texts[-1])
                fit = self._find_brief(text) if role == "user" else _graph_in(text)
                found.append(Chosen(path, text, fit))
        return found

    def _system(self, record: JsonObject) -> str:
        """The system prompt: at a path of its own, or of the request."""
        requests = () if "system" in self._named else self._paths["input"]
        for path in (*self._paths["system"], *requests):
            texts = said_by(
                "system", follow(record, path), "user" if path in requests else "system"
            )
            if any(texts):
                self.used["system", path] += 1
                text = self._redactor.text("\n\n".join(texts)).strip()
                return text.replace("\r\n", "\n").replace("\r", "\n")
        return ""

    def _stated(self, owners: Sequence[JsonValue]) -> JsonObject:
        """What is known of an answer besides; 0, which logs have where nothing was measured, is
        left out.
        """
        model = self._fact("model", owners, text_of)[1]
        path, latency = self._fact("latency", owners, _read_number)
        if latency and not path.casefold().endswith("ms"):
            latency *= 1000
        if latency is None:
            latency = self._fact("duration", owners, _read_duration_ms)[1]
        return {
            "model": model and self._redactor.text(model),
            "latency_ms": latency,
            "cost_usd": self._fact("cost", owners, _read_number)[1],
            "usage": self._fact("usage", owners, _read_usage)[1],
        }

    def _fact(
        self, field: str, owners: Sequence[JsonValue], read: Callable[[JsonValue], Fact | None]
    ) -> tuple[str, Fact | None]:
        """The first known path that leads to a fact, in the record or the body of the answer, and
        the fact.
        """
        for path in self._paths[field]:
            for owner in owners:
                value = follow(owner, path)
                fact = read(value) if value or path == "cost_usd" else None
                if fact is not None:
                    self.used[field, path] += 1
                    return path, fact
        return "", None


def _graph_in(text: str) -> JsonValue:
    parsed = extract(text).parsed
    return parsed if is_graph(parsed) else None


def _read_stop(reason: JsonValue) -> str | None:
    return STOPS.get(str(reason).casefold())


def _read_number(value: JsonValue) -> float | None:
    """A finite number from 0, which a table has as a text."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None


def _read_duration_ms(run: JsonValue) -> float | None:
    """The milliseconds from the start to the end of a span (OTLP) or a run (LangSmith)."""
    times = {name: str(time) for name, time in object_of(run).items() if "time" in name.lower()}
    with suppress(KeyError, TypeError, ValueError):
        if "endTimeUnixNano" in times:
            nanoseconds = int(times["endTimeUnixNano"]) - int(times["startTimeUnixNano"])
            return _read_number(nanoseconds / 1e6)
        start, end = (datetime.fromisoformat(times[name]) for name in ("start_time", "end_time"))
        return _read_number((end - start).total_seconds() * 1000)
    return None


def _read_usage(value: JsonValue) -> JsonObject | None:
    """Token counts from the spelling of any API."""
    reported = object_of(opened(value))
    numbers = dict(reported)
    for entry in reported.values():
        numbers |= object_of(entry)
    counts: dict[str, int] = {}
    for name, keys in TOKENS.items():
        for key in keys:
            number = count_of(_read_number(numbers.get(key)))
            if number is not None:
                counts.setdefault(name, number)
    if not counts.get("input_tokens") and not counts.get("output_tokens"):
        return None
    if "input_tokens" in reported and "cache_read_input_tokens" in reported:  # without these
        counts["input_tokens"] += counts.get("cached_tokens", 0)
        counts["input_tokens"] += counts.get("cache_write_tokens", 0)
    if "candidatesTokenCount" in reported:  # without the thoughts
        counts["output_tokens"] += counts.get("reasoning_tokens", 0)
    return {**counts}
