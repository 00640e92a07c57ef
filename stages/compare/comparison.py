"""A comparison of two sides: the verdict first, then everything that it rests on."""

from dataclasses import dataclass

from stages.compare.changes import Efficiency, Move, efficiency, moves
from stages.compare.effect import Effect, model_effects, overall_effect
from stages.compare.notes import differing, notes
from stages.compare.pairing import Key, by_model, pair
from stages.compare.sides import Side
from stages.compare.verdict import Verdict
from stages.contracts.params import CompareParams


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelComparison:
    """One model on both sides."""

    model_id: str
    effect: Effect
    efficiency: Efficiency
    config_changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sides compared. `scores` is the effect on the expected score over all models."""

    verdict: Verdict
    reason: str
    base: Side
    head: Side
    scores: Effect
    efficiency: Efficiency
    models: tuple[ModelComparison, ...]
    moves: tuple[Move, ...]
    only_base: tuple[Key, ...]
    only_head: tuple[Key, ...]
    unpaired: tuple[Key, ...]
    base_unanswered: int
    head_unanswered: int
    notes: tuple[str, ...]
    settings: CompareParams


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """A comparison that could not be made: the names of the sides, and every reason.

    `not_run`: inputs of the working tree were changed and not run since.
    """

    base: str
    head: str
    reasons: tuple[str, ...]
    not_run: bool = False
    verdict: Verdict = "could not measure"

    @property
    def reason(self) -> str:
        """All reasons in one sentence."""
        return "; ".join(self.reasons)


def compare(base: Side, head: Side, params: CompareParams, *, today: str | None = None, looks: int = 0) -> Comparison:
    """Compare two sides, brief by brief.

    The verdict is that on `expected_score` over all models that both sides have. Scores made by different rules are never
    compared: the caller scores the answers again first.

    Args:
        base: What is compared with.
        head: What is judged.
        params: The smallest difference that matters, the confidence, the planned looks and the seed.
        today: The hash of today's rules, for a note where both sides were scored by others.
        looks: How often these prompts were compared so far, for a note where that is more than planned.

    Raises:
        ValueError: the sides were scored by different rules.
    """
    if len(base.rules | head.rules) > 1:
        raise ValueError("scores made by different rules cannot be compared")
    pairing = pair(base.scorecards, head.scorecards)
    scores = overall_effect(pairing, params)
    groups = by_model(pairing.pairs)
    changed = differing(base.run.models, head.run.models)
    return Comparison(
        verdict=scores.judgement.verdict,
        reason=scores.judgement.reason,
        base=base,
        head=head,
        scores=scores,
        efficiency=efficiency(pairing.pairs),
        models=tuple(
            ModelComparison(
                model_id=model,
                effect=effect,
                efficiency=efficiency(groups.get(model, ())),
                config_changed=model in changed,
            )
            for model, effect in model_effects(pairing, params).items()
        ),
        moves=moves(pairing.pairs),
        only_base=pairing.only_base,
        only_head=pairing.only_head,
        unpaired=pairing.unpaired,
        base_unanswered=pairing.base_unanswered,
        head_unanswered=pairing.head_unanswered,
        notes=(*_looks(looks, params), *notes(base, head, pairing, scores.found, today=today)),
        settings=params,
    )


def _looks(looks: int, params: CompareParams) -> list[str]:
    if looks <= params.planned_looks:
        return []
    return [
        f"Git holds {looks} looks at this prompt (distinct samples, rounds and brief sets), and compare.planned_looks is "
        f"{params.planned_looks}: looking again until a verdict appears raises the rate of wrong verdicts."
    ]
