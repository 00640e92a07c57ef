"""`graph-evaluator ingest LOG --as ID`: turns a log of answers into a recorded model, and on
request its inputs into briefs.
"""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence

from graph_evaluator.ingest.ingestion import Ingestion
from graph_evaluator.ingest.reading import BriefFinder, RecordReader, Redactor, redaction
from graph_evaluator.ingest.unwrapping import PATHS
from graph_evaluator.records.model_config import ID_RULE, IDENTIFIER
from graph_evaluator.shell.command import command_parser, run, show, typed_path
from graph_evaluator.shell.inputs import load_briefs

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
_FIELDS = ("input", "output", "system", "model", "cost", "latency", "usage")


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
    for line in ingestion.summary():
        show(line)
    if options.dry_run:
        for line in (reader.tried(), *ingestion.examples()):
            show(f"  {line}")
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


if __name__ == "__main__":
    run(main)
