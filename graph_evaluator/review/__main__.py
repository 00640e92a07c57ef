"""`graph-evaluator review`: writes a page that asks people which of two graphs is better. It says
nothing about whose they are.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, zip_longest
from pathlib import Path

import numpy as np

from graph_evaluator.analysis.summary import group
from graph_evaluator.compare.comparer import Comparer
from graph_evaluator.compare.revisions import WORKSPACE, NoResults, Revisions, require_models
from graph_evaluator.present.page import environment, inline, static
from graph_evaluator.records.errors import InputError, Problem, input_error
from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.response import Cell, Response
from graph_evaluator.records.review import KEY_SUFFIX, PairKey, ReviewKey, ShownGraph, review_id
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.report.drawing.sketch import Sketch, draw_graph
from graph_evaluator.report.graph_text import coaching_of
from graph_evaluator.shell import numbers, paths
from graph_evaluator.shell.command import command_parser, run, show
from graph_evaluator.shell.inputs import load_briefs, load_params
from graph_evaluator.shell.paths import write_atomic, write_record
from graph_evaluator.shell.results import Results

MAX_PAIRS = 400
MAX_GRAPHS_OF_BRIEF = 60
"""Graphs of one brief that pairs are drawn from at most, so that their number stays small in large
runs."""
SECONDS_PER_PAIR = 72
"""To read a brief with two graphs and to choose: 48 minutes for forty pairs."""
MISSING_BRIEF = "The brief's file is missing."
_PACKAGE = "graph_evaluator.review"
_INTRODUCTION = """\
When to use it: you want to know whether people prefer the graphs with the higher form.
It writes a blind page that asks which of two graphs people would rather work with, and its key. \
No model is called."""


def main() -> None:
    """Draw the pairs, write the page and the key, and say what to do with them."""
    examples = ("--pairs 24", "--models gpt-4.1 gpt-4.1-mini", "--baseline main")
    parser = command_parser("review", _INTRODUCTION, *examples)
    pairs = f"pairs in total, 1 to {MAX_PAIRS}; default: 40, {minutes_of(40)} minutes"
    two_models = "only these two models, one graph of each in every pair"
    baseline = "one graph of this revision and one of the working tree in every pair"
    parser.add_argument("--pairs", type=int, default=40, metavar="N", help=pairs)
    sides = parser.add_mutually_exclusive_group()
    sides.add_argument("--models", nargs=2, metavar=("A", "B"), help=two_models)
    sides.add_argument("--baseline", metavar="REV", help=baseline)
    options = parser.parse_args(sys.argv[1:])
    if not 1 <= options.pairs <= MAX_PAIRS:
        parser.error(f"--pairs: must be 1 to {MAX_PAIRS}, found {options.pairs}")
    models = tuple(options.models or ())
    graphs = graphs_of_revisions(options.baseline) if options.baseline else graphs_of_run(models)
    key = draw_pairs(graphs.cells, options.pairs, graphs.sides)
    page = review_page(key, {brief.id: brief.body for brief in load_briefs()}, graphs)
    html = paths.REVIEWS / f"{key.review}.html"
    key_file = paths.REVIEWS / f"{key.review}{KEY_SUFFIX}"
    write_record(key_file, key)
    write_atomic(html, page)
    briefs = numbers.counted(len({pair.brief_id for pair in key.pairs}), "brief")
    show(f"{numbers.counted(len(key.pairs), 'pair')} on {briefs}")
    if len(key.pairs) < options.pairs:
        show("There are no more pairs of different valid graphs; more samples or models give more.")
    time = f"about {minutes_of(len(key.pairs))} minutes"
    show(f"{html.as_posix()}: the page for each reviewer ({time}); open it from disk in a browser")
    advice = "commit it with the reviews, and do not show it to reviewers"
    show(f"{key_file.as_posix()}: which graph is whose; {advice}")


CellOfSide = tuple[ScoredCell, str]
"""A cell, and the name of its side, a model or a run; "" where no two sides are compared."""


@dataclass(frozen=True, slots=True)
class ReviewGraphs:
    """The cells whose graphs can be shown, the names of the two sides if there are two, and what
    reads the response of a cell by the name of the side.
    """

    cells: list[CellOfSide]
    sides: tuple[str, ...]
    response: Callable[[str, Cell], Response | None]

    def graph(self, brief_id: str, shown: ShownGraph) -> DraftGraph:
        """The graph of a brief that is shown; InputError if it is gone."""
        cell = Cell(shown.model_id, brief_id, shown.sample)
        file = (paths.RESPONSES / paths.response_file(cell)).as_posix()
        try:
            response = self.response(shown.side, cell)
        except NoResults as error:
            raise input_error("--baseline", file, str(error)) from None
        if response is not None and response.answer.status == "success":
            graph = read(response.answer.graph)[0]
            if graph.nodes:
                return graph
        fix = "contains no graph that can be read: dvc checkout, or dvc fetch, or dvc repro"
        raise input_error(file, "", fix)


def graphs_of_run(models: tuple[str, ...]) -> ReviewGraphs:
    """The graphs of the present run; only those of the two models, if two are compared."""
    results = Results()
    require_models(models, {cell.model_id for cell in results.cells})
    compared = [cell for cell in results.cells if not models or cell.model_id in models]
    cells = [(cell, cell.model_id if models else "") for cell in compared]
    return ReviewGraphs(cells, models, lambda _side, cell: results.response(cell))


def graphs_of_revisions(baseline: str) -> ReviewGraphs:
    """The graphs of a revision and of the working tree, scored by the same rules.

    A side is named by the id of its run.
    """
    comparer = Comparer(Revisions(Path.cwd()), load_params())
    try:
        sides = comparer.comparable(baseline, WORKSPACE)
    except NoResults as error:
        problems = [Problem("--baseline", baseline, reason) for reason in error.reasons]
        raise InputError(problems) from None
    by_run = {side.run.run_id: side for side in sides}
    if len(by_run) < 2:
        message = f"has the same run as the working tree, {sides[0].run.run_id}"
        raise input_error("--baseline", baseline, message)

    def response_of(side: str, cell: Cell) -> Response | None:
        return comparer.response(by_run[side], paths.RESPONSES / paths.response_file(cell))

    cells = [(cell, side.run.run_id) for side in sides for cell in side.cells]
    return ReviewGraphs(cells, tuple(by_run), response_of)


def draw_pairs(cells: Iterable[CellOfSide], count: int, sides: tuple[str, ...] = ()) -> ReviewKey:
    """At most `count` pairs of valid graphs in the order in which they are shown: one of every
    brief in turn, those with equal scores last. Equal cells give equal pairs.

    With two `sides`, models or revisions, a pair has a graph of each, by the same model where they
    are revisions.

    Raises:
        InputError: no brief has two different graphs.
    """
    random = np.random.default_rng(0)
    in_order = sorted(cells, key=_order)
    valid = [(cell, side) for cell, side in in_order if cell.overall_score is not None]
    of_briefs = []
    for graphs in group(valid, lambda graph: graph[0].brief_id).values():
        random.shuffle(graphs)
        possible = combinations(graphs[:MAX_GRAPHS_OF_BRIEF], 2)
        pairs = [pair for pair in possible if _may_compare(*pair)]
        random.shuffle(pairs)
        pairs.sort(key=_is_tie)
        of_briefs.append(pairs)
    random.shuffle(of_briefs)
    in_turn = [pair for turn in zip_longest(*of_briefs) for pair in turn if pair]
    if not in_turn:
        of_each = f", one of {sides[0]} and one of {sides[1]}" if sides else ""
        message = f"no brief has two different valid graphs to compare{of_each}"
        raise input_error("results", "", message)
    named = tuple(
        PairKey(
            pair=f"p{number:02}",
            brief_id=left[0].brief_id,
            left=_shown(*left),
            right=_shown(*right),
        )
        for number, (left, right) in enumerate(in_turn[:count], start=1)
    )
    return ReviewKey(review=review_id(named), sides=sides, pairs=named)


def _order(graph: CellOfSide) -> tuple[str, str, int]:
    cell, side = graph
    return side, cell.model_id, cell.sample


def _may_compare(first: CellOfSide, second: CellOfSide) -> bool:
    """True for different answers, and of the two sides where there are two."""
    (left, left_side), (right, right_side) = first, second
    if left.fingerprint is not None and left.fingerprint == right.fingerprint:
        return False
    same_model = left.model_id == right.model_id or left_side == left.model_id
    return not left_side or (left_side != right_side and same_model)


def _is_tie(pair: tuple[CellOfSide, CellOfSide]) -> bool:
    left, right = (cell.expected_score or 0.0 for cell, _ in pair)
    return abs(left - right) <= 1e-9


def _shown(cell: ScoredCell, side: str) -> ShownGraph:
    return ShownGraph(
        model_id=cell.model_id, sample=cell.sample, fingerprint=cell.fingerprint, side=side
    )


def minutes_of(pairs: int) -> int:
    """The minutes that a reviewer needs for a number of pairs.

    >>> minutes_of(40)
    48
    """
    return round(pairs * SECONDS_PER_PAIR / 60)


def review_page(key: ReviewKey, briefs: Mapping[str, str], graphs: ReviewGraphs) -> bytes:
    """The page that a reviewer opens from disk; `briefs` are the texts by id."""
    pairs = [
        (pair.pair, briefs.get(pair.brief_id, MISSING_BRIEF), _drawings(pair, graphs))
        for pair in key.pairs
    ]
    templates = environment(_PACKAGE)
    style = f"{templates.globals['style']}{static(_PACKAGE, 'review.css')}"
    script = static("graph_evaluator.present", "graph.js") + static(_PACKAGE, "review.js")
    template = templates.get_template("review.html.j2")
    html = template.render(
        review=key.review, pairs=pairs, minutes=minutes_of(len(pairs)), **inline(style, script)
    )
    return html.encode("utf-8", errors="replace")


def _drawings(pair: PairKey, graphs: ReviewGraphs) -> list[tuple[Sketch, list[tuple[str, str]]]]:
    """The two graphs of a pair, each as a drawing with its coaching."""
    drawings = []
    for number, shown in enumerate((pair.left, pair.right), start=1):
        graph = graphs.graph(pair.brief_id, shown)
        sketch = draw_graph(graph, f"{pair.pair}-{number}", f"Graph {number}")
        drawings.append((sketch, coaching_of(graph)))
    return drawings


if __name__ == "__main__":
    run(main)
