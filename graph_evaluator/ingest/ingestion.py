"""Adapter: what logs become, read to their end before anything is written: recorded models, and
briefs where that is asked for.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from graph_evaluator.generate.apis import object_of
from graph_evaluator.ingest.answer_files import RecordedAnswers, identity_of
from graph_evaluator.ingest.log_files import LogEntry, form_of, read_log
from graph_evaluator.ingest.reading import LogAnswer, RecordReader, Unreadable
from graph_evaluator.records.brief import made_id
from graph_evaluator.records.errors import InputError, Problem, collecting
from graph_evaluator.records.json_text import JsonObject, line
from graph_evaluator.shell import paths
from graph_evaluator.shell.files import write_atomic
from graph_evaluator.shell.numbers import count, counted, first_of, share
from graph_evaluator.shell.text import clip

MAX_LISTED = 20
MAX_EXAMPLES = 3
MAX_UNREADABLE_SHARE = 0.05
"""Of the records of briefs, if there are two or more."""
_COLUMNS = 100
_TRACE_KEYS = ("trace_id", "traceId", "root_span_id")
_NAME_KEYS = ("custom_id", "key", "recordId")
_REQUEST_KEYS = ("params", "body", "request", "modelInput")
_ASKING_KEYS = {"messages", "input", "contents", "prompt"}
_REPLY_KEYS = {"response", "result", "modelOutput", "error", "output", "text", "completion"}


class Ingestion:
    """What logs become: answers to briefs by recorded model, and new briefs."""

    def __init__(
        self, name: str, reader: RecordReader, *, replace: bool, make_briefs: bool
    ) -> None:
        """`name` is the id of the recorded model, or what the ids of several begin with."""
        self.counts: Counter[str] = Counter()
        self.unreadable: list[str] = []
        """The first records that cannot be used, and why."""
        self.examples: dict[bool, list[str]] = {True: [], False: []}
        """The first lines with a graph, and without."""
        self.models: dict[str, RecordedAnswers] = {}
        self.stranger = ""
        """The first input that is no brief."""
        self.new_briefs: dict[str, str] = {}
        self.lost: list[str] = []
        """Records of briefs that cannot be used, and why."""
        self.answers = 0
        """How many records of briefs can be used."""
        self._name = name
        self._reader = reader
        self._replace = replace
        self._make_briefs = make_briefs
        self._missing: dict[Path, bytes] = {}
        self._outputs: Counter[bool] = Counter()
        """How many answers have a graph, and have none."""
        self._requests: dict[str, JsonObject] = {}
        self._seen: set[bytes] = set()
        self._forms: list[str] = []
        self._keys: list[str] = []

    def read(self, logs: Sequence[Path], records: str | None) -> None:
        """Read all logs twice to their end: to learn where they have what, and to keep answers."""
        for _, record in self._records(logs, records):
            if not isinstance(record, str):
                self._keys = self._keys or list(record)
                self._reader.learn(record)
        self._forms = [form_of(log) for log in logs]
        for place, record in self._records(logs, records):
            try:
                if isinstance(record, str):
                    raise Unreadable(record)
                state = self._keep(place, record)
            except Unreadable as error:
                state = "unreadable"
                message = f"{place}: {error}"
                if error.is_ours:
                    self.lost.append(message)
                if len(self.unreadable) < MAX_LISTED:
                    self.unreadable.append(message)
            self.counts[state] += 1
        if self._requests:
            self.counts["request of a batch"] = len(self._requests)

    def _records(self, logs: Sequence[Path], path: str | None) -> Iterator[LogEntry]:
        """The records of all logs, those of a batch with its requests, which are read first."""
        for log in sorted(logs, key=lambda log: _has_replies(log, path)):
            for place, record in read_log(log, path):
                if isinstance(record, str):
                    yield place, record
                    continue
                name = next((str(record[key]) for key in _NAME_KEYS if record.get(key)), "")
                if name and _is_request(record):
                    self._requests[name] = record
                elif name in self._requests:
                    yield place, {"request": self._requests[name], **record}
                else:
                    yield place, record

    def _keep(self, place: str, record: JsonObject) -> str:
        """What a record becomes."""
        answer = self._reader.read(record)
        brief = answer.brief or made_id(answer.input)
        entry: JsonObject = {"brief": brief, **answer.line}
        trace = next((record[key] for key in _TRACE_KEYS if record.get(key)), record)
        identity = sha256(repr(trace).encode() + identity_of(entry)).digest()
        if identity in self._seen:
            return "doubled"
        self._seen.add(identity)
        if answer.brief is None and not self._make_briefs:
            self.stranger = self.stranger or f'{place}: "{clip(answer.input, _COLUMNS)}"'
            return "input that is no brief"
        self._outputs[answer.has_graph] += 1
        if self._outputs[answer.has_graph] <= MAX_EXAMPLES:
            shown = clip(line(entry).decode(), _COLUMNS)
            self.examples[answer.has_graph].append(f"{place}: {shown}")
        if answer.brief is None:
            self.new_briefs.setdefault(brief, answer.input)
        self.answers += 1
        model = self._model_of(answer)
        return "matched" if model.add(entry) else "already there"

    def _model_of(self, answer: LogAnswer) -> RecordedAnswers:
        """The recorded model that an answer belongs to."""
        model, prompt = str(answer.line.get("model") or ""), answer.system + answer.around
        model_id = self._name
        if model_id.endswith("-"):
            digest = sha256(prompt.encode()).hexdigest()[:6] if prompt else ""
            name = re.sub(r"[^A-Za-z0-9._-]+", "-", model.rpartition("/")[2]).strip("-")
            model_id += "-".join(filter(None, [name[:60], digest])) or "model"
        if model_id not in self.models:
            self.models[model_id] = RecordedAnswers(model_id, replace=self._replace)
        file = self.models[model_id]
        file.systems[answer.system] += 1
        file.models.update(filter(None, [model]))
        if answer.brief:
            file.arounds[answer.around] += 1
        return file

    def check(self, *, accept_prose: bool) -> None:
        """Raise InputError, with all problems, where the logs or the files do not permit it."""
        problems = [*self._problems(accept_prose)]
        for model in self.models.values():
            problems += self._differences(model)
            with collecting(problems):
                self._missing |= model.missing_files()
        if problems:
            raise InputError(problems)

    def write(self) -> Iterator[Path]:
        """Write what is not there yet, and say which files were written."""
        for brief_id, text in self.new_briefs.items():
            file = paths.BRIEFS / f"{brief_id}.md"
            front_matter = "---\n---\n" if text.startswith("---") else ""
            write_atomic(file, f"{front_matter}{text}\n".encode())
        for model in self.models.values():
            if model.is_changed or not model.path.exists():
                model.write()
                yield model.path
        for path, content in self._missing.items():
            write_atomic(path, content)
            yield path

    def _problems(self, accept_prose: bool) -> Iterator[Problem]:
        """Why the logs cannot be read."""
        outputs, prose = self._outputs.total(), self._outputs[False]
        tried = f"tried: {self._reader.tried('input')}; {self._reader.tried('output')}"
        records = self.answers + len(self.lost)
        if len(self.lost) > max(1, records * MAX_UNREADABLE_SHARE):
            examples = "; ".join(self.lost[:MAX_EXAMPLES])
            yield Problem("the log", "", f"{self.loss}, such as {examples}; {tried}")
        elif not outputs and self.stranger:
            yield Problem("the log", "", self.strangers)
        elif not outputs:
            found = f"found {first_of(self._forms)}, with {first_of(self._keys, MAX_LISTED)}"
            message = f"has no answer that can be used; {found}"
            yield Problem("the log", "", "; ".join([message, *self.unreadable, tried]))
        elif prose > self._outputs[True] and not accept_prose:
            message = (
                f"{count(prose)} of {counted(outputs, 'output')} have no nodes and edges, such as "
                f"{'; '.join(self.examples[False])}; {tried}; --output names another path, and "
                "--accept-prose takes them as answers without a graph"
            )
            yield Problem("the log", "", message)

    @property
    def strangers(self) -> str:
        """How many inputs are no briefs, one of them, and the two ways on."""
        number = self.counts["input that is no brief"]
        noun = "input of the log is no brief" if number == 1 else "inputs of the log are no briefs"
        return (
            f"{count(number)} {noun}, such as {self.stranger}: --make-briefs makes briefs of such "
            "inputs, or add to briefs/ the brief whose text they hold"
        )

    @property
    def loss(self) -> str:
        """The share of the records of briefs that is unreadable."""
        records = self.answers + len(self.lost)
        verb = "is" if len(self.lost) == 1 else "are"
        return (
            f"{count(len(self.lost))} of {counted(records, 'record')} of briefs {verb} unreadable "
            f"({share(len(self.lost) / records)})"
        )

    def _differences(self, model: RecordedAnswers) -> Iterator[Problem]:
        """Why the answers are those of several models, or to several prompts."""
        for field, where, values in (
            ("model", "--model", model.models),
            ("system", "--system", model.systems),
            ("system", "the text around briefs", model.arounds),
        ):
            if len(values) > 1:
                texts = [f'"{clip(text, _COLUMNS)}" ({count(values[text])})' for text in values]
                message = (
                    f"differs: {first_of(texts, MAX_LISTED)}: `--as {self._name}-` makes a "
                    f"recorded model of each, or `--{field} none` ignores it"
                )
                yield Problem("the log", where, message)


def _has_replies(log: Path, records: str | None) -> bool:
    """Whether a log begins with an answer of a batch."""
    _, first = next(read_log(log, records), ("", ""))
    return not isinstance(first, str) and bool(_REPLY_KEYS & first.keys())


def _is_request(record: JsonObject) -> bool:
    """Whether a record is a request of a batch, whose answer is in another file."""
    asked = [object_of(record.get(key)) for key in _REQUEST_KEYS]
    has_request = any(_ASKING_KEYS & request.keys() for request in asked)
    return has_request and not _REPLY_KEYS & record.keys()
