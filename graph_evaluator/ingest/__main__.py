"""`graph-evaluator ingest LOG --as ID`: makes a recorded model of a log of answers: its answers and
its config, and briefs of its inputs where that is asked for.
"""

import argparse
import re
from collections.abc import Iterator, Sequence

from filelock import FileLock

from graph_evaluator.ingest.answer_files import WORK
from graph_evaluator.ingest.brief_finder import BriefFinder
from graph_evaluator.ingest.ingestion import Ingestion
from graph_evaluator.ingest.reading import RecordReader
from graph_evaluator.ingest.redacting import Redactor, redaction
from graph_evaluator.records.errors import input_error, nearest
from graph_evaluator.shell.command import command_parser, run, show, typed_path
from graph_evaluator.shell.inputs import load_briefs
from graph_evaluator.shell.numbers import count, counted
from graph_evaluator.shell.text import clip

_INTRODUCTION = """\
When to use it: you have answers already, in a log of production or an export of another tool.
It makes a recorded model of them: answers/ID.jsonl and models/ID.json. Logs are JSON, JSON Lines \
or CSV, as they are or gzipped; docs/recorded.md says how they are read. No model is called."""
_EXAMPLES = (
    "log.jsonl --as production --dry-run",
    "export.json --as tool --records data.items --input input.-1.content --output reply.text",
    "batch_output.jsonl batch_input.jsonl --as nightly",
    r"log.jsonl.gz --as production --redact '[\w.]+@[\w.]+'",
)
MAX_AROUND = 200
_FIELDS = ("input", "output", "system", "model", "cost", "latency", "usage")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the logs, print what they are, and write the files."""
    options = _parse_options(arguments)
    bodies = {brief.id: brief.body for brief in load_briefs(None)}
    if options.brief and options.brief not in bodies:
        message = f'there is no brief "{options.brief}"{nearest(options.brief, bodies)}'
        raise input_error("command line", "--brief", message)
    redactor = Redactor(options.redact)
    redacted = {name: redactor.text(body) for name, body in bodies.items()}
    named = {field: getattr(options, field) for field in _FIELDS if getattr(options, field)}
    reader = RecordReader(named, BriefFinder(redacted, options.brief), redactor)
    WORK.mkdir(parents=True, exist_ok=True)
    with FileLock(WORK / f"{options.model_id}.lock"):
        ingestion = Ingestion(
            options.model_id, reader, replace=options.replace, make_briefs=options.make_briefs
        )
        ingestion.read(options.logs, options.records)
        ingestion.check(accept_prose=options.accept_prose)
        for line in _summary(ingestion):
            show(line)
        if options.dry_run:
            for (field, path), number in sorted(reader.used.items()):
                show(f"  {field} from {path}: {counted(number, 'record')}")
            for example in (*ingestion.examples[True], *ingestion.examples[False]):
                show(f"  {example}")
            show("dry run: nothing was written")
            return
        written = ", ".join(path.as_posix() for path in ingestion.write())
    show(f"written: {written}" if written else "nothing changed")


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = command_parser("ingest", _INTRODUCTION, *_EXAMPLES)
    add = parser.add_argument
    add("logs", metavar="LOG", nargs="+", type=typed_path, help="a log")
    recorded = "the id of the recorded model"
    add("--as", dest="model_id", metavar="ID", required=True, type=_model_id, help=recorded)
    add("--records", metavar="PATH", help="dotted path to the records: results.results")
    for field in _FIELDS:
        help_text = f"dotted path in a record to the {field}; default: known ones, by trying"
        add(f"--{field}", metavar="PATH", help=help_text)
    add("--brief", metavar="ID", help="the brief that all inputs are of")
    make = "make a brief, briefs/prod-HASH.md, of each input that is none"
    add("--make-briefs", action="store_true", help=make)
    redact = "replace what a regular expression matches, before anything else; repeatable"
    add("--redact", metavar="PATTERN", type=redaction, action="append", default=[], help=redact)
    prose = "go on where most answers have no nodes and edges"
    add("--accept-prose", action="store_true", help=prose)
    add("--replace", action="store_true", help="drop earlier answers that the logs do not have")
    add("--dry-run", action="store_true", help="print what there is, and write nothing")
    return parser.parse_args(arguments)


def _model_id(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", text):
        message = "must be at most 80 letters, digits, . _ - and start with a letter or digit"
        raise argparse.ArgumentTypeError(message)
    return text


def _summary(ingestion: Ingestion) -> Iterator[str]:
    """How many records became what, and the first that cannot be used."""
    for state, number in sorted(ingestion.counts.items()):
        yield f"{count(number):>9}  {state}"
    yield from (f"           {text}" for text in ingestion.unreadable)
    gone = sum(model.gone for model in ingestion.models.values())
    if gone:
        yield f"{count(gone):>9}  of the earlier answers go"
    if ingestion.new_briefs:
        new_briefs = count(len(ingestion.new_briefs))
        yield f"{new_briefs:>9}  inputs become briefs, texts that git will track"
    if ingestion.lost:
        yield ingestion.loss
    if ingestion.stranger:
        yield ingestion.strangers
    for model in ingestion.models.values():
        for around, number in model.arounds.items():
            if around:
                inputs, text = counted(number, "input"), clip(around, MAX_AROUND)
                yield f'{inputs} have text around the brief: "{text}"'


if __name__ == "__main__":
    run(main)
