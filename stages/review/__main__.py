"""`python -m stages.review`: writes the page that asks people which of two graphs is better, and the key to it."""

import argparse
import sys
from collections.abc import Iterable, Sequence

from stages.contracts.brief import Brief
from stages.contracts.errors import InputError, Problem
from stages.contracts.json_text import pretty
from stages.contracts.model_config import IDENTIFIER
from stages.contracts.review import KEY_SUFFIX, SIZES, ReviewKey, size_of
from stages.review.graphs import Graphs, graphs_of_revisions, graphs_of_run
from stages.review.page import review_page
from stages.review.pairs import FEWEST, draw_pairs
from stages.shell import numbers, paths
from stages.shell.command import run
from stages.shell.files import write_atomic
from stages.shell.inputs import load_briefs, load_params


def main() -> None:
    """Draw the pairs, write the page and the key, and say what to do with them."""
    options = _options(sys.argv[1:])
    models = tuple(options.models or ())
    graphs = graphs_of_revisions(options.base, load_params()) if options.base else graphs_of_run(models)
    key = draw_pairs(graphs.candidates, options.pairs, options.seed, graphs.sides)
    briefs = {brief.id: brief.body for brief in _briefs(pair.brief_id for pair in key.pairs)}
    page = review_page(key, briefs, graphs.graph)
    html, key_file = paths.REVIEWS / f"{key.review}.html", paths.REVIEWS / f"{key.review}{KEY_SUFFIX}"
    write_atomic(key_file, pretty(key.to_json()))
    write_atomic(html, page)
    _report(key, graphs, options.pairs)
    print(f"{html.as_posix()}: the page for each reviewer; open it from disk in a browser")
    print(f"{key_file.as_posix()}: which graph is whose; commit it with the reviews, and do not show it to reviewers")


def _report(key: ReviewKey, graphs: Graphs, wanted: int) -> None:
    scores = {(one.brief_id, one.shown): one.score for one in graphs.candidates}
    plain = [pair for pair in key.pairs if pair.kind == "pair"]
    sizes = [size_of(scores[pair.brief_id, pair.left] - scores[pair.brief_id, pair.right]) for pair in plain]
    counts = ", ".join(f"{sizes.count(size)} {size}" for size in SIZES)
    briefs = numbers.counted(len({pair.brief_id for pair in plain}), "brief")
    print(f"{numbers.counted(len(key.pairs), 'pair')} over {briefs}; differences of scores: {counts}")
    if len(key.pairs) < wanted:
        print(
            f"--pairs {wanted} cannot be reached: there are no more pairs of different valid graphs; more samples or models give more"
        )


def _briefs(ids: Iterable[str]) -> tuple[Brief, ...]:
    known = sorted({one for one in ids if IDENTIFIER.fullmatch(one) and (paths.BRIEFS / f"{one}.md").is_file()})
    return load_briefs(known) if known else ()


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m stages.review", description="Ask people which of two graphs they would rather work with, blind."
    )
    add = parser.add_argument
    add(
        "--pairs", type=int, default=40, metavar="N", help=f"pairs in total, {FEWEST} to 400; default: 40, half an hour"
    )
    add("--models", nargs=2, metavar=("A", "B"), help="only these two models, one graph of each in every pair")
    add("--base", metavar="REV", help="one graph of this revision and one of the working tree in every pair")
    add("--seed", type=int, default=1, metavar="N", help="another number draws other pairs; default: 1")
    found = parser.parse_args(arguments)
    problems = []
    if not FEWEST <= found.pairs <= 400:
        problems.append(Problem("--pairs", "", f"must be {FEWEST} to 400, found {found.pairs}"))
    if found.seed < 0:
        problems.append(Problem("--seed", "", f"must not be negative, found {found.seed}"))
    if found.models and found.base:
        problems.append(
            Problem("--models", "", "cannot be used with --base, which compares all models of two revisions")
        )
    if found.models and found.models[0] == found.models[1]:
        problems.append(Problem("--models", "", f"names {found.models[0]} twice"))
    if problems:
        raise InputError(problems)
    return found


if __name__ == "__main__":
    run(main)
