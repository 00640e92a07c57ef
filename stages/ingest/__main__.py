"""`python -m stages.ingest LOG --as ID`: makes a recorded model of a log of answers: its answers,
its config, and a brief with purpose: traffic for each input that has none.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from stages.contracts.errors import input_error
from stages.ingest.exchanges import ExchangeReader
from stages.ingest.files import RecordedFiles
from stages.ingest.ingestion import Ingestion
from stages.ingest.log_files import Columns
from stages.ingest.matching import Matcher, text_sha256
from stages.ingest.redacting import Redactor
from stages.shell.command import command_parser, run
from stages.shell.inputs import map_briefs
from stages.shell.numbers import count, counted

_DESCRIPTION = """\
Make a recorded model of logged answers: answers/ID.jsonl, models/ID.json, and for each input that
no brief has a brief with purpose: traffic. Calls no model. Logs: JSON Lines, CSV, requests and
answers of a batch, promptfoo's results; docs/recorded.md has their forms."""
_EXAMPLES = (
    "log.jsonl --as production",
    "answers.csv --as survey --input-column question --output-column reply",
    "requests.jsonl output.jsonl --as nightly --dry-run",
    r"log.jsonl --as production --redact '[\w.]+@[\w.]+'",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the logs, print what they are, and write the files."""
    options = _parse_options(arguments)
    columns = Columns(options.input_column, options.output_column)
    redactor = Redactor(options.redact)
    reader = ExchangeReader(columns)
    matcher = Matcher(options.model_id, _brief_hashes(), reader, redactor, options.provider)
    ingestion = Ingestion(matcher)
    for log in options.logs:
        ingestion.read(log, columns)
    files = RecordedFiles(options.model_id, ingestion)
    files.check()
    for line in _summary(ingestion, redactor):
        print(line)
    if options.dry_run:
        print("dry run: nothing was written")
        return
    written = files.write()
    _print_written(written, ingestion.new_briefs, files)


def _brief_hashes() -> dict[str, str]:
    """The hash of the text of each brief, by id."""
    return dict(map_briefs(lambda brief: (brief.id, text_sha256(brief.body))))


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = command_parser("ingest", _DESCRIPTION, *_EXAMPLES)
    add = parser.add_argument
    add("logs", metavar="LOG", nargs="+", type=Path, help="a log; the requests of a batch first")
    add("--as", dest="model_id", metavar="ID", required=True, help="the id of the recorded model")
    named = "the column or key with the input, or promptfoo's variable (default: %(default)s)"
    add("--input-column", metavar="NAME", default="input", help=named)
    output = "the column or key with the output (default: %(default)s)"
    add("--output-column", metavar="NAME", default="output", help=output)
    redact = "replace what a regular expression matches, before anything else; repeatable"
    add("--redact", metavar="PATTERN", action="append", default=[], help=redact)
    add("--provider", metavar="NAME", help="of promptfoo's results, those of one provider alone")
    add("--dry-run", action="store_true", help="print what there is, and write nothing")
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", options.model_id):
        message = "must be at most 80 letters, digits, . _ - and start with a letter or digit"
        raise input_error("command line", "--as", message)
    return options


def _summary(ingestion: Ingestion, redactor: Redactor) -> Iterator[str]:
    """How many entries became what, and the first that cannot be used."""
    for state, number in sorted(ingestion.counts.items()):
        yield f"{count(number):>9}  {state}"
    yield from (f"           {text}" for text in ingestion.unreadable)
    if redactor.replaced:
        matches = "matches of --redact, and what looks like a key, replaced"
        yield f"{count(redactor.replaced):>9}  {matches}"


def _print_written(written: Sequence[Path], new_briefs: int, files: RecordedFiles) -> None:
    if not written:
        print("nothing changed")
        return
    names = [file.as_posix() for file in written]
    if new_briefs:
        names.append(f"{counted(new_briefs, 'brief')} with purpose: traffic")
    print(f"written: {', '.join(names)}")
    print(f"what became of each line: {files.report.as_posix()}")


if __name__ == "__main__":
    run(main)
