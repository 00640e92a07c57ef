"""Adapter: the logs of one recorded model, read to their end before anything is written, and its
files, of which answers that are there stay.
"""

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile

from graph_evaluator.generate.apis import object_of
from graph_evaluator.generate.recorded_models import TRAFFIC_SUFFIX
from graph_evaluator.ingest.log_files import form_of, read_log
from graph_evaluator.ingest.reading import RecordReader, Unreadable
from graph_evaluator.records.errors import InputError, Problem, collecting, input_error
from graph_evaluator.records.json_text import JsonObject, NotJson, canonical, line, parse, pretty
from graph_evaluator.records.model_config import parse_config
from graph_evaluator.shell import paths
from graph_evaluator.shell.files import read_input, whole_file, write_atomic
from graph_evaluator.shell.numbers import count, counted, first_of
from graph_evaluator.shell.text import clip

WORK = Path(".evaluation") / "ingest"
"""Where files are written before they get their name: git ignores it."""
MAX_MODEL_NAME = 200
MAX_LISTED = 20
MAX_EXAMPLES = 3
_COLUMNS = 100
_TRACE_KEYS = ("trace_id", "traceId", "root_span_id")
_REPLY_KEYS = {"response", "result"}


class Ingestion:
    """What logs become: lines of answers to briefs, and lines of traffic."""

    def __init__(self, model_id: str, reader: RecordReader, replace: bool) -> None:
        self.counts: Counter[str] = Counter()
        self.unreadable: list[str] = []
        """The first records that cannot be used, and why."""
        self.examples: dict[bool, list[str]] = {True: [], False: []}
        """The first lines with a graph, and without."""
        self.answers = AnswersToWrite(paths.ANSWERS / f"{model_id}.jsonl", replace)
        self.traffic = AnswersToWrite(paths.ANSWERS / f"{model_id}{TRAFFIC_SUFFIX}", replace)
        self._missing: dict[Path, bytes] = {}
        self._model_id = model_id
        self._reader = reader
        self._models: Counter[str] = Counter()
        self._prompts: Counter[str] = Counter()
        self._outputs: Counter[bool] = Counter()
        """How many answers have a graph, and have none."""
        self._requests: dict[str, JsonObject] = {}
        self._seen: set[bytes] = set()
        self._forms: list[str] = []
        self._keys: list[str] = []

    def read(self, logs: Sequence[Path], records: str | None) -> None:
        """Read all logs to their end, the requests of a batch before its answers."""
        for log in sorted(logs, key=lambda log: _has_replies(log, records)):
            self._forms.append(form_of(log))
            for place, record in read_log(log, records):
                try:
                    if isinstance(record, str):
                        raise Unreadable(record)
                    state = self._keep(place, record)
                except Unreadable as error:
                    state = "unreadable"
                    if len(self.unreadable) < MAX_LISTED:
                        self.unreadable.append(f"{place}: {error}")
                self.counts[state] += 1

    def _keep(self, place: str, record: JsonObject) -> str:
        """What a record becomes."""
        self._keys = self._keys or list(record)
        name = str(record.get("custom_id") or record.get("key") or "")
        if name in self._requests:
            record = {"request": self._requests[name], **record}
        try:
            answer = self._reader.read(record)
        except Unreadable:
            if not name or _REPLY_KEYS & record.keys():
                raise
            self._requests[name] = record
            return "request of a batch"
        trace = next((record[key] for key in _TRACE_KEYS if record.get(key)), record)
        identity = sha256(repr(trace).encode() + identity_of(answer.line)).digest()
        if identity in self._seen:
            return "doubled"
        self._seen.add(identity)
        self._prompts[answer.system] += 1
        self._models.update(filter(None, [answer.model]))
        self._outputs[answer.has_graph] += 1
        if self._outputs[answer.has_graph] <= MAX_EXAMPLES:
            shown = clip(line(answer.line).decode(), _COLUMNS)
            self.examples[answer.has_graph].append(f"{place}: {shown}")
        if "brief" in answer.line:
            return "matched" if self.answers.add(answer.line) else "already there"
        return "traffic" if self.traffic.add(answer.line) else "already there"

    def check(self, *, accept_prose: bool) -> None:
        """Raise InputError, with all problems, where the logs or the files do not permit it."""
        problems = list(self._problems(accept_prose))
        with collecting(problems):
            model, system = next(iter(self._models), None), next(iter(self._prompts), "")
            self._missing = missing_files(self._model_id, model, system)
        if problems:
            raise InputError(problems)

    def write(self) -> Iterator[Path]:
        """Write what is not there yet, and say which files were written."""
        for file in (self.answers, self.traffic):
            is_missing = file is self.answers and not file.path.exists()
            if is_missing or file.new or file.gone:
                file.write()
                yield file.path
        for path, content in self._missing.items():
            write_atomic(path, content)
            yield path

    def _problems(self, accept_prose: bool) -> Iterator[Problem]:
        """Why the logs cannot be the answers of one model."""
        outputs = self._outputs.total()
        tried = f"tried: {self._reader.tried('input')}; {self._reader.tried('output')}"
        if not outputs:
            found = f"found {first_of(self._forms)}, with {first_of(self._keys, MAX_LISTED)}"
            message = f"has no answer that can be used; {found}"
            yield Problem("the log", "", "; ".join([message, *self.unreadable, tried]))
        elif self._outputs[False] > self._outputs[True] and not accept_prose:
            message = (
                f"{count(self._outputs[False])} of {counted(outputs, 'output')} have no nodes and "
                f"edges, such as {'; '.join(self.examples[False])}; {tried}; --output names "
                "another path, and --accept-prose takes them as answers without a graph"
            )
            yield Problem("the log", "", message)
        for field, values in (("model", self._models), ("system", self._prompts)):
            if len(values) > 1:
                texts = [f'"{clip(text, _COLUMNS)}" ({count(values[text])})' for text in values]
                each = first_of(texts, MAX_LISTED)
                message = f"differs: {each}: make a log of each, or `--{field} none` ignores it"
                yield Problem("the log", f"--{field}", message)


