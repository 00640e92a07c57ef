"""The command line of `python -m stages.compare`."""

import argparse
from collections.abc import Sequence

import msgspec

from stages.compare.side import WORKSPACE
from stages.compare.verdict import EXIT_CODES, VERDICTS, Verdict
from stages.contracts.errors import InputError, Problem, nearest

_EPILOG = """\
exit codes: 0 better, 1 worse, 3 cannot tell, 4 could not measure, 2 wrong input. With --fail-on, 0 unless the verdict is one of
those named. Nothing is checked out and no model is called: results are read from git and DVC's cache or remote."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for; files are paths as written, None: not wanted. A setting of None is that of `params.yaml`."""

    base: str | None
    head: str
    history: bool
    rescore: bool
    limit: int
    fail_on: frozenset[Verdict]
    min_difference: float | None
    confidence: float | None
    seed: int | None
    markdown: str | None
    json: str | None
    html: str | None
    graphs: str | None
    insert: str | None

    def exit_code(self, verdict: Verdict) -> int:
        """The code to end with."""
        return EXIT_CODES[verdict] if verdict in self.fail_on else 0


def parse_options(arguments: Sequence[str]) -> Options:
    """The options that a command line holds; ends the process after `--help` and after wrong usage (code 2).

    Raises:
        InputError: `--fail-on` names no verdict, or the base is missing.
    """
    found = _parser().parse_args(arguments)
    fail_on: list[Verdict] = (
        list(VERDICTS) if found.fail_on is None else [_verdict(name) for name in found.fail_on.split(",")]
    )
    if found.base is None and not found.history:
        raise InputError(
            [Problem("BASE", "", "is missing: name the revision to compare with, for instance HEAD~1 or main")]
        )
    return Options(
        base=found.base,
        head=found.head,
        history=found.history,
        rescore=found.rescore,
        limit=found.limit,
        fail_on=frozenset(fail_on),
        min_difference=found.min_difference,
        confidence=found.confidence,
        seed=found.seed,
        markdown=found.markdown,
        json=found.json,
        html=found.html,
        graphs=found.graphs,
        insert=found.insert,
    )


def _verdict(name: str) -> Verdict:
    wanted = name.strip().replace("-", " ").replace("_", " ")
    for verdict in VERDICTS:
        if verdict == wanted:
            return verdict
    allowed = [verdict.replace(" ", "-") for verdict in VERDICTS]
    message = f'there is no verdict "{name}"{nearest(name, allowed)}; allowed are {", ".join(allowed)}'
    raise InputError([Problem("--fail-on", "", message)])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stages.compare",
        description="Which of two revisions drafts the better graphs, and is that more than noise?",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "base", nargs="?", metavar="BASE", help="git revision, tag, branch, DVC experiment or workspace"
    )
    parser.add_argument("head", nargs="?", metavar="HEAD", default=WORKSPACE, help="the same; default: workspace")
    parser.add_argument(
        "--fail-on", metavar="VERDICTS", help="better, worse, cannot-tell, could-not-measure; default: all"
    )
    parser.add_argument("--markdown", metavar="FILE", help="write the report as Markdown")
    parser.add_argument(
        "--insert", metavar="FILE", help="Markdown to put below the verdict, as of dvc metrics diff --md"
    )
    parser.add_argument("--json", metavar="FILE", help="write the comparison with every number")
    parser.add_argument(
        "--html",
        metavar="FILE",
        nargs="?",
        const="results/compare.html",
        help="write a page; default: results/compare.html",
    )
    parser.add_argument(
        "--graphs",
        metavar="FILE",
        nargs="?",
        const="results/compare-graphs.html",
        help="write a page with the graphs that moved farthest, side by side; default: results/compare-graphs.html",
    )
    parser.add_argument("--min-difference", type=float, metavar="D", help="instead of compare.min_difference")
    parser.add_argument("--confidence", type=float, metavar="C", help="instead of compare.confidence")
    parser.add_argument("--seed", type=int, metavar="N", help="instead of compare.seed")
    parser.add_argument("--history", action="store_true", help="list the runs along BASE, or else the main branch")
    parser.add_argument("--rescore", action="store_true", help="with --history: score every answer by today's rules")
    parser.add_argument(
        "--limit", type=int, default=20, metavar="N", help="with --history: the last N commits; default: 20"
    )
    return parser
