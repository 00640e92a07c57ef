"""Everything that the reports say, computed once from the scored cells: models, briefs, failures,
the decision, flags, notices.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stages.report.agreement import ReviewFile
from stages.report.decision import decide
from stages.report.failures import Occurrence, failures_of
from stages.report.flags import Answered, Flag, flags_of
from stages.report.ranking import BriefResult, Candidate, rank_briefs, rank_candidates
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.analysis.summary import Summary, summarise
from stages.shared.records.decision import Decision
from stages.shared.records.model_config import ModelConfig
from stages.shared.records.params import CompareParams, ReportParams
from stages.shared.records.policy import Policy
from stages.shared.records.response import Cell
from stages.shared.records.run import PromptRef, Run
from stages.shared.shell import numbers as show

SIMULATED = (
    "These are results of simulated models: they show how the tool works and say nothing about "
    "real models."
)
PARTLY_SIMULATED = (
    "The models that are marked simulated show how the tool works: their results say nothing about "
    "real models."
)
RANKING_NOTE = (
    "Ranked by expected score, the mean over briefs: an answer without a usable graph counts 0, a "
    "cell without an answer is left out and counted."
)
UNKNOWN = "unknown"
CEILING = 0.995
"""A score from which a graph has no room to be better."""
CEILING_SHARE = 0.8
"""With so many of its usable graphs at the ceiling, a model can hardly be told from another."""
TELLING_GRAPHS = 5
"""Of fewer graphs such a share says nothing."""


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
        notices=tuple(_notices(ordered, models, briefs, flags)),
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


def _notices(
    cells: Sequence[ScoredCell],
    models: Iterable[Candidate],
    briefs: Sequence[BriefResult],
    flags: Iterable[Flag],
) -> Iterator[str]:
    """What a reader must know first; that answers are missing comes last, where it is seen."""
    simulated = {cell.measured.simulated for cell in cells}
    if simulated == {True}:
        yield SIMULATED
    elif True in simulated:
        yield PARTLY_SIMULATED
    yield from _of_meaning(models, briefs)
    rules = len({cell.scoring_rules for cell in cells})
    if rules > 1:
        yield (
            f"The scores come from {rules} different sets of scoring rules and must not be "
            "compared: run dvc repro -f score."
        )
    yield from (flag.message for flag in flags if flag.kind == "shut_down")
    missing = sum(not cell.answered for cell in cells)
    if missing:
        yield (
            f"{show.counted(missing, 'cell has', 'cells have')} no answer; dvc repro -f calls "
            "only those."
        )


def _of_meaning(models: Iterable[Candidate], briefs: Sequence[BriefResult]) -> Iterator[str]:
    """That nothing is known of content, or that the score does not tell the models apart."""
    unstated = [brief.brief_id for brief in briefs if brief.form_only]
    if 2 * len(unstated) > len(briefs):
        count = show.share_of(len(unstated), len(briefs))
        yield (
            f"Form only: {count} of the briefs state no effects, so nothing is known of whether "
            "graphs are right. graph-evaluator briefs draft ID --by MODEL proposes effects."
        )
    equal = [model.name for model in models if _is_at_ceiling(model)]
    if len(equal) > 1:
        yield (
            f"The score no longer tells {show.first_of(equal)} apart: four fifths of their usable "
            "graphs are at its ceiling. Compare their content."
        )


def _is_at_ceiling(model: Candidate) -> bool:
    """Whether nearly every usable graph has the highest score, among enough to say so."""
    scores = [cell.score for cell in model.cells if cell.usable]
    at_ceiling = sum(score >= CEILING for score in scores)
    return len(scores) >= TELLING_GRAPHS and at_ceiling >= CEILING_SHARE * len(scores)
