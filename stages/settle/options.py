"""The command line of `python -m stages.settle`."""

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import get_args

from stages.contracts.errors import InputError, Problem
from stages.contracts.settlement import Boundary
from stages.shell import numbers

MOST_SAMPLES = 1000
_EPILOG = """\
exit codes: those of stages.compare (0 better, no meaningful difference or unchanged, 1 worse, 3 cannot tell, 4 could not measure, 2 wrong
input), 130 after Ctrl-C. The same command continues: answers that were paid for are never called again."""


def parse_settle_options(arguments: Sequence[str]) -> argparse.Namespace:
    """The options; `prompt` has two entries, or `models` is given and `prompt` has one at most. `looks` are numbers of samples."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.settle",
        description="Find out whether prompt B is better than prompt A (or model B than model A) with as few calls as needed: "
        "call some samples of both, compare, and go on only while the question is open and can be settled.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "--prompt",
        action="append",
        default=[],
        metavar="PATH",
        help="given twice: A, then B, which is judged",
    )
    add(
        "--models",
        nargs=2,
        metavar=("A", "B"),
        help="two models with one prompt (--prompt, or that of params.yaml)",
    )
    add(
        "--max-usd",
        type=float,
        metavar="USD",
        help="hard cap on the cost of all looks together, US dollars",
    )
    add(
        "--looks",
        default="1,2,4,8",
        metavar="N,N",
        help="samples per cell at each look; default: 1,2,4,8",
    )
    shown = "the smallest difference that matters; default: compare.min_difference"
    add("--margin", type=float, metavar="D", help=shown)
    boundaries, shown = get_args(Boundary), "how the error rate is spent; default: obrien-fleming"
    add("--boundary", choices=boundaries, default="obrien-fleming", help=shown)
    add("--dry-run", action="store_true", help="print the plan and stop; call and write nothing")
    options = parser.parse_args(arguments)
    problems = [Problem("command line", *problem) for problem in _problems(options)]
    if problems:
        raise InputError(problems)
    options.looks = _looks(options.looks)
    return options


def _looks(text: str) -> tuple[int, ...]:
    """The samples of each look; none where the text is not increasing whole numbers."""
    parts = [part.strip() for part in text.split(",")]
    found = (
        tuple(map(int, parts)) if all(part.isascii() and part.isdigit() for part in parts) else ()
    )
    increasing = all(one < following for one, following in pairwise((0, *found)))
    return found if increasing and found and found[-1] <= MOST_SAMPLES else ()


def _problems(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    prompts, models = options.prompt, options.models
    if models is None and len(prompts) != 2:
        yield (
            "--prompt",
            f"is given {numbers.counted(len(prompts), 'time')}: give it twice, or give --models A B",
        )
    elif models is None and prompts[0] == prompts[1]:
        yield "--prompt", f"both are {prompts[0]}: there is nothing to settle"
    elif models is not None and len(prompts) > 1:
        yield "--prompt", "is given once at most with --models: one question at a time"
    elif models is not None and models[0] == models[1]:
        yield "--models", f"both are {models[0]}: there is nothing to settle"
    if not _looks(options.looks):
        allowed = f"must be increasing whole numbers, 1 to {MOST_SAMPLES}, such as 1,2,4,8"
        yield "--looks", f'{allowed}; found "{options.looks}"'
    if options.max_usd is None and not options.dry_run:
        yield (
            "--max-usd",
            "is missing: what all looks together may cost, US dollars (--dry-run shows the forecast)",
        )
    elif options.max_usd is not None and not 0 < options.max_usd < float("inf"):
        yield "--max-usd", f"must be above 0, found {options.max_usd:g}"
    if options.margin is not None and not 0 <= options.margin <= 1:
        yield "--margin", f"must be 0 to 1, found {options.margin:g}"
