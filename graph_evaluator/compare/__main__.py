"""`graph-evaluator compare BASELINE [CANDIDATE]`: compares two revisions and says which is better,
or lists the runs along a branch with `--history`.
"""

import argparse
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Collection, Sequence
from pathlib import Path

from graph_evaluator.compare.comparer import Comparer
from graph_evaluator.compare.comparison import Comparison, NotCompared
from graph_evaluator.compare.revisions import WORKSPACE, NoResults, Revisions
from graph_evaluator.compare.verdict import EXIT_CODES
from graph_evaluator.compare.views import NOTHING, comparison_page, document, markdown, terminal
from graph_evaluator.compare.wording import MAX_SHOWN, Report, describe, describe_runs
from graph_evaluator.present.terminal import open_console
from graph_evaluator.records.errors import nearest
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import command_parser, run, show, typed_path
from graph_evaluator.shell.inputs import load_params
from graph_evaluator.shell.paths import way_to_site, write_atomic

CONDITIONS = (*EXIT_CODES, "not run", "choice changed")
"""What `--fail-on` can name: a verdict, inputs that were changed and not run, or more recommended
options that changed than reruns of the baseline explain.
"""
CHOICE_CHANGED_CODE = 1
CONDITION_NAMES = tuple(condition.replace(" ", "-") for condition in CONDITIONS)
COMPARISON_PAGE = paths.RESULTS / "compare.html"
_INTRODUCTION = """\
When to use it: a prompt, a model or the rules have changed, both sides have run, and you want to \
know which drafts the better graphs, by more than noise.
It reads results from git and DVC's cache or remote. It checks nothing out and calls no model."""
_NOTES = """\

exit codes: 0 unchanged, better or no meaningful difference; 1 worse; 3 mixed or cannot tell; \
4 could not measure; 2 wrong input. With --fail-on: 0 unless a named verdict applies. It also \
takes not-run (inputs were changed and not run: 4) and choice-changed (more recommended options \
changed than reruns of the baseline explain: 1; needs generate.samples: 2)."""


def main() -> int:
    """Read, compare, show, write; the exit code states the verdict."""
    options = parse_options(sys.argv[1:])
    comparer = Comparer(Revisions(Path.cwd()), load_params())
    if options.history:
        steps, skipped = comparer.history(options.baseline, limit=MAX_SHOWN)
        _deliver(describe_runs(steps, skipped), document(steps), options)
        return 0
    result = _compare(comparer, options)
    report = describe(result)
    _deliver(report, document(result), options)
    if options.html:
        shown = comparer.page_evidence(result) if isinstance(result, Comparison) else NOTHING
        page = comparison_page(result, shown, site=way_to_site(options.html))
        _write(options.html, page)
    return exit_code(result, options.fail_on)


def _compare(comparer: Comparer, options: Namespace) -> Comparison | NotCompared:
    baseline, candidate = options.models or (options.baseline, options.candidate)
    try:
        if options.models:
            return comparer.models(options.baseline, baseline, candidate)
        return comparer.compare(baseline, candidate)
    except NoResults as error:
        return NotCompared(
            baseline=baseline, candidate=candidate, reasons=error.reasons, not_run=error.not_run
        )


def _deliver(report: Report, values: bytes, options: Namespace) -> None:
    """Show a report, and write it and its numbers."""
    console = open_console()
    shown = terminal(report, console.width, full=options.full)
    console.print(*shown, sep="\n")
    _write(options.markdown, markdown(report).encode())
    _write(options.json, values)


def _write(file: Path | None, content: bytes) -> None:
    if file:
        write_atomic(file, content)
        show(f"written: {file.as_posix()}")


def exit_code(result: Comparison | NotCompared, fail_on: Collection[str]) -> int:
    """The exit code for a result, 0 unless one of the conditions holds; of two the higher code."""
    found: set[str] = {result.verdict}
    if isinstance(result, NotCompared) and result.not_run:
        found.add("not run")
    codes = [EXIT_CODES[result.verdict]] if found.intersection(fail_on) else [0]
    has_other_choices = isinstance(result, Comparison) and result.choices.changed
    if has_other_choices and "choice changed" in fail_on:
        codes.append(CHOICE_CHANGED_CODE)
    return max(codes)


def parse_options(arguments: Sequence[str]) -> Namespace:
    """The options: files as written or None, `fail_on` as conditions; ends the process after
    `--help`, and where options exclude each other or the baseline is missing.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    comparing = {
        "CANDIDATE": options.candidate,
        "--models": options.models,
        "--fail-on": options.fail_on,
        "--html": options.html,
    }
    unfit = [name for name, value in comparing.items() if value is not None]
    if options.history and unfit:
        reason = "which is a list without a verdict of its own"
        parser.error(f"{', '.join(unfit)} cannot be used with --history, {reason}")
    if options.models and options.candidate is not None:
        parser.error("CANDIDATE cannot be used with --models, which are of one revision")
    if options.baseline is None:
        if not (options.history or options.models):
            parser.error("BASELINE is missing: the revision to compare with, such as main")
        options.baseline = "HEAD" if options.history else WORKSPACE
    options.candidate = WORKSPACE if options.candidate is None else options.candidate
    options.html = COMPARISON_PAGE if options.html is True else options.html
    options.fail_on = EXIT_CODES if options.fail_on is None else options.fail_on
    return options


def _read_conditions(text: str) -> list[str]:
    names = [name.strip().replace("-", " ").replace("_", " ") for name in text.split(",")]
    for name in names:
        if name not in CONDITIONS:
            hint, allowed = nearest(name, CONDITION_NAMES), ", ".join(CONDITION_NAMES)
            raise ArgumentTypeError(f'there is no "{name}"{hint}; allowed are {allowed}')
    return names


def _parser() -> argparse.ArgumentParser:
    examples = ("HEAD~1", "main my-branch --markdown report.md", "--models gpt-4.1 gpt-4.1-mini")
    parser = command_parser("compare", _INTRODUCTION, *examples, "--history", notes=_NOTES)
    add = parser.add_argument
    revision = "git revision, tag, branch, DVC experiment or workspace"
    add("baseline", nargs="?", metavar="BASELINE", help=revision)
    add("candidate", nargs="?", metavar="CANDIDATE", help="the same; default: workspace")
    conditions = f"{', '.join(CONDITION_NAMES)}; default: the verdicts"
    add("--fail-on", type=_read_conditions, metavar="VERDICTS", help=conditions)
    add("--full", action="store_true", help="show every row, and what was compared and how")
    add("--markdown", metavar="FILE", type=typed_path, help="write the report as Markdown")
    add("--json", metavar="FILE", type=typed_path, help="write the comparison with every number")
    page = f"write a page; default: {COMPARISON_PAGE}"
    add("--html", metavar="FILE", type=typed_path, nargs="?", const=True, help=page)
    history = f"list the last {MAX_SHOWN} runs along BASELINE; default: HEAD"
    add("--history", action="store_true", help=history)
    models = "compare two models of BASELINE, B against A; default: workspace"
    add("--models", nargs=2, metavar=("A", "B"), help=models)
    return parser


if __name__ == "__main__":
    run(main)
