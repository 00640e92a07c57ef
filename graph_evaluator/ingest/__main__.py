"""`graph-evaluator ingest LOG --as ID`: turns a log of answers into a recorded model, and on
request its inputs into briefs.
"""

import re
from argparse import ArgumentTypeError, Namespace
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from statistics import median

from graph_evaluator.generate.prices import published_prices
from graph_evaluator.generate.replies import ending_of, object_of
from graph_evaluator.ingest.adapters import LogEntry, RecordedAnswers, identity_of, read_log
from graph_evaluator.ingest.reading import (
    BriefFinder,
    LogAnswer,
    RecordReader,
    Redactor,
    Unreadable,
    redaction,
)
from graph_evaluator.ingest.unwrapping import PATHS, follow
from graph_evaluator.records.brief import made_id
from graph_evaluator.records.errors import Problem, collecting, refuse
from graph_evaluator.records.json_text import JsonObject, line, text_sha256
from graph_evaluator.records.model_config import ID_RULE, IDENTIFIER
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import command_parser, run, show, typed_path
from graph_evaluator.shell.inputs import load_briefs
from graph_evaluator.shell.numbers import count, counted, duration, first_of, money, share
from graph_evaluator.shell.paths import write_atomic
from graph_evaluator.shell.text import clip

MAX_LISTED = 20
MAX_EXAMPLES = 3
MAX_UNREADABLE_SHARE = 0.05
"""Of the records of briefs, if there are two or more."""
MAX_AROUND = 200
_COLUMNS = 100
_MATCHED, _PRESENT, _DOUBLED = "matched", "already there", "doubled"
_NO_BRIEF, _FAILED = "without a brief", "failed at the provider"
_UNREADABLE, _LOST = "unreadable", "unreadable, of a brief"
_GRAPHS, _PROSE = "with a graph", "without a graph"
_TRACE_KEYS = ("trace_id", "traceId", "root_span_id", "context.trace_id")
_NAME_KEYS = ("custom_id", "key", "recordId")
_FIELDS = ("input", "output", "system", "model", "cost", "latency", "usage")
_INTRODUCTION = """\
When to use it: you already have answers, in a production log or an export of another tool.
It turns them into a recorded model: answers/ID.jsonl and models/ID.json. Logs are JSON, JSON \
Lines or CSV, plain or gzipped; docs/recorded.md says how they are read. No model is called."""
_EXAMPLES = (
    "log.jsonl --as production --dry-run",
    "export.json --as tool --input in.text --output out.text",
    "batch_output.jsonl batch_input.jsonl --as nightly",
    r"log.jsonl.gz --as prod --make-briefs --redact '\d{6,}'",
    "promptfoo.json --as promptfoo-",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the logs, print what they are, and write the files."""
    options = _parse_options(arguments)
    redactor = Redactor(options.redact)
    bodies = {brief.id: redactor.text(brief.body) for brief in load_briefs(None)}
    named = {field: [path] for field in _FIELDS if (path := getattr(options, field))}
    reader = RecordReader({**PATHS, **named}, BriefFinder(bodies), redactor)
    ingestion = Ingestion(options.model_id, reader, make_briefs=options.make_briefs)
    ingestion.read(options.logs, options.records)
    ingestion.check(accept_prose=options.accept_prose)
    for text in ingestion.summary():
        show(text)
    if options.dry_run:
        for text in (reader.tried(), *ingestion.examples()):
            show(f"  {text}")
        show("dry run: nothing was written")
        return
    written = ", ".join(path.as_posix() for path in ingestion.write())
    show(f"written: {written}" if written else "nothing changed")


def _parse_options(arguments: Sequence[str] | None) -> Namespace:
    parser = command_parser("ingest", _INTRODUCTION, *_EXAMPLES)
    add = parser.add_argument
    add("logs", metavar="LOG", nargs="+", type=typed_path, help="a log")
    recorded = "the id of the recorded model; ID- makes one for each model and prompt"
    add("--as", dest="model_id", metavar="ID", required=True, type=_model_id, help=recorded)
    add("--records", metavar="PATH", help="dotted path to the records: results.results")
    for field in _FIELDS:
        unit = ":UNIT" if field in ("cost", "latency") else ""
        help_text = f"dotted path in a record to the {field}; default: known paths are tried"
        add(f"--{field}", metavar=f"PATH{unit}", help=help_text)
    make = "make a brief, briefs/prod-HASH.md, of each input that matches none"
    add("--make-briefs", action="store_true", help=make)
    redact = "replace matches of a regular expression, before anything else; repeatable"
    add("--redact", metavar="PATTERN", type=redaction, action="append", default=[], help=redact)
    prose = "continue even if most answers have no nodes and edges"
    add("--accept-prose", action="store_true", help=prose)
    add("--dry-run", action="store_true", help="print what was read, and write nothing")
    return parser.parse_args(arguments)


def _model_id(text: str) -> str:
    if not IDENTIFIER.fullmatch(text):
        raise ArgumentTypeError(f"must be {ID_RULE}")
    return text


class Ingestion:
    """The content of logs, read to their end before anything is written: answers to briefs by
    recorded model, and new briefs. `name` is the id of the recorded model; with a hyphen at its end
    it is what the ids of several begin with.
    """

    def __init__(self, name: str, reader: RecordReader, *, make_briefs: bool) -> None:
        self._name = name
        self._reader = reader
        self._make_briefs = make_briefs
        self._records: defaultdict[str, list[str]] = defaultdict(list)
        """Records by what they became: the place of each, and what was read or why not."""
        self._measured: defaultdict[str, list[float]] = defaultdict(list)
        self._unpriced: Counter[str] = Counter()
        """How many answers have usage and no cost, by the name of the model."""
        self._models: dict[str, RecordedAnswers] = {}
        self._new_briefs: dict[str, str] = {}
        self._requests: dict[str, tuple[str, JsonObject]] = {}
        self._seen: set[bytes] = set()

    def read(self, logs: Sequence[Path], records: str | None) -> None:
        """Read all logs twice to their end: to learn where they have what, and to keep answers."""
        for _, record in self._entries(logs, records):
            self._reader.learn(object_of(record))
        for place, record in self._entries(logs, records):
            fields = object_of(record)
            try:
                if isinstance(record, str):
                    raise Unreadable(record)
                self._keep(place, fields)
            except Unreadable as error:
                self._records[_UNREADABLE].append(f"{place}: {error}")
                if self._reader.has_brief(fields):
                    self._records[_LOST].append(f"{place}: {error}")

    def _entries(self, logs: Sequence[Path], path: str | None) -> Iterator[LogEntry]:
        """The records of all logs; answers of a batch have their requests, if these were read."""
        unanswered = dict(self._requests)
        for place, record in (entry for log in logs for entry in read_log(log, path)):
            fields = object_of(record)
            name = next((str(fields[key]) for key in _NAME_KEYS if fields.get(key)), "")
            if name and self._reader.is_request(fields):
                if self._requests.setdefault(name, (place, fields))[1] != fields:  # another batch's
                    yield place, {"request": fields}
            elif name in self._requests and not self._reader.has_brief(fields):
                unanswered.pop(name, None)
                yield place, {"request": self._requests[name][1], **fields}
            else:
                yield place, record
        for place, request in unanswered.values():
            yield place, {"request": request}

    def _keep(self, place: str, record: JsonObject) -> None:
        """Sort the answer of a record in."""
        answer = self._reader.read(record)
        entry: JsonObject = {"brief": answer.brief or made_id(answer.input), **answer.line}
        traces = (follow(record, key) for key in _TRACE_KEYS)
        trace = next(filter(None, traces), record)
        identity = sha256(repr(trace).encode() + identity_of(entry)).digest()
        shown = f"{place}: {clip(line(entry).decode(), _COLUMNS)}"
        if identity in self._seen:
            self._records[_DOUBLED].append(shown)
        elif answer.brief is None and not self._make_briefs:
            self._records[_NO_BRIEF].append(f'{place}: "{clip(answer.input, _COLUMNS)}"')
        else:
            state = _MATCHED if self._model_of(answer).add(entry) else _PRESENT
            kind = _GRAPHS if answer.has_graph else _PROSE
            if ending_of(str(entry.get("cut_off", ""))) == "failed":
                kind = _FAILED
            self._records[state].append(shown)
            self._records[kind].append(shown)
            for field in ("cost_usd", "latency_ms"):
                if field in entry:
                    self._measured[field].append(float(str(entry[field])))
            if "usage" in entry and "cost_usd" not in entry:
                self._unpriced[str(entry.get("model", self._name))] += 1
            if answer.brief is None:
                self._new_briefs.setdefault(str(entry["brief"]), answer.input)
        self._seen.add(identity)

    def _model_of(self, answer: LogAnswer) -> RecordedAnswers:
        """The recorded model that an answer belongs to."""
        name, prompt = str(answer.line.get("model", "")), answer.system + answer.around
        model_id = prompt_id = self._name
        if model_id.endswith("-"):
            digest = text_sha256(prompt)[:6]
            prompt_id += digest
            model_id = "-".join(re.findall("[A-Za-z0-9._]+", f"{model_id}{name[:60]} {digest}"))
        if model_id not in self._models:
            self._models[model_id] = RecordedAnswers(model_id, prompt_id)
        model = self._models[model_id]
        model.models.update(filter(None, [name]))
        model.systems[answer.system] += 1
        model.arounds.update([answer.around] if answer.brief else [])
        return model

    def check(self, *, accept_prose: bool) -> None:
        """Raise InputError, with all problems, where the logs or the files do not permit it."""
        fault = self._fault(accept_prose)
        problems = [Problem("the log", "", fault)] if fault else []
        for model in self._models.values():
            problems += self._differences(model)
            with collecting(problems):
                model.missing_files()
        refuse(problems)

    def write(self) -> Iterator[Path]:
        """Write what is not there yet, and say which files of recorded models were written."""
        for brief, text in self._new_briefs.items():
            front_matter = "---\n---\n" if "---" in text else ""
            write_atomic(paths.BRIEFS / f"{brief}.md", f"{front_matter}{text}\n".encode())
        for model in self._models.values():
            yield from model.write()

    def summary(self) -> Iterator[str]:
        """How many records became what, what was measured, and what is left out."""
        for state, records in sorted(self._records.items()):
            if records:
                yield f"{count(len(records)):>9}  {state}"
        yield from (f"           {record}" for record in self._records[_UNREADABLE][:MAX_LISTED])
        if self._records[_LOST]:
            yield self._loss()[1]
        if self._records[_NO_BRIEF]:
            yield self._no_briefs()
        if self._new_briefs:
            texts = counted(len(self._new_briefs), "new text")
            yield f"briefs/ gets {texts} of the log, which git will track; prod-* selects them"
        for model in self._models.values():
            for around in filter(None, model.arounds):
                inputs = counted(model.arounds[around], "input")
                yield f'{inputs} with text around the brief: "{clip(around, MAX_AROUND)}"'
        for field, unit in (("cost_usd", money), ("latency_ms", duration)):
            name = field.partition("_")[0]
            numbers, left = self._measured[field], self._reader.facts.left[name]
            if numbers:
                yield f"median {name}: {unit(median(numbers))} ({counted(len(numbers), 'answer')})"
            elif left:
                keys = ", ".join(left)
                yield f"no {name} was read: the unit of {keys} is not known (--{name} PATH:UNIT)"
        for name, number in self._unpriced.items():
            published = published_prices("recorded", None, name)
            price = "has no price: add `pricing` to the config in models/"
            if published:
                price = f"is priced by {published.source}"
            yield f"usage of {counted(number, 'answer')} {price}"

    def examples(self) -> list[str]:
        """The first records that were read, with a graph and without."""
        return self._records[_GRAPHS][:MAX_EXAMPLES] + self._records[_PROSE][:MAX_EXAMPLES]

    def _fault(self, accept_prose: bool) -> str:
        """Why the logs cannot be read; empty if they can."""
        tried = f"tried: {self._reader.tried()}"
        graphs, prose, lost = (self._records[state] for state in (_GRAPHS, _PROSE, _LOST))
        if len(lost) > 1 and self._loss()[0] > MAX_UNREADABLE_SHARE:
            return f"{self._loss()[1]}, such as {'; '.join(lost[:MAX_EXAMPLES])}; {tried}"
        if not any(self._records.values()):
            return "is empty"
        if not graphs + prose and self._records[_NO_BRIEF]:
            return self._no_briefs()
        if not graphs + prose:
            faults = "; ".join(self._records[_UNREADABLE][:MAX_LISTED])
            return f"has no answer that can be used; {faults}; {tried}"
        if len(prose) <= len(graphs) or accept_prose:
            return ""
        which = f"{count(len(prose))} of {count(len(graphs + prose))} outputs have"
        if len(prose) == 1:
            which = "the only distinct output has"
        return (
            f"{which} no nodes and edges, such as {'; '.join(prose[:MAX_EXAMPLES])}; {tried}; "
            "--output names another path, and --accept-prose takes them as answers without a graph"
        )

    def _loss(self) -> tuple[float, str]:
        """The share of the records of briefs that is unreadable, as a sentence too."""
        of_briefs = (_LOST, _MATCHED, _PRESENT, _DOUBLED)
        lost, *others = (len(self._records[state]) for state in of_briefs)
        part = lost / (lost + sum(others))
        records = counted(lost + sum(others), "record")
        return part, f"unreadable: {count(lost)} of {records} of briefs ({share(part)})"

    def _no_briefs(self) -> str:
        """How many inputs match no brief, with one example and the two remedies."""
        inputs = self._records[_NO_BRIEF]
        return (
            f"{counted(len(inputs), 'input')} that no brief matches, such as {inputs[0]}: "
            "--make-briefs makes briefs of them, or add the brief that they contain to briefs/"
        )

    def _differences(self, model: RecordedAnswers) -> Iterator[Problem]:
        """Why the answers are those of several models, or to several prompts."""
        for option, values in (
            ("--model", model.models),
            ("--system", model.systems),
            ("--system", model.arounds),
        ):
            if len(values) > 1:
                texts = [f'"{clip(text, _COLUMNS)}" ({count(values[text])})' for text in values]
                message = (
                    f"differs: {first_of(texts, MAX_LISTED)}: `--as {self._name}-` makes a "
                    f"recorded model of each, or `{option} none` ignores it"
                )
                yield Problem("the log", option, message)


if __name__ == "__main__":
    run(main)
