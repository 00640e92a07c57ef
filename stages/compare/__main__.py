"""`python -m stages.compare BASE [HEAD]`: which revision is better; `--history`, `--experiments`: several at once."""

import argparse
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Literal

from rich.console import Console

from stages.compare.comparer import Comparer, Step
from stages.compare.comparison import Comparison, Unmeasured
from stages.compare.revisions import WORKSPACE, Revisions
from stages.compare.verdict import EXIT_CODES, VERDICTS, Verdict
from stages.compare.views import (
    document,
    experiments_markdown,
    history_markdown,
    markdown,
    terminal,
)
from stages.contracts.errors import InputError, Problem, nearest
from stages.shell import paths
from stages.shell.command import run
from stages.shell.files import read_input, write_output
from stages.shell.inputs import load_params

Condition = Verdict | Literal["not run", "unverified"]
"""What `--fail-on` can name: a verdict, changed inputs that were not run, or scores of the head that only git keeps."""
CONDITIONS: tuple[Condition, ...] = (*VERDICTS, "not run", "unverified")
NAMES = tuple(condition.replace(" ", "-") for condition in CONDITIONS)
UNVERIFIED = 5
"""The exit code where a head is not worse, its scores are those that git keeps, and `--fail-on` names that."""
_EPILOG = """\
exit codes: 0 unchanged, better or no meaningful difference, 1 worse, 3 cannot tell, 4 could not measure, 2 wrong input. With --fail-on,
0 unless the verdict is one of those named; it can also name not-run (inputs were changed and not run: 4) and unverified (the scores of
HEAD are only those that git keeps: 5). Nothing is checked out and no model is called: results are read from git and DVC's cache or
remote."""


def main() -> int:
    """Read, compare, show, write; the exit code states the verdict."""
    options = parse_options(sys.argv[1:])
    revisions = Revisions(Path.cwd())
    comparer = Comparer(revisions, load_params())
    if options.history:
        steps, skipped = comparer.history(
            options.base, rescore=options.rescore, limit=options.limit
        )
        _list(history_markdown(steps, skipped=skipped), steps, options)
        return 0
    if options.experiments:
        base, results = comparer.experiments(options.base or "HEAD")
        _list(experiments_markdown(results, base=base), results, options)
        return 0
    if options.models:
        return _show(
            comparer.models(options.base or WORKSPACE, *options.models), revisions, options
        )
    return _show(comparer.compare(options.base, options.head), revisions, options)


def _show(
    result: Comparison | Unmeasured, revisions: Revisions, options: argparse.Namespace
) -> int:
    insert = read_input(Path(options.insert)) if options.insert else ""
    Console(highlight=False).print(terminal(result))
    if options.markdown is not None:
        write_output(Path(options.markdown), markdown(result, insert=insert).encode())
    if options.json is not None:
        write_output(Path(options.json), document(result))
    if options.html is not None:
        from stages.compare.pages import (
            comparison_page,
        )  # it loads the site and the charts: only on request

        has_site = (paths.SITE / "index.html").is_file()
        site = (
            Path(os.path.relpath(paths.SITE, Path(options.html).parent)).as_posix()
            if has_site
            else ""
        )
        write_output(Path(options.html), comparison_page(result, site=site))
    if options.graphs is not None and isinstance(result, Comparison):
        from stages.compare.pages import graphs_page

        write_output(Path(options.graphs), graphs_page(result, revisions))
    elif options.graphs is not None:
        print(f"{options.graphs} was not written: there are no two sides to show", file=sys.stderr)
    return exit_code(result, options.fail_on)


def _list(
    text: str, found: Sequence[Step | Comparison | Unmeasured], options: argparse.Namespace
) -> None:
    if sys.stdout.isatty():
        from rich.markdown import Markdown  # it brings a parser: only where it is shown

        Console(highlight=False).print(Markdown(text))
    else:
        print(text, end="")
    if options.markdown is not None:
        write_output(Path(options.markdown), text.encode())
    if options.json is not None:
        write_output(Path(options.json), document(found))


