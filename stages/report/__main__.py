"""`graph-evaluator report`: turns scorecards into everything that people read."""

import argparse
import sys

from stages.report.files import read_findings, write_report
from stages.report.terminal import terminal
from stages.shared.present.terminal import open_console
from stages.shared.shell import paths
from stages.shared.shell.command import run

EXAMPLE = """example:
  graph-evaluator score && graph-evaluator report"""


def main() -> None:
    """Write the metrics, the tables, the pages and the site, and print the findings."""
    argparse.ArgumentParser(
        prog="graph-evaluator report",
        description="Which model to take for each mode, how sure that is, what it costs and what "
        "failed: from results/scorecards.jsonl and results/responses to the other files in "
        "results/.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).parse_args()
    findings, sources = read_findings()
    write_report(findings, sources)
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    console = open_console()
    site = (paths.SITE / "index.html").as_posix()
    console.print(*terminal(findings, site, console.width), sep="\n")


if __name__ == "__main__":
    run(main)
