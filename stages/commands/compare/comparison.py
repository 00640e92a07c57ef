"""A comparison of two sides: the verdict first, then everything that it rests on. Pure."""

import math
from dataclasses import dataclass
from statistics import fmean

from stages.commands.compare.changes import Figures, Move, Wins, count_wins, figures_of, moves_of
from stages.commands.compare.outlook import Outlook, outlook_of, undone_by
from stages.commands.compare.pairs import (
    Pairing,
    brief_means,
    by_model,
    ends_of,
    pair,
)
from stages.commands.compare.sides import ComparedSide
from stages.commands.compare.verdict import (
    Judgement,
    Verdict,
    judge_models,
    judge_pairing,
    level,
)
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.records.params import CompareParams


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """One model on both sides, or all models together; `figures` is None without a pair."""

    model_id: str
    judgement: Judgement
    figures: Figures | None
    config_changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sides compared. `overall` is over all models; `contents` are the means of the baseline
    and the candidate over the briefs with content on both, None without one.

    `outlook` says what would settle an open question, `undone_by` on how many further briefs the
    better side would have to fail, `known_comparisons` how often git knows these prompts to have
    been compared.
    """

    baseline: ComparedSide
    candidate: ComparedSide
    overall: ModelComparison
    contents: tuple[float, float] | None
    wins: Wins
    outlook: Outlook | None
    undone_by: int | None
    models: tuple[ModelComparison, ...]
    moves: tuple[Move, ...]
    pairing: Pairing
    known_comparisons: int
    settings: CompareParams

    @property
    def verdict(self) -> Verdict:
        """That over all models."""
        return self.overall.judgement.verdict

    @property
    def reason(self) -> str:
        """Why it has its verdict, as a part of a sentence."""
        return self.overall.judgement.reason

    @property
    def rows(self) -> list[ModelComparison]:
        """All models together, then each, the cheapest first; one model alone has one row."""
        models = sorted(self.models, key=_cost_order)
        return models if len(models) == 1 else [self.overall, *models]

    @property
    def cells(self) -> list[ScoredCell]:
        """All cells that were paired."""
        return [cell for end in ends_of(self.pairing.pairs) for cell in end.cells]


def _cost_order(model: ModelComparison) -> float:
    usd = model.figures.candidate.cost.per_answer if model.figures else None
    return math.inf if usd is None else usd


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """Why two sides, by their names, could not be compared.

    `not_run`: inputs of the working tree were changed and not run since.
    """

    baseline: str
    candidate: str
    reasons: tuple[str, ...]
    not_run: bool = False
    verdict: Verdict = "could not measure"

    @property
    def reason(self) -> str:
        """All reasons in one sentence."""
        return "; ".join(self.reasons)


def compare(
    baseline: ComparedSide,
    candidate: ComparedSide,
    params: CompareParams,
    *,
    known_comparisons: int = 0,
) -> Comparison:
    """Judge the candidate against the baseline, brief by brief, by the expected score and the
    content over all models that both sides have.

    Raises:
        ValueError: the sides were scored by different rules; the caller scores the answers again
        first.
    """
    if len(baseline.rules | candidate.rules) > 1:
        raise ValueError("scores made by different rules cannot be compared")
    pairing = pair(
        baseline.cells,
        candidate.cells,
        baseline_weights=baseline.weights,
        candidate_weights=candidate.weights,
    )
    pairs, confidence = pairing.pairs, level(params)
    judgement = judge_pairing(pairing, params)
    of_model = by_model(pairs)
    before, after = baseline.run.models, candidate.run.models
    models = tuple(
        ModelComparison(
            model,
            of_one,
            figures_of(of_model.get(model, []), confidence),
            config_changed=before.get(model) != after.get(model),
        )
        for model, of_one in judge_models(pairing, params).items()
    )
    return Comparison(
        baseline=baseline,
        candidate=candidate,
        overall=ModelComparison("all models", judgement, figures_of(pairs, confidence)),
        contents=_contents(pairing),
        wins=count_wins(pairs),
        outlook=outlook_of(pairs, judgement),
        undone_by=undone_by(pairs, judgement, params, confidence),
        models=models,
        moves=moves_of(pairs),
        pairing=pairing,
        known_comparisons=known_comparisons,
        settings=params,
    )


def _contents(pairing: Pairing) -> tuple[float, float] | None:
    known = [pair for pair in pairing.pairs if pair.content_difference is not None]
    if not known:
        return None
    before = brief_means(known, lambda pair: pair.baseline.content).values()
    after = brief_means(known, lambda pair: pair.candidate.content).values()
    return fmean(before), fmean(after)