def _has_replies(log: Path, records: str | None) -> bool:
    """Whether a log begins with an answer of a batch."""
    _, first = next(read_log(log, records), ("", ""))
    return not isinstance(first, str) and bool(_REPLY_KEYS & first.keys())


class AnswersToWrite:
    """A file of answers, what it has already, and what logs add to it or replace it by."""

    def __init__(self, path: Path, replace: bool) -> None:
        """Read what the file has; InputError if a line cannot be read, or the file is not here."""
        self.path = path
        self.new = 0
        self._replace = replace
        self._found: Counter[bytes] = Counter()
        self._lines = TemporaryFile()  # noqa: SIM115
        if not path.exists() and path.with_name(f"{path.name}.dvc").exists():
            raise input_error(path.as_posix(), "", "is not here: run `dvc pull`")
        self._present = Counter(_identities(path) if path.exists() else ())

    def add(self, answer: JsonObject) -> bool:
        """Keep an answer of the logs; whether the file does not have it yet."""
        identity = identity_of(answer)
        self._found[identity] += 1
        is_new = self._found[identity] > self._present[identity]
        if is_new or self._replace:
            self._lines.write(line(answer))
        self.new += is_new
        return is_new

    @property
    def gone(self) -> int:
        """How many answers of the file are replaced, as the logs do not have them."""
        return (self._present - self._found).total() if self._replace else 0

    def write(self) -> None:
        """Add the answers of the logs to the file, or replace those that it has."""
        self.path.parent.mkdir(exist_ok=True)
        self._lines.seek(0)
        unnamed = WORK / self.path.name
        with whole_file(unnamed) as target:
            if self.path.exists() and not self._replace:
                with self.path.open("rb") as present:
                    target.writelines(line.rstrip(b"\n") + b"\n" for line in present)
            shutil.copyfileobj(self._lines, target)
        unnamed.replace(self.path)


def identity_of(answer: JsonObject) -> bytes:
    """What tells answers apart: the brief or the input, and what was said."""
    subject = answer.get("brief") or answer.get("input")
    said = answer.get("text") or answer.get("body") or answer.get("graph") or answer.get("status")
    text = said if isinstance(said, str) else canonical(said).decode("utf-8")
    return sha256(f"{subject}\0{text}".encode("utf-8", "surrogatepass")).digest()


def _identities(file: Path) -> Iterator[bytes]:
    with file.open("rb") as lines:
        for number, raw in enumerate(lines, 1):
            try:
                if raw.strip():
                    yield identity_of(object_of(parse(raw)))
            except NotJson as error:
                message = f"is not JSON: {error}: fix the line, or choose another --as"
                raise input_error(file.as_posix(), f"line {number}", message) from None


def missing_files(model_id: str, model: str | None, system: str) -> dict[Path, bytes]:
    """The config of a recorded model and its prompt, as far as they are not there: the prompt is
    the one in `prompts/` with the system prompt of the log, or one of its own.

    Raises:
        InputError: those that are there disagree with the log.
    """
    config: JsonObject = {
        "$schema": "../schemas/model_config.schema.json",
        "id": model_id,
        "display_name": model_id,
        "provider": "recorded",
        "model": (model or model_id)[:MAX_MODEL_NAME],
        "answers": (paths.ANSWERS / f"{model_id}.jsonl").as_posix(),
        "target_mode": "normal",
    }
    missing: dict[Path, bytes] = {}
    if system:
        prompts = {file: read_input(file) for file in sorted(paths.PROMPTS.glob("*.txt"))}
        equal = [file for file, text in prompts.items() if text.split() == system.split()]
        prompt = next(iter(equal), paths.PROMPTS / f"{model_id}.txt")
        config["prompt"] = prompt.as_posix()
        if prompt in prompts and not equal:
            message = "has another text than the log: rename it, or choose another --as"
            raise input_error(prompt.as_posix(), "", message)
        if not equal:
            missing[prompt] = f"{system}\n".encode()
    file = paths.MODELS / f"{model_id}.json"
    if not file.exists():
        return missing | {file: pretty(config)}
    present = parse_config(model_id, read_input(file), file.as_posix())
    for key in ("answers", "prompt"):
        if key in config and getattr(present, key) != config[key]:
            message = f"is not {config[key]}, as of this log: choose another --as"
            raise input_error(file.as_posix(), key, message)
    return missing
