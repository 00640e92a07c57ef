"""Adapter: the logs of one recorded model, read to their end before anything is written."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import BinaryIO

from stages.commands.ingest.log_files import LogEntry, LogFile
from stages.commands.ingest.mapping import PathMapping, choose_paths
from stages.commands.ingest.matching import BriefMatcher, match, redacted
from stages.commands.ingest.redacting import Redactor
from stages.commands.ingest.unwrapping import Unreadable, follow, has_graph
from stages.generate.apis.kind import object_of
from stages.shared.records.errors import Problem
from stages.shared.records.json_text import JsonObject, canonical
from stages.shared.shell.numbers import count, counted
from stages.shared.shell.text import clip, visible

MAX_LISTED = 20
MAX_EXAMPLES = 3
_TRIED_RECORDS = 200
"""From how many records the paths are chosen."""
_COLUMNS = 60
_TRACE_KEYS = ("trace_id", "traceId", "root_span_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """How logs are read: dotted paths by what they lead to, conditions on records by path, and
    whether answers without a graph are accepted.
    """

    paths: Mapping[str, str | None]
    conditions: Mapping[str, str]
    accept_prose: bool
    replace: bool


@dataclass(slots=True)
class AnswersOfFile:
    """The answers of one file: how often it has each already, how often the logs have it, and the
    lines to write.
    """

    present: Counter[bytes] = field(default_factory=Counter)
    found: Counter[bytes] = field(default_factory=Counter)
    lines: BinaryIO = field(default_factory=TemporaryFile)
    new: int = 0

    @property
    def gone(self) -> int:
        """How many answers of the file the logs do not have."""
        return (self.present - self.found).total()


class Ingestion:
    """What logs become: lines of answers to briefs, and lines of traffic."""

    def __init__(
        self,
        logs: Sequence[LogFile],
        options: ReadingOptions,
        matcher: BriefMatcher,
        redactor: Redactor,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self.unreadable: list[str] = []
        """The first records that cannot be used, and why."""
        self.examples: list[str] = []
        self.models: Counter[str] = Counter()
        self.answers = AnswersOfFile()
        self.traffic = AnswersOfFile()
        self._logs = logs
        self._options = options
        self._matcher = matcher
        self._redactor = redactor
        self._prompts: dict[str | None, str] = {}
        self._prose: list[str] = []
        self._without_graph = 0
        self._requests: dict[str, JsonObject] = {}
        self._seen: set[bytes] = set()
        self._keys: list[str] = []
        self.mapping = PathMapping({})

    @property
    def prompt(self) -> str | None:
        """The system prompt of all answers; None where they have none."""
        return next(iter(self._prompts), None)

    @property
    def model(self) -> str | None:
        """The model of all answers; None where the logs name none."""
        return next(iter(self.models), None)

    @property
    def outputs(self) -> int:
        """How many answers were read, those that are in the files already among them."""
        return self.answers.found.total() + self.traffic.found.total()

    def read(self) -> None:
        """Read all logs to their end."""
        tried = self._first_records()
        self._keys = list(dict.fromkeys(key for record in tried for key in record))[:MAX_LISTED]

        def is_known(text: str) -> bool:
            return self._matcher.find(self._redactor.text(text).strip()) is not None

        self.mapping = choose_paths(tried, self._options.paths, is_known)
        self._redactor.replaced = 0
        for entry in self._entries():
            try:
                state = self._keep(entry)
            except Unreadable as error:
                state = "unreadable"
                if len(self.unreadable) < MAX_LISTED:
                    self.unreadable.append(f"{entry.place}: {error}")
            self.counts[state] += 1

    def _entries(self) -> Iterator[LogEntry]:
        for log in self._logs:
            yield from log.entries()

    def _first_records(self) -> list[JsonObject]:
        """The records that paths are chosen from; of a batch all requests are read, because its
        files may come in any order.
        """
        first: list[JsonObject] = []
        for entry in self._entries():
            record = entry.record or {}
            if request := _request_in(record):
                self._requests[str(record.get("custom_id", record.get("key")))] = request
            elif record and len(first) < _TRIED_RECORDS:
                first.append(record)
            if len(first) == _TRIED_RECORDS and not any(map(_batch_id, first)):
                break
        records = map(self._with_request, first)
        return [record for record in records if self._is_chosen(record)]

    def _with_request(self, record: JsonObject) -> JsonObject:
        request = self._requests.get(_batch_id(record) or "")
        return {"request": request, **record} if request else record

    def _is_chosen(self, record: JsonObject) -> bool:
        conditions = self._options.conditions.items()
        return all(str(follow(record, path)) == value for path, value in conditions)

    def _keep(self, entry: LogEntry) -> str:
        """What a record becomes."""
        if entry.record is None:
            raise Unreadable(entry.fault)
        if _request_in(entry.record):
            return "request of a batch"
        digest = hashlib.sha256(canonical(entry.record)).digest()
        if digest in self._seen:
            return "doubled"
        record = self._with_request(entry.record)
        if not self._is_chosen(record):
            return "left out by --where"
        exchange = redacted(self.mapping.read(record), self._redactor)
        if exchange.input is None and _batch_id(record):
            raise Unreadable("answers no request: name the input file of the batch too")
        matched = match(exchange, self._matcher)
        trace = next((record[key] for key in _TRACE_KEYS if record.get(key)), None)
        in_trace = hashlib.sha256(f"{trace}".encode() + matched.content).digest()
        if trace and in_trace in self._seen:
            return "doubled"
        self._seen |= {digest, in_trace} if trace else {digest}
        self._prompts.setdefault(exchange.system, entry.place)
        self.models.update(filter(None, [str(exchange.stated.get("model") or "")]))
        examples = [self.examples]
        if not has_graph(exchange.answer):
            self._without_graph += 1
            examples.append(self._prose)
        for listed in examples:
            if len(listed) < MAX_EXAMPLES:
                texts = (clip(text, _COLUMNS) for text in (exchange.input or "", matched.text))
                subject = matched.brief_id or "traffic"
                listed.append(f"{entry.place}: {subject}: {' -> '.join(texts)}")
        file = self.traffic if matched.brief_id is None else self.answers
        file.found[matched.content] += 1
        is_new = file.found[matched.content] > file.present[matched.content]
        if is_new or self._options.replace:
            file.lines.write(matched.line)
        file.new += is_new
        if not is_new:
            return "already there"
        return "traffic" if matched.brief_id is None else "matched"

    def problems(self) -> Iterator[Problem]:
        """Why the logs cannot be the answers of one model."""
        if not self.outputs:
            yield Problem("the log", "", self._describe_nothing())
        elif self._without_graph * 2 > self.outputs and not self._options.accept_prose:
            message = (
                f"{count(self._without_graph)} of {counted(self.outputs, 'output')} have no nodes "
                f"and edges, such as {'; '.join(self._prose)}; {self._describe_paths()}; --output "
                "names another path, and --accept-prose takes them as answers without a graph"
            )
            yield Problem("the log", "outputs", message)
        places = list(self._prompts.values())
        if len(places) > 1:
            first_places = ", ".join(places[:MAX_LISTED])
            message = (
                f"{len(places)} different ones, or none in some records, first at {first_places}"
            )
            advice = "make a log for each, and ingest it with an --as of its own"
            yield Problem("the log", "system prompts", f"{message}: {advice}")
        if len(self.models) > 1:
            path = next((path for name, path in self.mapping.used if name == "model"), "model")
            names = [f"{visible(name)} ({count(n)})" for name, n in self.models.most_common()]
            advice = f"--where '{path}=NAME' takes one, `--model none` counts them as one"
            listed = ", ".join(names[:MAX_LISTED])
            yield Problem("the log", "models", f"answers of several: {listed}: {advice}")

    def _describe_nothing(self) -> str:
        forms = " and ".join(dict.fromkeys(log.form for log in self._logs))
        keys = visible(", ".join(self._keys)) or "no JSON object"
        found = f"has no answer that can be used; found {forms} with {keys}"
        return "; ".join([found, *self.unreadable, self._describe_paths()])

    def _describe_paths(self) -> str:
        tried = (f"--{name} {_paths(self.mapping.paths[name])}" for name in ("input", "output"))
        return f"tried: {'; '.join(tried)}"


def _paths(paths: Sequence[str]) -> str:
    return ", ".join(visible(path) for path in paths[:MAX_LISTED]) or "nothing"


def _batch_id(record: JsonObject) -> str | None:
    """What an answer of a batch is named by; None for any other record."""
    name = record.get("custom_id", record.get("key"))
    return name if isinstance(name, str) and "brief" not in record else None


def _request_in(record: JsonObject) -> JsonObject:
    """The request of a batch; an empty object where the record is none."""
    if _batch_id(record) is None or "response" in record or "result" in record:
        return {}
    bodies = [object_of(record.get(key)) for key in ("body", "params", "request")]
    return next(filter(None, bodies), {})
