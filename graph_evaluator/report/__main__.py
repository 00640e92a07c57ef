"""`graph-evaluator report`: writes the site, the summary and the decision."""

import sys

from graph_evaluator.present.terminal import open_console
from graph_evaluator.report.files import report, write_single_file
from graph_evaluator.report.texts import terminal
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import command_parser, refuse_next_to_run, run, show

SINGLE_FILE = paths.RESULTS / "site.html"
_INTRODUCTION = """\
When to use it: answers are scored and you want the pages again. `dvc repro` runs it for you.
From results/scorecards.jsonl and results/responses it writes which model to take for each mode, \
how sure that is, what it costs and what failed: results/site/index.html and the other files of \
results/. No model is called."""


def main() -> None:
    """Write the metrics, the tables, the pages and the site, and print the findings."""
    parser = command_parser("report", _INTRODUCTION, "", "--single-file")
    text = f"also write the site as one file to send: {SINGLE_FILE}"
    parser.add_argument("--single-file", action="store_true", help=text)
    options = parser.parse_args()
    refuse_next_to_run()
    findings = report()
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    console = open_console()
    site = (paths.SITE / "index.html").as_posix()
    console.print(*terminal(findings, site, console.width), sep="\n")
    if options.single_file:
        write_single_file(SINGLE_FILE)
        show(f"written: {SINGLE_FILE.as_posix()}")


if __name__ == "__main__":
    run(main)
