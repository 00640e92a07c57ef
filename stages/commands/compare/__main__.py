"""`graph-evaluator compare BASELINE [CANDIDATE]`: compares two revisions and says which is better,
or lists the runs along a branch with `--history`.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from stages.commands.compare.comparer import Comparer
from stages.commands.compare.comparison import Comparison, Unmeasured
from stages.commands.compare.history import Step, list_runs
from stages.commands.compare.options import exit_code, parse_options
from stages.commands.compare.revisions import WORKSPACE, Revisions
from stages.commands.compare.views import (
    document,
    junit_xml,
    listing_markdown,
    listing_terminal,
    markdown,
    terminal,
)
from stages.commands.compare.wording import describe
from stages.shared.present.table import Table
from stages.shared.present.terminal import open_console
from stages.shared.shell.command import run
from stages.shared.shell.files import read_input, write_output
from stages.shared.shell.inputs import load_params
from stages.shared.shell.pages import way_to_site, write_page


def main() -> int:
    """Read, compare, show, write; the exit code states the verdict."""
    options = parse_options(sys.argv[1:])
    comparer = Comparer(Revisions(Path.cwd()), load_params())
    if options.history:
        steps, skipped = comparer.history(options.baseline, limit=options.limit)
        _deliver_list(list_runs(steps, skipped), steps, options)
        if options.html is not None:
            from stages.commands.compare.pages import history_page  # it loads the charts

            page = history_page(steps, skipped, site=way_to_site(options.html))
            write_page(options.html, page, "History of the runs")
        return 0
    if options.models:
        result = comparer.models(options.baseline or WORKSPACE, *options.models)
    else:
        result = comparer.compare(options.baseline, options.candidate)
    _deliver_result(result, options)
    return exit_code(result, options.fail_on)


def _deliver_list(listing: Table, steps: Sequence[Step], options: Namespace) -> None:
    """Show the list of runs, and write it and its numbers."""
    console = open_console()
    console.print(*listing_terminal(listing, console.width), sep="\n")
    _write_report(listing_markdown(listing), document(steps), options)


def _deliver_result(result: Comparison | Unmeasured, options: Namespace) -> None:
    """Show one comparison, and write its report, its numbers and its page."""
    insert = read_input(options.insert) if options.insert else ""
    console = open_console()
    console.print(*terminal(result, console.width), sep="\n")
    _write_report(markdown(result, insert=insert), document(result), options)
    if options.junit is not None:
        write_output(options.junit, junit_xml(result))
    if options.html is not None:
        from stages.commands.compare.pages import comparison_page  # it loads the charts

        page = comparison_page(result, site=way_to_site(options.html))
        write_page(options.html, page, f"Comparison: {describe(result).title}")


def _write_report(report: str, values: bytes, options: Namespace) -> None:
    if options.markdown is not None:
        write_output(options.markdown, report.encode())
    if options.json is not None:
        write_output(options.json, values)


if __name__ == "__main__":
    run(main)
