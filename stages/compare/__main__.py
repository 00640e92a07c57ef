"""`python -m stages.compare BASE [HEAD]`: compares two revisions and says which is better,
or lists several with `--history` or `--experiments`.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from stages.compare.comparer import Comparer, Step
from stages.compare.comparison import Comparison, Unmeasured
from stages.compare.listing import list_experiments, list_runs
from stages.compare.options import exit_code, parse_options
from stages.compare.revisions import WORKSPACE, Revisions
from stages.compare.views import (
    document,
    junit_xml,
    listing_markdown,
    listing_terminal,
    markdown,
    terminal,
)
from stages.compare.wording import title
from stages.present.table import Table
from stages.present.terminal import open_console
from stages.shell.command import run
from stages.shell.files import read_input, write_output
from stages.shell.inputs import load_params
from stages.shell.pages import way_to_site, write_page


def main() -> int:
    """Read, compare, show, write; the exit code states the verdict."""
    options = parse_options(sys.argv[1:])
    revisions = Revisions(Path.cwd())
    comparer = Comparer(revisions, load_params())
    if options.history:
        steps, skipped = comparer.history(
            options.base, rescore=options.rescore, limit=options.limit
        )
        _deliver_list(list_runs(steps, skipped), steps, options)
        if options.html is not None:
            from stages.compare.pages import history_page  # it loads the charts

            page = history_page(steps, skipped, site=way_to_site(Path(options.html)))
            write_page(Path(options.html), page, "History of the runs")
        return 0
    if options.experiments:
        base, results = comparer.experiments(options.base or "HEAD")
        _deliver_list(list_experiments(results, base), results, options)
        return 0
    if options.models:
        result = comparer.models(options.base or WORKSPACE, *options.models)
    else:
        result = comparer.compare(options.base, options.head)
    _deliver_result(result, revisions, options)
    return exit_code(result, options.fail_on)


def _deliver_list(
    listing: Table, results: Sequence[Step | Comparison | Unmeasured], options: Namespace
) -> None:
    """Show a list of comparisons, and write it and its numbers."""
    console = open_console()
    console.print(*listing_terminal(listing, console.width), sep="\n")
    _write_report(listing_markdown(listing), document(results), options)


def _deliver_result(
    result: Comparison | Unmeasured, revisions: Revisions, options: Namespace
) -> None:
    """Show one comparison, and write its report, its numbers and its pages."""
    insert = read_input(Path(options.insert)) if options.insert else ""
    console = open_console()
    console.print(*terminal(result, console.width), sep="\n")
    _write_report(markdown(result, insert=insert), document(result), options)
    if options.junit is not None:
        write_output(Path(options.junit), junit_xml(result))
    if options.html is not None or options.graphs is not None:
        _write_pages(result, revisions, options)


def _write_report(report: str, values: bytes, options: Namespace) -> None:
    if options.markdown is not None:
        write_output(Path(options.markdown), report.encode())
    if options.json is not None:
        write_output(Path(options.json), values)


def _write_pages(result: Comparison | Unmeasured, revisions: Revisions, options: Namespace) -> None:
    # they load the site and the charts
    from stages.compare.pages import comparison_page, graphs_page

    if options.html is not None:
        page = comparison_page(result, site=way_to_site(Path(options.html)))
        write_page(Path(options.html), page, f"Comparison: {title(result)}")
    if options.graphs is None:
        return
    if isinstance(result, Unmeasured):
        reason = "there are no two sides to show"
        print(f"{options.graphs} was not written: {reason}", file=sys.stderr)
    else:
        page = graphs_page(result, revisions, site=way_to_site(Path(options.graphs)))
        write_page(Path(options.graphs), page, f"Graphs: {title(result)}")


if __name__ == "__main__":
    run(main)
