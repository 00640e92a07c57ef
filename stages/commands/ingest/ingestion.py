"""The logs of one recorded model, read to their end before anything is written."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from stages.commands.ingest.files import AnswersFile, ModelFiles
from stages.commands.ingest.log_files import LogEntry, LogFile
from stages.commands.ingest.matching import BriefMatcher
from stages.commands.ingest.reading import LogAnswer, RecordReader
from stages.commands.ingest.redacting import Redactor
from stages.commands.ingest.unwrapping import Unreadable, follow
from stages.generate.apis.kind import object_of
from stages.generate.recorded_models import TRAFFIC_SUFFIX
from stages.shared.records.errors import InputError, Problem, collecting
from stages.shared.records.json_text import JsonObject, canonical
from stages.shared.shell import paths
from stages.shared.shell.numbers import count, counted
from stages.shared.shell.text import clip, visible

MAX_LISTED = 20
MAX_EXAMPLES = 3
_TRIED_RECORDS = 200
"""A log is no batch where none of so many records has an id."""
_COLUMNS = 60
_PROMPT_COLUMNS = 30
_TRACE_KEYS = ("trace_id", "traceId", "root_span_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """How logs are read: dotted paths by what they lead to, conditions on records by path, whether
    answers without a graph are accepted, and whether the logs replace the answers that are there.
    """

    paths: Mapping[str, str | None]
    conditions: Mapping[str, str]
    accept_prose: bool
    replace: bool


class Ingestion:
    """What logs become: lines of answers to briefs, and lines of traffic."""

    def __init__(
        self,
        logs: Sequence[LogFile],
        options: ReadingOptions,
        matcher: BriefMatcher,
        redactor: Redactor,
        model_id: str,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self.unreadable: list[str] = []
        """The first records that cannot be used, and why."""
        self.examples: list[str] = []
        self.reader = RecordReader(options.paths, matcher, redactor)
        self.answers = AnswersFile(paths.ANSWERS / f"{model_id}.jsonl", options.replace)
        self.traffic = AnswersFile(paths.ANSWERS / f"{model_id}{TRAFFIC_SUFFIX}", options.replace)
        self._model_id = model_id
        self._logs = logs
        self._options = options
        self._redactor = redactor
        self._models: Counter[str] = Counter()
        self._prompts: dict[str | None, str] = {}
        self._with_prompt: Counter[str | None] = Counter()
        self._prose: list[str] = []
        self._without_graph = 0
        self._requests: dict[str, JsonObject] = {}
        self._seen: set[bytes] = set()
        self._keys: list[str] = []

    def read(self) -> None:
        """Read all logs to their end."""
        self._requests = dict(self._find_requests())
        for entry in self._entries():
            try:
                state = self._keep(entry)
            except Unreadable as error:
                state = "unreadable"
                if len(self.unreadable) < MAX_LISTED:
                    self.unreadable.append(f"{entry.place}: {error}")
            self.counts[state] += 1

    def _find_requests(self) -> Iterator[tuple[str, JsonObject]]:
        """The requests of a batch by their ids, of which files may come in any order."""
        is_batch = False
        for number, entry in enumerate(self._entries()):
            name = _batch_id(entry.record or {})
            is_batch = is_batch or name is not None
            if number > _TRIED_RECORDS and not is_batch:
                return
            if name and (request := _request_in(entry.record or {})):
                yield name, request

    def _entries(self) -> Iterator[LogEntry]:
        return chain.from_iterable(map(LogFile.entries, self._logs))

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
        self._keys = self._keys or list(entry.record)
        if _request_in(entry.record):
            return "request of a batch"
        record = self._with_request(entry.record)
        if not self._is_chosen(record):
            return "left out by --where"
        answer = self.reader.read(record)
        trace = next((record[key] for key in _TRACE_KEYS if record.get(key)), record)
        identity = hashlib.sha256(canonical(trace) + answer.content).digest()
        if identity in self._seen:
            return "doubled"
        self._seen.add(identity)
        self._prompts.setdefault(answer.system, entry.place)
        self._with_prompt[answer.system] += 1
        self._models.update(filter(None, [answer.model]))
        self._note(entry.place, answer)
        file = self.traffic if answer.brief_id is None else self.answers
        if not file.add(answer):
            return "already there"
        return "traffic" if answer.brief_id is None else "matched"

    def _note(self, place: str, answer: LogAnswer) -> None:
        """Count answers without a graph, and keep the first examples."""
        self._without_graph += not answer.has_graph
        for listed in (self.examples,) if answer.has_graph else (self.examples, self._prose):
            if len(listed) < MAX_EXAMPLES:
                texts = clip(answer.asked, _COLUMNS), clip(answer.text, _COLUMNS)
                listed.append(f"{place}: {answer.brief_id or 'traffic'}: {' -> '.join(texts)}")

    def check(self) -> None:
        """Raise InputError, with all problems, where the logs or the files do not permit it."""
        problems = list(self._problems())
        with collecting(problems):
            problems += self._model_files().problems()
        if problems:
            raise InputError(problems)

    def write(self) -> Iterator[str]:
        """Write what is not there yet, and say which files were written."""
        for file in (self.answers, self.traffic):
            is_missing = file is self.answers and not file.path.exists()
            if is_missing or file.new or file.gone:
                file.write()
                yield file.path.as_posix()
        for path in self._model_files().write(next(iter(self._models), None)):
            yield path.as_posix()

    def _model_files(self) -> ModelFiles:
        system = next(iter(self._prompts), None)
        return ModelFiles(self._model_id, self.answers.path, system)

    def _each_prompt(self) -> Iterator[str]:
        """How many records have each system prompt, and where the first of them is."""
        for prompt, place in self._prompts.items():
            kind = "none" if prompt is None else f'"{clip(prompt, _PROMPT_COLUMNS)}"'
            yield f"{kind} ({count(self._with_prompt[prompt])}, first at {place})"

    def _problems(self) -> Iterator[Problem]:
        """Why the logs cannot be the answers of one model."""
        outputs = self.answers.found.total() + self.traffic.found.total()
        tried = [f"--{field} {_list(self.reader.tried(field))}" for field in ("input", "output")]
        known_paths = f"tried: {'; '.join(tried)}"
        if not outputs:
            forms = " and ".join(dict.fromkeys(log.form for log in self._logs))
            found = f"found {forms} with {_list(self._keys)}"
            reasons = ["has no answer that can be used", found, *self.unreadable, known_paths]
            yield Problem("the log", "", "; ".join(reasons))
        elif self._without_graph * 2 > outputs and not self._options.accept_prose:
            message = (
                f"{count(self._without_graph)} of {counted(outputs, 'output')} have no nodes "
                f"and edges, such as {'; '.join(self._prose)}; {known_paths}; --output "
                "names another path, and --accept-prose takes them as answers without a graph"
            )
            yield Problem("the log", "outputs", message)
        if len(self._prompts) > 1:
            message = (
                f"records with different ones: {_list(list(self._each_prompt()))}: make a log for "
                "each, and ingest it with an --as of its own, or "
                "`--system none` counts all as without one"
            )
            yield Problem("the log", "system prompts", message)
        if len(self._models) > 1:
            path = self.reader.tried("model")[0]
            names = [f"{name} ({count(times)})" for name, times in self._models.most_common()]
            message = (
                f"answers of several: {_list(names)}: --where '{path}=NAME' takes one, "
                "`--model none` counts them as one"
            )
            yield Problem("the log", "models", message)


def _list(names: Sequence[str]) -> str:
    return ", ".join(visible(name) for name in names[:MAX_LISTED]) or "nothing"


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
