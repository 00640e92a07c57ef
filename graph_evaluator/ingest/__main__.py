"""`graph-evaluator ingest LOG --as ID`: makes a recorded model of a log of answers: its answers,
its traffic and its config.
"""

import argparse
import re
from collections.abc import Iterator, Sequence

from filelock import FileLock

from graph_evaluator.ingest.ingestion import WORK, Ingestion
from graph_evaluator.ingest.reading import RecordReader, brief_finder
from graph_evaluator.ingest.redacting import Redactor, redaction
from graph_evaluator.records.errors import input_error, nearest
from graph_evaluator.shell.command import command_parser, run, show, typed_path
from graph_evaluator.shell.files import read_input
from graph_evaluator.shell.inputs import load_briefs
from graph_evaluator.shell.numbers import count, counted

_INTRODUCTION = """\
When to use it: you have answers already, in a log of production or an export of another tool.
It makes a recorded model of them: answers/ID.jsonl and models/ID.json, and \
answers/ID.traffic.jsonl of answers to inputs that no brief has. Logs are JSON, JSON Lines or CSV, \
as they are or gzipped; docs/recorded.md says how they are read. No model is called."""
_EXAMPLES = (
    "log.jsonl --as production --dry-run",
    "export.json --as tool --records data.items --input input.-1.content --output reply.text",
    "batch_output.jsonl batch_input.jsonl --as nightly",
    r"log.jsonl.gz --as production --redact '[\w.]+@[\w.]+'",
)
_FIELDS = ("input", "output", "system", "model", "cost", "latency", "usage")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the logs, print what they are, and write the files."""
    options = _parse_options(arguments)
    bodies = {brief.id: brief.body for brief in load_briefs(None)}
    if options.brief and options.brief not in bodies:
        message = f'there is no brief "{options.brief}"{nearest(options.brief, bodies)}'
        raise input_error("command line", "--brief", message)
    find_brief = brief_finder(bodies, options.brief, options.template or "{brief}")
    named = {field: getattr(options, field) for field in _FIELDS if getattr(options, field)}
    reader = RecordReader(named, find_brief, Redactor(options.redact))
    WORK.mkdir(parents=True, exist_ok=True)
    with FileLock(WORK / f"{options.model_id}.lock"):
        ingestion = Ingestion(options.model_id, reader, options.replace)
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
    template = "a brief within an input: {brief}"
    add("--template", metavar="FILE", type=_template, help=template)
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


def _template(name: str) -> str:
    text = read_input(typed_path(name))
    if text.count("{brief}") != 1:
        raise argparse.ArgumentTypeError("must have {brief} once, for the brief's text")
    return text


def _summary(ingestion: Ingestion) -> Iterator[str]:
    """How many records became what, and the first that cannot be used."""
    for state, number in sorted(ingestion.counts.items()):
        yield f"{count(number):>9}  {state}"
    yield from (f"           {text}" for text in ingestion.unreadable)
    gone = ingestion.answers.gone + ingestion.traffic.gone
    if gone:
        yield f"{count(gone):>9}  of the earlier answers go"


if __name__ == "__main__":
    run(main)
