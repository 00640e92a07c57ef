"""`graph-evaluator review`: writes the page that asks people which of two graphs is better, and
the key to it.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence

from stages.commands.review.graphs import graphs_of_revisions, graphs_of_run
from stages.commands.review.page import minutes_of, review_page
from stages.commands.review.pairs import FEWEST_PAIRS, draw_pairs, pairs_lines
from stages.shared.records.errors import InputError, Problem
from stages.shared.records.json_text import pretty
from stages.shared.records.review import KEY_SUFFIX
from stages.shared.shell import paths
from stages.shared.shell.command import command_parser, run
from stages.shared.shell.files import write_atomic
from stages.shared.shell.inputs import load_briefs
from stages.shared.shell.pages import register_page

MAX_PAIRS = 400
_INTRODUCTION = """\
When to use it: you want to know whether people prefer the graphs that score higher.
It writes a page that asks which of two graphs one would rather work with, blind, and the key to \
it. No model is called."""


def main() -> None:
    """Draw the pairs, write the page and the key, and say what to do with them."""
    options = parse_review_options(sys.argv[1:])
    models = tuple(options.models or ())
    graphs = graphs_of_revisions(options.baseline) if options.baseline else graphs_of_run(models)
    key = draw_pairs(graphs.candidates, options.pairs, options.seed, graphs.sides)
    page = review_page(key, {brief.id: brief.body for brief in load_briefs()}, graphs.graph)
    html = paths.REVIEWS / f"{key.review}.html"
    key_file = paths.REVIEWS / f"{key.review}{KEY_SUFFIX}"
    write_atomic(key_file, pretty(key.to_json()))
    write_atomic(html, page)
    register_page(html, f"Review {key.review}")
    for line in pairs_lines(key, graphs.candidates, options.pairs):
        print(line)
    time = f"about {minutes_of(len(key.pairs))} minutes"
    print(f"{html.as_posix()}: the page for each reviewer ({time}); open it from disk in a browser")
    advice = "commit it with the reviews, and do not show it to reviewers"
    print(f"{key_file.as_posix()}: which graph is whose; {advice}")


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
    if options.baseline:
        message = "cannot be used with --baseline, which compares all models"
        yield Problem("--models", "", message)
    first, second = options.models
    if first == second:
        yield Problem("--models", "", f"names {first} twice")


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "review",
        _INTRODUCTION,
        "--pairs 24",
        "--models gpt-4.1 gpt-4.1-mini",
        "--baseline main",
    )
    add = parser.add_argument
    pairs = f"pairs in total, {FEWEST_PAIRS} to {MAX_PAIRS}; default: 40, {minutes_of(40)} minutes"
    models = "only these two models, one graph of each in every pair"
    base = "one graph of this revision and one of the working tree in every pair"
    seed = "another number draws other pairs; default: 1"
    add("--pairs", type=int, default=40, metavar="N", help=pairs)
    add("--models", nargs=2, metavar=("A", "B"), help=models)
    add("--baseline", metavar="REV", help=base)
    add("--seed", type=int, default=1, metavar="N", help=seed)
    return parser


if __name__ == "__main__":
    run(main)
