"""`graph-evaluator ingest LOG --as ID`: makes a recorded model of a log of answers: its answers,
its traffic and its config.
"""

import argparse
import re
from collections.abc import Iterator, Sequence

from filelock import FileLock

from stages.commands.ingest.files import WORK
from stages.commands.ingest.ingestion import Ingestion, ReadingOptions
from stages.commands.ingest.log_files import LogFile
from stages.commands.ingest.matching import BriefMatcher, text_sha256
from stages.commands.ingest.redacting import Redactor, redaction
from stages.commands.ingest.unwrapping import PRESETS
from stages.shared.records.errors import input_error, nearest
from stages.shared.shell.command import command_parser, run, show, typed_path
from stages.shared.shell.files import read_input
from stages.shared.shell.inputs import load_briefs
from stages.shared.shell.numbers import count, counted

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
_SLOT = "{brief}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the logs, print what they are, and write the files."""
    options = _parse_options(arguments)
    redactor = Redactor(options.redact)
    hashes = {brief.id: text_sha256(brief.body) for brief in load_briefs(None)}
    if options.brief is not None and options.brief not in hashes:
        hint = nearest(options.brief, hashes)
        raise input_error("command line", "--brief", f'there is no brief "{options.brief}"{hint}')
    matcher = BriefMatcher(hashes, options.brief, options.template or _SLOT)
    reading = ReadingOptions(
        paths={field: getattr(options, field) for field in PRESETS},
        conditions=dict(options.where),
        accept_prose=options.accept_prose,
        replace=options.replace,
    )
    logs = [LogFile(file, options.records) for file in options.logs]
    WORK.mkdir(parents=True, exist_ok=True)
    with FileLock(WORK / f"{options.model_id}.lock"):
        ingestion = Ingestion(logs, reading, matcher, redactor, options.model_id)
        ingestion.read()
        ingestion.check()
        for line in _summary(ingestion, redactor, options):
            show(line)
        if options.dry_run:
            show("dry run: nothing was written")
            return
        written = ", ".join(ingestion.write())
    show(f"written: {written}" if written else "nothing changed")


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = command_parser("ingest", _INTRODUCTION, *_EXAMPLES)
    add = parser.add_argument
    add("logs", metavar="LOG", nargs="+", type=typed_path, help="a log")
    recorded = "the id of the recorded model"
    add("--as", dest="model_id", metavar="ID", required=True, type=_model_id, help=recorded)
    add("--records", metavar="PATH", help="dotted path to the records: results.results")
    for field in PRESETS:
        help_text = f"dotted path in a record to the {field}; default: known ones, by trying"
        add(f"--{field}", metavar="PATH", help=help_text)
    where = "only records with this value at a path; repeatable"
    add("--where", metavar="PATH=VALUE", type=_condition, action="append", default=[], help=where)
    add("--brief", metavar="ID", help="the brief that all inputs are of")
    template = f"a brief within an input: {_SLOT}"
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


def _condition(text: str) -> tuple[str, str]:
    path, sign, value = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError("must be PATH=VALUE")
    return path, value


def _template(name: str) -> str:
    text = read_input(typed_path(name))
    if text.count(_SLOT) != 1:
        raise argparse.ArgumentTypeError(f"must have {_SLOT} once, for the brief's text")
    return text


def _summary(
    ingestion: Ingestion, redactor: Redactor, options: argparse.Namespace
) -> Iterator[str]:
    """How many records became what, by which paths, and the first that cannot be used."""
    for state, number in sorted(ingestion.counts.items()):
        yield f"{count(number):>9}  {state}"
    yield from (f"           {text}" for text in ingestion.unreadable)
    if redactor.replaced:
        matches = "matches of --redact, and what looks like a key, replaced"
        yield f"{count(redactor.replaced):>9}  {matches}"
    for file in (ingestion.answers, ingestion.traffic):
        if file.gone:
            verb = "would go" if options.dry_run else "removed"
            yield f"{count(file.gone):>9}  of the earlier answers {verb}"
    if options.dry_run:
        for (field, path), number in sorted(ingestion.reader.used.items()):
            if field in PRESETS and number:
                yield f"  --{field} {path}: {counted(number, 'record')}"
        yield from (f"  {example}" for example in ingestion.examples)


if __name__ == "__main__":
    run(main)
