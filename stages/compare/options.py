"""The command line of `python -m stages.compare`."""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from stages.compare.comparison import Comparison, Unmeasured
from stages.compare.revisions import WORKSPACE
from stages.compare.verdict import EXIT_CODES, VERDICTS, Verdict
from stages.contracts.errors import InputError, Problem, nearest, problems_of
from stages.contracts.params import CompareParams

Condition = Verdict | Literal["not run", "unverified"]
"""What `--fail-on` can name: a verdict, changed inputs that were not run, or scores of the head that only git keeps."""
CONDITIONS: tuple[Condition, ...] = (*VERDICTS, "not run", "unverified")
UNVERIFIED = 5
"""The exit code where a head is not worse, its scores are those that git keeps, and `--fail-on` names that."""
_EPILOG = """\
exit codes: 0 unchanged, better or no meaningful difference, 1 worse, 3 cannot tell, 4 could not measure, 2 wrong input. With --fail-on,
0 unless the verdict is one of those named; it can also name not-run (inputs were changed and not run: 4) and unverified (the scores of
HEAD are only those that git keeps: 5). Nothing is checked out and no model is called: results are read from git and DVC's cache or
remote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of one call; files are paths as written, None: not requested. A setting of None is that of `params.yaml`."""

    base: str | None
    head: str
    history: bool
    experiments: bool
    models: tuple[str, str] | None
    rescore: bool
    limit: int
    fail_on: frozenset[Condition]
    min_difference: float | None
    confidence: float | None
    seed: int | None
    markdown: str | None
    json: str | None
    html: str | None
    graphs: str | None
    insert: str | None

    def exit_code(self, result: Comparison | Unmeasured) -> int:
        """The exit code for a result."""
        if result.verdict in self.fail_on or (
            "not run" in self.fail_on and isinstance(result, Unmeasured) and result.not_run
        ):
            return EXIT_CODES[result.verdict]
        recorded = isinstance(result, Comparison) and result.head.recorded
        return UNVERIFIED if recorded and "unverified" in self.fail_on else 0

    def settings(self, written: CompareParams) -> CompareParams:
        """The settings of `params.yaml`, with those of the command line in their place.

        Raises:
            InputError: a value of the command line is out of range.
        """
        names = ("min_difference", "confidence", "seed")
        given = {name: value for name in names if (value := getattr(self, name)) is not None}
        try:
            return CompareParams.model_validate({**written.model_dump(), **given})
        except ValidationError as error:
            raise InputError(problems_of(error, CompareParams, file="command line")) from None


def parse_options(arguments: Sequence[str]) -> Options:
    """The options of a command line; ends the process after `--help` and after wrong usage (code 2).

    Raises:
        InputError: lists all problems: unknown verdicts in `--fail-on`, a missing base, options that exclude each other.
    """
    found = _parser().parse_args(arguments)
    names = list(VERDICTS) if found.fail_on is None else [_verdict_name(name) for name in found.fail_on.split(",")]
    problems = [*_unknown(names), *_conflicts(found)]
    if problems:
        raise InputError(problems)
    fail_on = frozenset(condition for condition in CONDITIONS if condition in names)
    return Options(**{**vars(found), "head": WORKSPACE if found.head is None else found.head, "fail_on": fail_on})


def _verdict_name(written: str) -> str:
    return written.strip().replace("-", " ").replace("_", " ")


def _unknown(names: Iterable[str]) -> list[Problem]:
    allowed = [condition.replace(" ", "-") for condition in CONDITIONS]
    message = 'there is no verdict or condition "{}"{}; allowed are ' + ", ".join(allowed)
    return [
        Problem("--fail-on", "", message.format(name, nearest(name, allowed)))
        for name in names
        if name not in CONDITIONS
    ]


def _conflicts(found: argparse.Namespace) -> list[Problem]:
    listing = "--history" if found.history else "--experiments" if found.experiments else None
    alone = ("head", "--html", "--graphs", "--insert", "--fail-on", "--models")
    refused = [name for name in alone if listing and getattr(found, name.lstrip("-").replace("-", "_")) is not None]
    refused += ["--experiments"] if found.experiments and found.history else []
    message = f"cannot be used with {listing}, which lists several comparisons and has no verdict of its own"
    problems = [Problem("HEAD" if name == "head" else name, "", message) for name in refused]
    if found.base is None and listing is None and found.models is None:
        message = "is missing: name the revision to compare with, for instance HEAD~1 or main"
        problems.append(Problem("BASE", "", message))
    if found.limit < 1:
        problems.append(Problem("--limit", "", f"must be at least 1, found {found.limit}"))
    if found.models and found.head is not None:
        problems.append(Problem("HEAD", "", "cannot be used with --models, which compares two models of one revision"))
    if found.rescore and not found.history:
        message = "needs --history; two sides scored by different rules are always scored again"
        problems.append(Problem("--rescore", "", message))
    return problems


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stages.compare",
        description="Which of two revisions drafts the better graphs, and is the difference more than noise?",
        epilog=_EPILOG,
    )
    add = parser.add_argument
    add("base", nargs="?", metavar="BASE", help="git revision, tag, branch, DVC experiment or workspace")
    add("head", nargs="?", metavar="HEAD", help="the same; default: workspace")
    shown = ", ".join(condition.replace(" ", "-") for condition in CONDITIONS)
    add("--fail-on", metavar="VERDICTS", help=f"{shown}; default: all verdicts")
    add("--markdown", metavar="FILE", help="write the report as Markdown")
    add("--insert", metavar="FILE", help="Markdown to put below the verdict, as of dvc metrics diff --md")
    add("--json", metavar="FILE", help="write the comparison with every number")
    page, graphs = "results/compare.html", "results/compare-graphs.html"
    add("--html", metavar="FILE", nargs="?", const=page, help=f"write a page; default: {page}")
    shown = f"write a page with the graphs that moved farthest, side by side; default: {graphs}"
    add("--graphs", metavar="FILE", nargs="?", const=graphs, help=shown)
    add("--min-difference", type=float, metavar="D", help="instead of compare.min_difference")
    add("--confidence", type=float, metavar="C", help="instead of compare.confidence")
    add("--seed", type=int, metavar="N", help="instead of compare.seed")
    add("--history", action="store_true", help="list the runs along BASE; default: the main branch")
    add("--experiments", action="store_true", help="list the experiments started from BASE; default: HEAD")
    add("--models", nargs=2, metavar=("A", "B"), help="compare two models of BASE, B against A; default: workspace")
    add("--rescore", action="store_true", help="with --history: score every answer by today's rules")
    add("--limit", type=int, default=20, metavar="N", help="with --history: the last N commits; default: 20")
    return parser
