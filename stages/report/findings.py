"""Everything that the reports say, computed once from the scored cells: models, briefs, failures,
the decision, flags, notices.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from stages.report.agreement import ReviewFile
from stages.report.decision import decide
from stages.report.failures import Occurrence, failures_of
from stages.report.flags import Answered, Flag, flags_of, notices_of
from stages.report.ranking import BriefResult, Candidate, rank_briefs, rank_candidates
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.analysis.summary import Summary, summarise
from stages.shared.records.decision import Decision
from stages.shared.records.model_config import ModelConfig, Policy
from stages.shared.records.params import CompareParams, ReportParams
from stages.shared.records.response import Cell, PromptRef, Run

RANKING_NOTE = (
    "Ranked by score, the mean over briefs: an answer without a usable graph counts 0, in content "
    "too; a cell without an answer does not count."
)
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All findings of a run.

    `cells` are sorted by model, brief and sample, `candidates` (models and policies) by rank,
    `briefs` by id. `configs` are those by model id, as far as there are any. `notices` are
    plain-text lines that are shown wherever results are.
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
    flags: tuple[Flag, ...]
    reviews: tuple[ReviewFile, ...]
    notices: tuple[str, ...]

    @property
    def models(self) -> list[Candidate]:
        """The candidates that are models."""
        return [candidate for candidate in self.candidates if not candidate.is_policy]

    @property
    def policies(self) -> list[Candidate]:
        """The candidates that are policies."""
        return [candidate for candidate in self.candidates if candidate.is_policy]

    @property
    def names(self) -> dict[str, str]:
        """The one name of each model and policy, by id."""
        return {candidate.id: candidate.name for candidate in self.candidates}


def find(
    run: Run | None,
    cells: Iterable[ScoredCell],
    configs: Mapping[str, ModelConfig],
    params: ReportParams,
    compare: CompareParams,
    *,
    answers: Mapping[Cell, Answered],
    stated: Collection[str] = (),
    reviews: Sequence[ReviewFile] = (),
    policies: Sequence[Policy] = (),
) -> Findings:
    """All findings of a run; `run` is None for responses without a manifest, `answers` are what
    only the responses know, `stated` the briefs that state effects.
    """
    ordered = sorted(cells, key=lambda cell: cell.cell)
    prompt = run.prompt.path if run else None
    run = run or _manifest_of(ordered)
    candidates = rank_candidates(
        ordered, configs, policies, prompt=prompt, confidence=compare.confidence
    )
    models = [candidate for candidate in candidates if not candidate.is_policy]
    briefs = rank_briefs(ordered, models, stated)
    flags = flags_of(ordered, candidates, briefs, answers, configs=configs, run=run)
    snapshots: defaultdict[str, set[str]] = defaultdict(set)
    for cell, answer in answers.items():
        if answer.model:
            snapshots[cell.model_id].add(answer.model)
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
        decision=decide(candidates, run, configs, params, compare, snapshots),
        flags=flags,
        reviews=tuple(reviews),
        notices=tuple(notices_of(ordered, models, briefs, flags)),
    )


def _manifest_of(cells: Sequence[ScoredCell]) -> Run:
    return Run(
        run_id=UNKNOWN,
        git_sha=None,
        tool_version=UNKNOWN,
        prompt=PromptRef(path=UNKNOWN, sha256=UNKNOWN),
        models=dict.fromkeys(sorted({cell.model_id for cell in cells}), UNKNOWN),
        briefs=dict.fromkeys(sorted({cell.brief_id for cell in cells}), UNKNOWN),
        samples=max(cell.sample for cell in cells),
        round=1,
    )
