"""A comparison of two sides: the verdict first, then everything that it rests on. Pure."""

from dataclasses import dataclass

from stages.commands.compare.outlook import Outlook, outlook_of
from stages.commands.compare.pairs import Pair, Pairing, pair
from stages.commands.compare.sides import ComparedSide, recorded_alike
from stages.commands.compare.verdict import ModelComparison, Verdict, judge_models, judge_overall
from stages.shared.records.params import CompareParams


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sides compared; `overall` is over all models. `outlook` says what would settle an open
    question, `known_comparisons` how often git knows these prompts to have been compared.
    """

    baseline: ComparedSide
    candidate: ComparedSide
    overall: ModelComparison
    outlook: Outlook | None
    models: tuple[ModelComparison, ...]
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
        """All models together, then each; one model alone has one row."""
        return [*self.models] if len(self.models) == 1 else [self.overall, *self.models]

    @property
    def moved(self) -> list[Pair]:
        """The pairs that moved, the largest change of score first; equal ones by brief and
        model.
        """
        moved = [pair for pair in self.pairing.pairs if pair.moved]
        return sorted(moved, key=lambda pair: (-abs(pair.difference), pair.brief_id, pair.model_id))


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
    content over all models that both sides have, but for `recorded_alike`.

    Raises:
        ValueError: the sides were scored by different rules; the caller scores the answers again
        first.
    """
    if len(baseline.rules | candidate.rules) > 1:
        raise ValueError("scores made by different rules cannot be compared")
    left_out = recorded_alike(baseline, candidate)
    pairing = pair(
        [cell for cell in baseline.cells if cell.model_id not in left_out],
        [cell for cell in candidate.cells if cell.model_id not in left_out],
        baseline_weights=baseline.weights,
        candidate_weights=candidate.weights,
    )
    overall, models = judge_overall(pairing, params), judge_models(pairing, params)
    return Comparison(
        baseline=baseline,
        candidate=candidate,
        overall=overall,
        outlook=outlook_of(overall, models),
        models=models,
        pairing=pairing,
        known_comparisons=known_comparisons,
        settings=params,
    )
