"""Reads the records of a log by dotted paths, and makes each the line of an answer to a brief or of
traffic.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from graph_evaluator.generate.answers import extract
from graph_evaluator.generate.apis import count_of, object_of, text_of
from graph_evaluator.ingest.brief_finder import BriefFinder, plain_words
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
    systems_in,
)
from graph_evaluator.records.json_text import JsonObject, JsonValue
from graph_evaluator.records.model_config import IDENTIFIER

Fact = TypeVar("Fact")
_PROMPTS = {path.partition(".")[0] for path in (*PATHS["input"], *PATHS["system"])}
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class Unreadable(ValueError):
    """Why a record of a log cannot be used; `is_ours` if it is one of a brief of the project."""

    def __init__(self, message: str, *, is_ours: bool = False) -> None:
        super().__init__(message)
        self.is_ours = is_ours


@dataclass(frozen=True, slots=True)
class LogAnswer:
    """An answer in a log: the line of a recorded answer but for the brief, which is None where the
    input is none; the system prompt, and the text around the brief in the input.
    """

    brief: str | None
    input: str
    system: str
    around: str
    line: JsonObject
    has_graph: bool


@dataclass(frozen=True, slots=True)
class Chosen:
    """A text of a record at a path, and what fits in it: the ids of briefs, or a graph; `fault`
    says why it cannot be used.
    """

    path: str
    text: str
    fit: JsonValue
    fault: str = ""


class RecordReader:
    """Reads records by the paths that a person names, else by known ones; `used` counts them.

    All records are learned from before any is read: where some have a brief or a graph, the others
    have their input or output.
    """

    def __init__(self, named: Mapping[str, str], finder: BriefFinder, redactor: Redactor) -> None:
        self.used: Counter[tuple[str, str]] = Counter()
        self._paths = {**PATHS, **{field: [path] for field, path in named.items()}}
        self._named = named
        self._finder = finder
        self._redactor = redactor
        self._usual: dict[str, Counter[str]] = {"input": Counter(), "output": Counter()}

    def learn(self, record: JsonObject) -> None:
        """Note where a record has a brief, and a graph."""
        for field, paths in self._usual.items():
            known = self._texts(field, record, self._paths[field])
            paths.update(chosen.path for chosen in self._fitting(field, record, known)[:1])

    def read(self, record: JsonObject) -> LogAnswer:
        """The answer in a record.

        Raises:
            Unreadable: it has none, or an input or a prompt that cannot be used.
        """
        asked = self._choose("input", record)
        briefs = [str(brief) for brief in asked.fit] if isinstance(asked.fit, list) else []
        try:
            return self._read_answer(record, asked, briefs)
        except Unreadable as error:
            raise Unreadable(str(error), is_ours=bool(briefs)) from None

    def _read_answer(self, record: JsonObject, asked: Chosen, briefs: list[str]) -> LogAnswer:
        if asked.fault:
            raise Unreadable(asked.fault)
        if len(briefs) > 1:
            raise Unreadable(f"has {' and '.join(briefs)} in one input")
        if not briefs and asked.path == "brief" and IDENTIFIER.fullmatch(asked.text):
            raise Unreadable(f'names the brief "{asked.text}", which does not exist')
        answer = self._choose("output", record)
        system = self._system(record, asked)
        if _NO_TEXT.search(asked.text + system):
            raise Unreadable("has a NUL character or a lone surrogate")
        owners = record, opened(follow(record, answer.path))
        stop = self._fact("stop", owners, _read_stop)[1]
        if self._fact("refusal", owners, text_of)[1]:
            stop = "content_filter"
        line: JsonObject = {"text": answer.text, "cut_off": stop} | self._stated(owners)
        return LogAnswer(
            brief=next(iter(briefs), None),
            input=asked.text.strip(),
            system=system,
            around=self._around(record, asked, briefs),
            line={key: value for key, value in line.items() if value is not None},
            has_graph=bool(answer.fit),
        )

    def tried(self, field: str) -> str:
        """The paths at which something was read, else those that were tried."""
        used = [path for name, path in self.used if name == field]
        return f"--{field} {', '.join(used or self._paths[field])}"

    def _choose(self, field: str, record: JsonObject) -> Chosen:
        """The first text that fits, else the one where other records have theirs, else the first
        at a known path.

        Raises:
            Unreadable: there is none, or different ones fit at keys that are not known.
        """
        known = self._texts(field, record, self._paths[field])
        fitting = self._fitting(field, record, known)
        if any(chosen.fit != fitting[0].fit for chosen in fitting if chosen not in known):
            raise Unreadable(f"has several {field}s: --{field} chooses one", is_ours=True)
        usual_paths = [path for path, _ in self._usual[field].most_common()]
        usual = self._texts(field, record, usual_paths)
        if any(path.partition(".")[0] in record for path in usual_paths):
            known = []
        for chosen in (*fitting, *usual, *known):
            self.used[field, chosen.path] += 1
            return chosen
        raise Unreadable(f"has no {field}: --{field} leads to it")

    def _fitting(self, field: str, record: JsonObject, known: list[Chosen]) -> list[Chosen]:
        """The texts that fit: those at known paths, else those at other keys, where an output is
        only looked for if no known path leads to a text.
        """
        fitting = [chosen for chosen in known if chosen.fit]
        if fitting or field in self._named or (known and field == "output"):
            return fitting
        others = [key for key in record if key not in _PROMPTS and may_answer(key)]
        return [chosen for chosen in self._texts(field, record, others) if chosen.fit]

    def _texts(self, field: str, record: JsonObject, paths: Iterable[str]) -> list[Chosen]:
        """What the user said at each path, or what the assistant said last."""
        role = "user" if field == "input" else "assistant"
        found: list[Chosen] = []
        for path in paths:
            turns = said_by(role, follow(record, path), role)
            if not turns:
                continue
            if role == "assistant":
                text = self._redactor.text(turns[-1])
                found.append(Chosen(path, text, _graph_in(text)))
                continue
            text = self._redactor.text("\n\n".join(turns))
            fault = "has several turns: --input leads to one" if len(turns) > 1 else ""
            found.append(Chosen(path, text, [*self._finder.find(text)], fault))
        return sorted(found, key=lambda chosen: bool(chosen.fault))

    def _around(self, record: JsonObject, asked: Chosen, briefs: list[str]) -> str:
        """The longest text around the brief at any known path."""
        if self._named.get("system") == "none":
            return ""
        inputs = [asked, *self._texts("input", record, self._paths["input"])]
        texts = [chosen.text for chosen in inputs if chosen.fit == asked.fit and not chosen.fault]
        arounds = [self._finder.around(text, brief) for text in texts for brief in briefs]
        return max(arounds, key=len, default="")

    def _system(self, record: JsonObject, asked: Chosen) -> str:
        """The system prompt; a text that holds the input is none."""
        for path, texts in self._system_texts(record, asked.path):
            text = self._redactor.text("\n\n".join(texts)).strip()
            if text and plain_words(asked.text) not in plain_words(text):
                self.used["system", path] += 1
                return text.replace("\r\n", "\n").replace("\r", "\n")
        return ""

    def _system_texts(self, record: JsonObject, input_path: str) -> Iterator[tuple[str, list[str]]]:
        """What may be the system prompt, and where: at paths of its own, in the request, and
        anywhere in what holds the input, the nearest first.
        """
        for path in self._paths["system"]:
            yield path, said_by("system", follow(record, path), "system")
        if "system" in self._named:
            return
        for path in (input_path, *self._paths["input"]):
            yield path, said_by("system", follow(record, path), "user")
        path = input_path
        while path:
            path = path.rpartition(".")[0]
            yield path or ".", systems_in(follow(record, path))

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
    parsed, _ = extract(text)
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
