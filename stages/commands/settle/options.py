"""The command line of `graph-evaluator settle`."""

import argparse
from collections.abc import Callable, Iterator, Sequence

from stages.shared.records.errors import InputError, Problem
from stages.shared.shell import numbers
from stages.shared.shell.command import command_parser

MAX_SAMPLES = 1000
DEFAULT_SAMPLES = (1, 2, 4, 8)
"""Samples per cell at each interim analysis."""
_INTRODUCTION = """\
When to use it: is prompt B better than prompt A, or model B than model A, and you want to pay for \
no more calls than the question needs.
It calls some samples of both, compares, and goes on only while the question is open."""
_EXAMPLES = (
    "--prompt prompts/old.txt --prompt prompts/new.txt --dry-run",
    "--models gpt-4.1 gpt-4.1-mini --max-usd 5",
)
_NOTES = """\

exit codes: those of compare (0 better, no meaningful difference or unchanged, 1 worse, 3 cannot \
tell, 4 could not measure, 2 wrong input), 130 after Ctrl-C. The same command continues: answers \
that were paid for are never called again."""


def parse_settle_options(arguments: Sequence[str]) -> argparse.Namespace:
    """The options. `samples` are those of each interim analysis.

    `prompt` has two entries, or `models` is given and `prompt` has one at most.

    Raises:
        InputError: lists all problems.
    """
    options = read_options(_parser(), arguments, _problems)
    options.samples = _read_samples(options.samples)
    return options


def read_options(
    parser: argparse.ArgumentParser,
    arguments: Sequence[str],
    problems_of: Callable[[argparse.Namespace], Iterator[tuple[str, str]]],
) -> argparse.Namespace:
    """The options of a command line, without a problem.

    Raises:
        InputError: lists all problems.
    """
    options = parser.parse_args(arguments)
    problems = [Problem("command line", *problem) for problem in problems_of(options)]
    if problems:
        raise InputError(problems)
    return options


def add_cap(parser: argparse.ArgumentParser) -> None:
    """Add `--max-usd` and `--dry-run`."""
    cap = "hard cap on the cost of all calls together, over all runs of the command, US dollars"
    parser.add_argument("--max-usd", type=float, metavar="USD", help=cap)
    dry_run = "print the plan and stop; call and write nothing"
    parser.add_argument("--dry-run", action="store_true", help=dry_run)


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("settle", _INTRODUCTION, *_EXAMPLES, notes=_NOTES)
    parser.allow_abbrev = False
    add = parser.add_argument
    prompt = "given twice: A, then B, which is judged"
    add("--prompt", action="append", default=[], metavar="PATH", help=prompt)
    models = "two models with one prompt (--prompt, or that of params.yaml)"
    add("--models", nargs=2, metavar=("A", "B"), help=models)
    usual = ",".join(map(str, DEFAULT_SAMPLES))
    samples = f"samples per cell at each interim analysis; default: {usual}"
    add("--samples", default=usual, metavar="N,N", help=samples)
    add_cap(parser)
    return parser


def _read_samples(text: str) -> tuple[int, ...]:
    """The samples at each interim analysis; none where the text is not increasing whole numbers."""
    samples = tuple(int(part) for part in text.split(",") if part.strip().isdecimal())
    is_whole = len(samples) == text.count(",") + 1
    is_increasing = sorted({0, *samples}) == [0, *samples]
    return samples if is_whole and is_increasing and samples[-1] <= MAX_SAMPLES else ()


def problems_of_cap(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """What is wrong with `--max-usd`; a dry run needs none."""
    if options.max_usd is None and not options.dry_run:
        meaning = "what all calls together may cost, US dollars (--dry-run shows the forecast)"
        yield "--max-usd", f"is missing: {meaning}"
    if options.max_usd is not None and not 0 < options.max_usd < float("inf"):
        yield "--max-usd", f"must be above 0, found {options.max_usd:g}"


def _problems(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    yield from _problems_of_sides(options.prompt, options.models)
    if not _read_samples(options.samples):
        allowed = f"must be increasing whole numbers, 1 to {MAX_SAMPLES}, such as 1,2,4,8"
        yield "--samples", f'{allowed}; found "{options.samples}"'
    yield from problems_of_cap(options)


def _problems_of_sides(
    prompts: Sequence[str], models: Sequence[str] | None
) -> Iterator[tuple[str, str]]:
    if models is None:
        if len(prompts) != 2:
            count = numbers.counted(len(prompts), "time")
            yield "--prompt", f"is given {count}: give it twice, or give --models A B"
    elif len(prompts) > 1:
        yield "--prompt", "is given once at most with --models: one question at a time"
    elif models[0] == models[1]:
        yield "--models", f"both are {models[0]}: there is nothing to settle"