def exit_code(result: Comparison | Unmeasured, fail_on: Collection[Condition]) -> int:
    """The exit code for a result, 0 unless one of the conditions holds."""
    not_run = isinstance(result, Unmeasured) and result.not_run
    if result.verdict in fail_on or (not_run and "not run" in fail_on):
        return EXIT_CODES[result.verdict]
    recorded = isinstance(result, Comparison) and result.head.recorded
    return UNVERIFIED if recorded and "unverified" in fail_on else 0


def parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line, files as written or None, `fail_on` as conditions; ends the process after `--help` (code 0 or 2).

    Raises:
        InputError: lists all problems: unknown verdicts in `--fail-on`, a missing base, options that exclude each other.
    """
    found = _parser().parse_args(arguments)
    problems = list(_problems(found))
    if problems:
        raise InputError(problems)
    found.head = WORKSPACE if found.head is None else found.head
    found.fail_on = VERDICTS if found.fail_on is None else found.fail_on
    return found


def _conditions(written: str) -> tuple[str, ...]:
    return tuple(name.strip().replace("-", " ").replace("_", " ") for name in written.split(","))


def _problems(found: argparse.Namespace) -> Iterator[Problem]:
    for name in found.fail_on or ():
        if name not in CONDITIONS:
            message = f'there is no verdict or condition "{name}"{nearest(name, NAMES)}; allowed are {", ".join(NAMES)}'
            yield Problem("--fail-on", "", message)
    listing = "--history" if found.history else "--experiments" if found.experiments else ""
    refused = {
        "HEAD": found.head,
        "--models": found.models,
        "--html": found.html,
        "--graphs": found.graphs,
    }
    refused |= {"--insert": found.insert, "--fail-on": found.fail_on}
    refused |= {"--experiments": True} if found.experiments and found.history else {}
    for name, value in refused.items():
        if listing and value is not None:
            message = f"cannot be used with {listing}, which lists several comparisons and has no verdict of its own"
            yield Problem(name, "", message)
    if not (found.base or listing or found.models):
        yield Problem(
            "BASE", "", "is missing: name the revision to compare with, for instance HEAD~1 or main"
        )
    if found.limit < 1:
        yield Problem("--limit", "", f"must be at least 1, found {found.limit}")
    if found.models and found.head is not None:
        yield Problem(
            "HEAD", "", "cannot be used with --models, which compares two models of one revision"
        )
    if found.rescore and not found.history:
        yield Problem(
            "--rescore",
            "",
            "needs --history; two sides scored by different rules are always scored again",
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stages.compare",
        description="Which of two revisions drafts the better graphs, and is the difference more than noise?",
        epilog=_EPILOG,
    )
    add = parser.add_argument
    add(
        "base",
        nargs="?",
        metavar="BASE",
        help="git revision, tag, branch, DVC experiment or workspace",
    )
    add("head", nargs="?", metavar="HEAD", help="the same; default: workspace")
    add(
        "--fail-on",
        type=_conditions,
        metavar="VERDICTS",
        help=f"{', '.join(NAMES)}; default: all verdicts",
    )
    add("--markdown", metavar="FILE", help="write the report as Markdown")
    add(
        "--insert",
        metavar="FILE",
        help="Markdown to put below the verdict, as of dvc metrics diff --md",
    )
    add("--json", metavar="FILE", help="write the comparison with every number")
    page, graphs = "results/compare.html", "results/compare-graphs.html"
    add("--html", metavar="FILE", nargs="?", const=page, help=f"write a page; default: {page}")
    shown = f"write a page with the graphs that moved farthest, side by side; default: {graphs}"
    add("--graphs", metavar="FILE", nargs="?", const=graphs, help=shown)
    add("--history", action="store_true", help="list the runs along BASE; default: the main branch")
    add(
        "--experiments",
        action="store_true",
        help="list the experiments started from BASE; default: HEAD",
    )
    add(
        "--models",
        nargs=2,
        metavar=("A", "B"),
        help="compare two models of BASE, B against A; default: workspace",
    )
    add(
        "--rescore", action="store_true", help="with --history: score every answer by today's rules"
    )
    add(
        "--limit",
        type=int,
        default=20,
        metavar="N",
        help="with --history: the last N commits; default: 20",
    )
    return parser


if __name__ == "__main__":
    run(main)
