"""Everything that the reports say, computed once from the scored cells."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stages.report.decision import decide
from stages.report.failures import Occurrence, failures_of
from stages.report.notes import Note, notes_of, notices_of
from stages.report.ranking import BriefResult, Candidate, rank_briefs, rank_candidates
from stages.report.reviews import ReviewFile
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.analysis.summary import Summary, summarise
from stages.shared.records.decision import Decision
from stages.shared.records.model_config import ModelConfig, Policy
from stages.shared.records.params import CompareParams, ReportParams
from stages.shared.records.response import Cell, Response, Run
from stages.shared.records.scorecard import Scorecard

Find: TypeAlias = Callable[[Cell], tuple[Scorecard, Response | None]]
"""Reads the scorecard and the response of a cell; None when its file is missing."""
RANKING_NOTE = (
    "Ranked by score, the mean over briefs: an answer without a usable graph counts 0, in content "
    "too; a cell without an answer does not count."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All findings of a run.

    `cells` are sorted by model, brief and sample, `candidates` (models and policies) by rank,
    `briefs` by id. `configs` are those by model id, as far as there are any. `notices` are
    plain-text lines that are shown wherever results are, `notes` are worth a look.
    """

    run: Run
    params: ReportParams
    compare: CompareParams
    configs: Mapping[str, ModelConfig]
    cells: Sequence[ScoredCell]
    candidates: tuple[Candidate, ...]
    briefs: tuple[BriefResult, ...]
    total: Summary
    failures: Sequence[Occurrence]
    decision: Decision
    notices: tuple[str, ...]
    notes: tuple[Note, ...]
    reviews: tuple[ReviewFile, ...]

    @property
    def models(self) -> list[Candidate]:
        """The candidates that are models."""
        return [candidate for candidate in self.candidates if not candidate.is_policy]

    @property
    def names(self) -> dict[str, str]:
        """The one name of each model and policy, by id."""
        return {candidate.id: candidate.name for candidate in self.candidates}


def find(
    run: Run,
    cells: Iterable[ScoredCell],
    configs: Mapping[str, ModelConfig],
    params: ReportParams,
    compare: CompareParams,
    *,
    stated: Collection[str] = (),
    reviews: Sequence[ReviewFile] = (),
    policies: Sequence[Policy] = (),
) -> Findings:
    """All findings of a run; `stated` are the briefs that state effects."""
    ordered = sorted(cells, key=lambda cell: cell.cell)
    candidates = rank_candidates(
        ordered, configs, policies, prompt=run.prompt.path, confidence=compare.confidence
    )
    models = [candidate for candidate in candidates if not candidate.is_policy]
    briefs = rank_briefs(ordered, models, stated)
    return Findings(
        run=run,
        params=params,
        compare=compare,
        configs=configs,
        cells=ordered,
        candidates=candidates,
        briefs=briefs,
        total=summarise(ordered),
        failures=failures_of(ordered, {model.id: model.name for model in models}),
        decision=decide(candidates, run, configs, params, compare),
        notices=tuple(notices_of(ordered, models, briefs)),
        notes=tuple(notes_of(ordered, candidates, briefs, configs, run)),
        reviews=tuple(reviews),
    )
