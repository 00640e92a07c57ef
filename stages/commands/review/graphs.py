"""Adapter: the graphs that a review can show, of the present run, of two of its models, or of two
revisions.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from stages.commands.compare.loading import Loader, read_answer
from stages.commands.compare.revisions import WORKSPACE, NotStored, Revisions
from stages.commands.compare.sides import NamedRevision, NotMeasured, require_models
from stages.commands.review.pairs import GraphCandidate
from stages.report.stored import Results
from stages.shared.analysis.scored_cell import ScoredCell, scored_cell
from stages.shared.records.errors import InputError, Problem, input_error
from stages.shared.records.graph import DraftGraph, read
from stages.shared.records.model_config import IDENTIFIER
from stages.shared.records.response import Cell, Response
from stages.shared.records.review import ShownGraph
from stages.shared.records.scorecard import Scorecard
from stages.shared.shell import paths
from stages.shared.shell.inputs import load_params


@dataclass(frozen=True, slots=True)
class ReviewGraphs:
    """The graphs that can be shown, the names of the two sides if there are two, and what
    finds them.
    """

    candidates: tuple[GraphCandidate, ...]
    sides: tuple[str, ...]
    find: Callable[[str, Cell], DraftGraph | None]
    """Finds the graph of a cell by the name of the side."""

    def graph(self, brief_id: str, shown: ShownGraph) -> DraftGraph:
        """The graph of a brief that is shown; InputError if it is not there any more."""
        cell = Cell(shown.model_id, brief_id, shown.sample)
        graph = self.find(shown.side, cell)
        if graph is None:
            file = paths.RESPONSES / paths.response_file(cell)
            fix = "holds no graph that can be read: dvc checkout, or dvc fetch, or dvc repro"
            raise input_error(file.as_posix(), "", fix)
        return graph


def graphs_of_run(models: tuple[str, ...] = ()) -> ReviewGraphs:
    """The valid graphs of the present run, of all models or of two that are compared."""
    results = Results()
    cells = [scored_cell(Scorecard.read(value)) for value in results.cards()]
    require_models(models, {cell.model_id for cell in cells})

    def find_graph(_side: str, cell: Cell) -> DraftGraph | None:
        return _graph_of(results.response(cell))

    selected = [cell for cell in cells if not models or cell.model_id in models]
    sides = [(cell, cell.model_id if models else "") for cell in selected]
    return ReviewGraphs(_candidates(sides), models, find_graph)


def graphs_of_revisions(base: str) -> ReviewGraphs:
    """The valid graphs of a revision and of the working tree, scored by the same rules.

    A side is named by the id of its run.
    """
    revisions = Revisions(Path.cwd())
    named = revisions.resolve_all((base, WORKSPACE))
    try:
        sides = Loader(revisions, load_params()).load_comparable(*named)
    except NotMeasured as error:
        raise InputError(Problem("--baseline", base, reason) for reason in error.reasons) from None
    by_run = {side.run.run_id: side for side in sides}
    if len(by_run) < 2:
        message = f"has the same run as the working tree, {sides[0].run.run_id}"
        raise input_error("--baseline", base, message)

    def find_graph(side: str, cell: Cell) -> DraftGraph | None:
        try:
            return _read_graph(revisions, by_run[side], cell)
        except NotStored as error:
            raise input_error("--baseline", base, str(error)) from None

    cells = [(cell, side.run.run_id) for side in sides for cell in side.cells]
    return ReviewGraphs(_candidates(cells), tuple(by_run), find_graph)


def _candidates(cells: Iterable[tuple[ScoredCell, str]]) -> tuple[GraphCandidate, ...]:
    """The valid graphs among cells, each with the name of its side."""
    candidates = []
    for cell, side in cells:
        if cell.overall_score is None or cell.expected_score is None:
            continue
        shown = ShownGraph(
            model_id=cell.model_id, sample=cell.sample, fingerprint=cell.fingerprint, side=side
        )
        candidates.append(GraphCandidate(cell.brief_id, shown, cell.expected_score))
    return tuple(candidates)


def _read_graph(revisions: Revisions, at: NamedRevision, cell: Cell) -> DraftGraph | None:
    """The graph of a cell at a revision; None without one that has nodes.

    Raises:
        NotStored: why the answer cannot be read.
    """
    if not (IDENTIFIER.fullmatch(cell.model_id) and IDENTIFIER.fullmatch(cell.brief_id)):
        return None
    file = paths.RESPONSES / paths.response_file(cell)
    content = revisions.read(at, file)
    return None if content is None else _graph_of(read_answer(at, file, content))


def _graph_of(response: Response | None) -> DraftGraph | None:
    """The graph of a response; None without one that has nodes."""
    if response is None or response.answer.status != "success":
        return None
    graph = read(response.answer.graph)[0]
    return graph if graph.nodes else None
