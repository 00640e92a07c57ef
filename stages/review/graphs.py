"""Adapter: the graphs that can be shown, of the present run or of two revisions, and the drafted graph of each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from stages.compare.loading import Loader
from stages.compare.revisions import WORKSPACE, NotStored, Revisions
from stages.compare.sides import NotMeasured
from stages.contracts.cell import Cell
from stages.contracts.errors import InputError, Problem, nearest
from stages.contracts.graph import DraftGraph, read
from stages.contracts.params import Params
from stages.contracts.response import Response
from stages.contracts.review import ShownGraph
from stages.contracts.scorecard import Scorecard
from stages.report.stored import Results
from stages.review.pairs import GraphCandidate
from stages.score.response_files import read_response
from stages.shell import paths


@dataclass(frozen=True, slots=True)
class Graphs:
    """The graphs that can be shown, the names of the two sides if there are two, and where responses are found."""

    candidates: tuple[GraphCandidate, ...]
    sides: tuple[str, ...]
    response_of: Callable[[str, ShownGraph], Response | None]

    def graph(self, brief_id: str, shown: ShownGraph) -> DraftGraph:
        """The graph of a candidate.

        Raises:
            InputError: there is no response with a graph.
        """
        response = self.response_of(brief_id, shown)
        if response is None or response.status != "success":
            file = paths.RESPONSES / paths.response_file(shown.model_id, brief_id, shown.sample)
            raise InputError([Problem(file.as_posix(), "", "holds no graph: dvc checkout, or dvc repro")])
        return read(response.parsed_graph)[0]


def graphs_of_run(models: tuple[str, ...]) -> Graphs:
    """The valid graphs of the present run, of two models only if two are named.

    Raises:
        InputError: there are no scorecards, or a model is not in the run.
    """
    results = Results()
    cards = [Scorecard.read(value) for value in results.cards()]
    known = sorted({card.model_id for card in cards})
    unknown = [model for model in models if model not in known]
    if unknown:
        raise InputError(
            Problem(
                "--models", model, f"is no model of the run{nearest(model, known)}; its models are {', '.join(known)}"
            )
            for model in unknown
        )
    chosen = [card for card in cards if not models or card.model_id in models]
    return Graphs(
        candidates=tuple(one for card in chosen for one in _candidates([card], card.model_id if models else "")),
        sides=models,
        response_of=lambda brief_id, shown: results.response(Cell(shown.model_id, brief_id, shown.sample)),
    )


def graphs_of_revisions(base: str, params: Params) -> Graphs:
    """The valid graphs of a revision and of the working tree, scored by the same rules; the sides are named by the ids of their runs.

    Raises:
        InputError: there is no such revision, or a side has no results, or not those of its inputs.
    """
    revisions = Revisions(Path.cwd())
    resolved = revisions.resolve_all((base, WORKSPACE))
    try:
        loaded = Loader(revisions, params).load_comparable(*resolved)
    except NotMeasured as error:
        raise InputError(Problem("--base", base, reason) for reason in error.reasons) from None
    by_run = dict(zip((side.run.run_id for side in loaded), resolved, strict=True))
    if len(by_run) < 2:
        raise InputError([Problem("--base", base, f"has the same run as the working tree, {loaded[0].run.run_id}")])

    def response_of(brief_id: str, shown: ShownGraph) -> Response | None:
        file = paths.RESPONSES / paths.response_file(shown.model_id, brief_id, shown.sample)
        try:
            content = revisions.read(by_run[shown.side], file)
        except NotStored as error:
            raise InputError([Problem("--base", base, str(error))]) from None
        return None if content is None else read_response(content, file=file.as_posix())

    return Graphs(
        candidates=tuple(one for side in loaded for one in _candidates(side.scorecards, side.run.run_id)),
        sides=tuple(by_run),
        response_of=response_of,
    )


def _candidates(cards: Iterable[Scorecard], side: str) -> Iterable[GraphCandidate]:
    for card in cards:
        if card.overall_score is not None and card.expected_score is not None:
            shown = ShownGraph(model_id=card.model_id, sample=card.sample, fingerprint=card.fingerprint, side=side)
            yield GraphCandidate(card.brief_id, shown, card.expected_score)
