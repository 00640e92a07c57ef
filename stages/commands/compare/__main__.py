"""`graph-evaluator compare BASELINE [CANDIDATE]`: compares two revisions and says which is better,
or lists the runs along a branch with `--history`.
"""

import argparse
import sys
from argparse import Namespace
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from stages.commands.compare.comparer import Comparer
from stages.commands.compare.comparison import Comparison, Unmeasured
from stages.commands.compare.history import Step, list_runs
from stages.commands.compare.revisions import WORKSPACE, Revisions
from stages.commands.compare.verdict import EXIT_CODES, VERDICTS, Verdict
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
from stages.shared.records.errors import InputError, Problem, nearest
from stages.shared.shell import paths
from stages.shared.shell.command import command_parser, run, show, typed_path
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
        _name_written(options)
        return 0
    if options.models:
        result = comparer.models(options.baseline or WORKSPACE, *options.models)
    else:
        result = comparer.compare(options.baseline, options.candidate)
    _deliver_result(result, options)
    _name_written(options)
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


def _name_written(options: Namespace) -> None:
    for file in (options.markdown, options.json, options.junit, options.html):
        if file is not None:
            show(f"written: {file.as_posix()}")


Condition: TypeAlias = Verdict | Literal["not run", "unverified"]
"""What `--fail-on` can name.

A verdict, inputs that were changed and not run, or scores of the candidate that only git keeps.
"""
CONDITIONS: tuple[Condition, ...] = (*VERDICTS, "not run", "unverified")
CONDITION_NAMES = tuple(condition.replace(" ", "-") for condition in CONDITIONS)
UNVERIFIED_EXIT_CODE = 5
"""Of a candidate that is not worse, by scores that only git keeps, where `--fail-on` names that."""
RUNS_LISTED = 20
"""Without `--limit`."""
COMPARISON_PAGE = paths.RESULTS / "compare.html"
HISTORY_PAGE = paths.RESULTS / "history.html"
_INTRODUCTION = """\
When to use it: a prompt, a model or the rules have changed and both sides have run: which drafts \
the better graphs, and is the difference more than noise?
Nothing is checked out and no model is called: results are read from git and \
DVC's cache or remote."""
_NOTES = """\

exit codes: 0 unchanged, better or no meaningful difference, 1 worse, 3 mixed or cannot tell, \
4 could not measure, 2 wrong input. With --fail-on, 0 unless the verdict is one of those named; it \
can also name not-run (inputs were changed and not run: 4) and unverified (the scores of CANDIDATE \
are only those that git keeps: 5)."""


def exit_code(result: Comparison | Unmeasured, fail_on: Collection[Condition]) -> int:
    """The exit code for a result, 0 unless one of the conditions holds."""
    not_run = isinstance(result, Unmeasured) and result.not_run
    if result.verdict in fail_on or (not_run and "not run" in fail_on):
        return EXIT_CODES[result.verdict]
    recorded = isinstance(result, Comparison) and result.candidate.recorded
    return UNVERIFIED_EXIT_CODE if recorded and "unverified" in fail_on else 0


def parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    """The options: files as written or None, `fail_on` as conditions; ends the process after
    `--help`.

    Raises:
        InputError: lists all problems: unknown conditions, a missing baseline, options that exclude
            each other.
    """
    options = _parser().parse_args(arguments)
    problems = list(_problems(options))
    if problems:
        raise InputError(problems)
    options.candidate = WORKSPACE if options.candidate is None else options.candidate
    if options.html is True:
        options.html = HISTORY_PAGE if options.history else COMPARISON_PAGE
    options.limit = RUNS_LISTED if options.limit is None else options.limit
    options.fail_on = VERDICTS if options.fail_on is None else options.fail_on
    return options


def _read_conditions(text: str) -> tuple[str, ...]:
    return tuple(name.strip().replace("-", " ").replace("_", " ") for name in text.split(","))


def _problems(options: argparse.Namespace) -> Iterator[Problem]:
    for name in options.fail_on or ():
        if name not in CONDITIONS:
            hint, allowed = nearest(name, CONDITION_NAMES), ", ".join(CONDITION_NAMES)
            message = f'there is no verdict or condition "{name}"{hint}; allowed are {allowed}'
            yield Problem("--fail-on", "", message)
    yield from _problems_of_kind(options)
    if options.models and options.candidate is not None:
        yield Problem("CANDIDATE", "", "cannot be used with --models, which are of one revision")


def _problems_of_kind(options: argparse.Namespace) -> Iterator[Problem]:
    """What does not go with the list of runs, and what a single comparison lacks."""
    if not options.history:
        if not (options.baseline or options.models):
            message = "is missing: name the revision to compare with, for instance HEAD~1 or main"
            yield Problem("BASELINE", "", message)
        if options.limit is not None:
            yield Problem("--limit", "", "can be used only with --history")
        return
    refused = {
        "CANDIDATE": options.candidate,
        "--insert": options.insert,
        "--junit": options.junit,
        "--fail-on": options.fail_on,
    }
    reason = "which lists several comparisons and has no verdict of its own"
    for name, value in refused.items():
        if value is not None:
            yield Problem(name, "", f"cannot be used with --history, {reason}")
    if options.limit is not None and options.limit < 1:
        yield Problem("--limit", "", f"must be at least 1, found {options.limit}")


def _parser() -> argparse.ArgumentParser:
    examples = ("HEAD~1", "main my-branch --markdown report.md", "--models gpt-4.1 gpt-4.1-mini")
    parser = command_parser("compare", _INTRODUCTION, *examples, "--history", notes=_NOTES)
    add = parser.add_argument
    revision = "git revision, tag, branch, DVC experiment or workspace"
    add("baseline", nargs="?", metavar="BASELINE", help=revision)
    add("candidate", nargs="?", metavar="CANDIDATE", help="the same; default: workspace")
    conditions = f"{', '.join(CONDITION_NAMES)}; default: all but the last two"
    add("--fail-on", type=_read_conditions, metavar="VERDICTS", help=conditions)
    add("--markdown", metavar="FILE", type=typed_path, help="write the report as Markdown")
    insert = "Markdown to put below the verdict, as of dvc metrics diff --md"
    add("--insert", metavar="FILE", type=typed_path, help=insert)
    add("--json", metavar="FILE", type=typed_path, help="write the comparison with every number")
    junit = "write JUnit XML: only worse fails; without a verdict, or mixed, it is skipped"
    add("--junit", metavar="FILE", type=typed_path, help=junit)
    page = f"write a page; default: {COMPARISON_PAGE}, with --history {HISTORY_PAGE}"
    add("--html", metavar="FILE", type=typed_path, nargs="?", const=True, help=page)
    kind = parser.add_mutually_exclusive_group()
    history = "list the runs along BASELINE; default: the main branch"
    kind.add_argument("--history", action="store_true", help=history)
    models = "compare two models or policies of BASELINE, B against A; default: workspace"
    kind.add_argument("--models", nargs=2, metavar=("A", "B"), help=models)
    limit = f"with --history: the last N commits; default: {RUNS_LISTED}"
    add("--limit", type=int, metavar="N", help=limit)
    return parser


if __name__ == "__main__":
    run(main)
