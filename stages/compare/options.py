"""The command line of `python -m stages.compare`."""

import argparse
from collections.abc import Iterable, Sequence

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
    experiments: bool
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
        InputError: `--fail-on` names what is no verdict, the base is missing, or options do not go together: all of it.
    """
    found = _parser().parse_args(arguments)
    names = list(VERDICTS) if found.fail_on is None else [_verdict_name(name) for name in found.fail_on.split(",")]
    problems = [*_unknown(names), *_at_odds(found)]
    if problems:
        raise InputError(problems)
    fail_on = [verdict for verdict in VERDICTS if verdict in names]
    return Options(
        base=found.base,
        head=WORKSPACE if found.head is None else found.head,
        history=found.history,
        experiments=found.experiments,
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


def _verdict_name(written: str) -> str:
    return written.strip().replace("-", " ").replace("_", " ")


def _unknown(names: Iterable[str]) -> list[Problem]:
    allowed = [verdict.replace(" ", "-") for verdict in VERDICTS]
    return [
        Problem(
            "--fail-on", "", f'there is no verdict "{name}"{nearest(name, allowed)}; allowed are {", ".join(allowed)}'
        )
        for name in names
        if name not in VERDICTS
    ]


def _at_odds(found: argparse.Namespace) -> list[Problem]:
    problems = []
    listing = "--history" if found.history else "--experiments" if found.experiments else None
    if found.base is None and listing is None:
        message = "is missing: name the revision to compare with, for instance HEAD~1 or main"
        problems.append(Problem("BASE", "", message))
    if found.limit < 1:
        problems.append(Problem("--limit", "", f"should be at least 1, found {found.limit}"))
    if listing:
        told = {"HEAD": found.head, "--html": found.html, "--graphs": found.graphs, "--insert": found.insert}
        told["--fail-on"] = found.fail_on
        told["--experiments"] = (found.experiments and found.history) or None
        without = f"goes without {listing}, which lists and has no verdict of its own"
        problems += [Problem(name, "", without) for name, value in told.items() if value is not None]
    if found.rescore and not found.history:
        message = "goes with --history; two sides scored under different rules are always scored afresh"
        problems.append(Problem("--rescore", "", message))
    return problems


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stages.compare",
        description="Which of two revisions drafts the better graphs, and is that more than noise?",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "base", nargs="?", metavar="BASE", help="git revision, tag, branch, DVC experiment or workspace"
    )
    parser.add_argument("head", nargs="?", metavar="HEAD", help="the same; default: workspace")
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
    parser.add_argument(
        "--experiments", action="store_true", help="list the experiments that began from BASE, or else from HEAD"
    )
    parser.add_argument("--rescore", action="store_true", help="with --history: score every answer by today's rules")
    parser.add_argument(
        "--limit", type=int, default=20, metavar="N", help="with --history: the last N commits; default: 20"
    )
    return parser
