"""`graph-evaluator review`: writes a page that asks people which of two graphs is better."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph_evaluator.compare.comparer import Comparer
from graph_evaluator.compare.revisions import WORKSPACE, Revisions
from graph_evaluator.compare.sides import NoResults, require_models
from graph_evaluator.records.errors import InputError, Problem, input_error
from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.json_text import pretty
from graph_evaluator.records.response import Cell, Response
from graph_evaluator.records.review import KEY_SUFFIX, ShownGraph
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.report.files import Results
from graph_evaluator.review.pairs import GraphCandidate, draw_pairs, minutes_of, review_page
from graph_evaluator.shell import numbers, paths
from graph_evaluator.shell.command import command_parser, run, show
from graph_evaluator.shell.files import write_atomic
from graph_evaluator.shell.inputs import load_briefs, load_params

MAX_PAIRS = 400
_INTRODUCTION = """\
When to use it: you want to know whether people prefer the graphs with the higher form.
It writes a blind page that asks which of two graphs people would rather work with, and its key. \
No model is called."""


def main() -> None:
    """Draw the pairs, write the page and the key, and say what to do with them."""
    options = review_options(sys.argv[1:])
    models = tuple(options.models or ())
    graphs = graphs_of_revisions(options.baseline) if options.baseline else graphs_of_run(models)
    key = draw_pairs(graphs.candidates, options.pairs, graphs.sides)
    page = review_page(key, {brief.id: brief.body for brief in load_briefs()}, graphs.graph)
    html = paths.REVIEWS / f"{key.review}.html"
    key_file = paths.REVIEWS / f"{key.review}{KEY_SUFFIX}"
    write_atomic(key_file, pretty(key.to_json()))
    write_atomic(html, page)
    briefs = numbers.counted(len({pair.brief_id for pair in key.pairs}), "brief")
    show(f"{numbers.counted(len(key.pairs), 'pair')} on {briefs}")
    if len(key.pairs) < options.pairs:
        show("There are no more pairs of different valid graphs; more samples or models give more.")
    time = f"about {minutes_of(len(key.pairs))} minutes"
    show(f"{html.as_posix()}: the page for each reviewer ({time}); open it from disk in a browser")
    advice = "commit it with the reviews, and do not show it to reviewers"
    show(f"{key_file.as_posix()}: which graph is whose; {advice}")


def review_options(arguments: Sequence[str]) -> argparse.Namespace:
    """The options: `pairs`, and `models` or `baseline` where two sides are compared."""
    parser = command_parser(
        "review",
        _INTRODUCTION,
        "--pairs 24",
        "--models gpt-4.1 gpt-4.1-mini",
        "--baseline main",
    )
    pairs = f"pairs in total, 1 to {MAX_PAIRS}; default: 40, {minutes_of(40)} minutes"
    models = "only these two models, one graph of each in every pair"
    baseline = "one graph of this revision and one of the working tree in every pair"
    parser.add_argument("--pairs", type=int, default=40, metavar="N", help=pairs)
    sides = parser.add_mutually_exclusive_group()
    sides.add_argument("--models", nargs=2, metavar=("A", "B"), help=models)
    sides.add_argument("--baseline", metavar="REV", help=baseline)
    options = parser.parse_args(arguments)
    if not 1 <= options.pairs <= MAX_PAIRS:
        parser.error(f"--pairs: must be 1 to {MAX_PAIRS}, found {options.pairs}")
    return options


@dataclass(frozen=True, slots=True)
class ReviewGraphs:
    """The graphs that can be shown, the names of the two sides if there are two, and what reads
    the response of a cell by the name of the side.
    """

    candidates: Sequence[GraphCandidate]
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


def graphs_of_run(models: tuple[str, ...] = ()) -> ReviewGraphs:
    """The valid graphs of the present run, of all models or of two that are compared."""
    results = Results()
    cells = results.cells
    require_models(models, {cell.model_id for cell in cells})
    selected = [cell for cell in cells if not models or cell.model_id in models]
    candidates = _candidates((cell, cell.model_id if models else "") for cell in selected)
    return ReviewGraphs(candidates, models, lambda _side, cell: results.response(cell))


def graphs_of_revisions(baseline: str) -> ReviewGraphs:
    """The valid graphs of a revision and of the working tree, scored by the same rules.

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

    candidates = _candidates((cell, side.run.run_id) for side in sides for cell in side.cells)
    return ReviewGraphs(candidates, tuple(by_run), response_of)


def _candidates(cells: Iterable[tuple[ScoredCell, str]]) -> list[GraphCandidate]:
    """The valid graphs among cells, each with the name of its side."""
    candidates = []
    for cell, side in cells:
        if cell.overall_score is None or cell.expected_score is None:
            continue
        shown = ShownGraph(
            model_id=cell.model_id, sample=cell.sample, fingerprint=cell.fingerprint, side=side
        )
        candidates.append(GraphCandidate(cell.brief_id, shown, cell.expected_score))
    return candidates


if __name__ == "__main__":
    run(main)
