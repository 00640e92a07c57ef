"""The command line of `python -m stages.review`."""

import argparse
from collections.abc import Iterator, Sequence

from stages.contracts.errors import InputError, Problem
from stages.review.page import minutes_of
from stages.review.pairs import FEWEST_PAIRS
from stages.shell.command import command_parser

MAX_PAIRS = 400


def parse_review_options(arguments: Sequence[str]) -> argparse.Namespace:
    """The options: `pairs`, `seed`, and `models` or `base` where two sides are compared.

    Raises:
        InputError: lists all problems.
    """
    options = _parser().parse_args(arguments)
    problems = list(_problems(options))
    if problems:
        raise InputError(problems)
    return options


def _problems(options: argparse.Namespace) -> Iterator[Problem]:
    if not FEWEST_PAIRS <= options.pairs <= MAX_PAIRS:
        message = f"must be {FEWEST_PAIRS} to {MAX_PAIRS}, found {options.pairs}"
        yield Problem("--pairs", "", message)
    if options.seed < 0:
        yield Problem("--seed", "", f"must not be negative, found {options.seed}")
    if not options.models:
        return
    if options.base:
        message = "cannot be used with --base, which compares all models"
        yield Problem("--models", "", message)
    first, second = options.models
    if first == second:
        yield Problem("--models", "", f"names {first} twice")


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "review",
        "Ask people which of two graphs they would rather work with, blind.",
        "--pairs 24",
        "--models gpt-4.1 gpt-4.1-mini",
        "--base main",
    )
    add = parser.add_argument
    pairs = f"pairs in total, {FEWEST_PAIRS} to {MAX_PAIRS}; default: 40, {minutes_of(40)} minutes"
    models = "only these two models, one graph of each in every pair"
    base = "one graph of this revision and one of the working tree in every pair"
    seed = "another number draws other pairs; default: 1"
    add("--pairs", type=int, default=40, metavar="N", help=pairs)
    add("--models", nargs=2, metavar=("A", "B"), help=models)
    add("--base", metavar="REV", help=base)
    add("--seed", type=int, default=1, metavar="N", help=seed)
    return parser
