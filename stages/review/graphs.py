"""Adapter: the graphs that a review can show, of the present run, of two of its models, or of two
revisions.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from stages.compare.loading import Loader
from stages.compare.revisions import WORKSPACE, NotStored, Revisions
from stages.compare.sides import NotMeasured, require_models
from stages.contracts.errors import InputError, Problem, input_error
from stages.contracts.graph import DraftGraph, read
from stages.contracts.response import Cell, Response
from stages.contracts.review import ShownGraph
from stages.contracts.scorecard import Scorecard
from stages.report.stored import Results
from stages.review.pairs import GraphCandidate
from stages.score.response_files import read_response
from stages.shell import paths
from stages.shell.inputs import load_params


@dataclass(frozen=True, slots=True)
class ReviewGraphs:
    """The graphs that can be shown, the names of the two sides if there are two, and their
    responses.
    """

    candidates: tuple[GraphCandidate, ...]
    sides: tuple[str, ...]
    find_response: Callable[[str, ShownGraph], Response | None]

    def graph(self, brief_id: str, shown: ShownGraph) -> DraftGraph:
        """The graph of a brief that is shown; InputError if it is not there any more."""
        response = self.find_response(brief_id, shown)
        if response is None or response.status != "success":
            fix = "holds no graph: dvc checkout, or dvc repro"
            raise input_error(_response_file(brief_id, shown).as_posix(), "", fix)
        return read(response.parsed_graph)[0]


def graphs_of_run(models: tuple[str, ...] = ()) -> ReviewGraphs:
    """The valid graphs of the present run, of all models or of two that are compared."""
    results = Results()
    cards = [Scorecard.read(value) for value in results.cards()]
    require_models(models, {card.model_id for card in cards})

    def find_response(brief_id: str, shown: ShownGraph) -> Response | None:
        return results.response(Cell(shown.model_id, brief_id, shown.sample))

    selected = [card for card in cards if not models or card.model_id in models]
    sides = [(card, card.model_id if models else "") for card in selected]
    return ReviewGraphs(_candidates(sides), models, find_response)


def graphs_of_revisions(base: str) -> ReviewGraphs:
    """The valid graphs of a revision and of the working tree, scored by the same rules.

    A side is named by the id of its run.
    """
    revisions = Revisions(Path.cwd())
    named = revisions.resolve_all((base, WORKSPACE))
    try:
        sides = Loader(revisions, load_params()).load_comparable(*named)
    except NotMeasured as error:
        raise InputError(Problem("--base", base, reason) for reason in error.reasons) from None
    by_run = {side.run.run_id: side for side in sides}
    if len(by_run) < 2:
        message = f"has the same run as the working tree, {sides[0].run.run_id}"
        raise input_error("--base", base, message)

    def find_response(brief_id: str, shown: ShownGraph) -> Response | None:
        file = _response_file(brief_id, shown)
        try:
            content = revisions.read(by_run[shown.side], file)
        except NotStored as error:
            raise input_error("--base", base, str(error)) from None
        return None if content is None else read_response(content, file=file.as_posix())

    cards = [(card, side.run.run_id) for side in sides for card in side.scorecards]
    return ReviewGraphs(_candidates(cards), tuple(by_run), find_response)


def _response_file(brief_id: str, shown: ShownGraph) -> Path:
    return paths.RESPONSES / paths.response_file(shown.model_id, brief_id, shown.sample)


def _candidates(cards: Iterable[tuple[Scorecard, str]]) -> tuple[GraphCandidate, ...]:
    """The valid graphs among scorecards, each with the name of its side."""
    candidates = []
    for card, side in cards:
        if card.overall_score is None or card.expected_score is None:
            continue
        shown = ShownGraph(
            model_id=card.model_id, sample=card.sample, fingerprint=card.fingerprint, side=side
        )
        candidates.append(GraphCandidate(card.brief_id, shown, card.expected_score))
    return tuple(candidates)
