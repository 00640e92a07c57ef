"""A comparison of two sides: the verdict first, then everything that it rests on."""

import msgspec

from stages.compare.effect import Effect, model_effects, overall_effect
from stages.compare.efficiency import Efficiency, efficiency
from stages.compare.movement import Move, moves
from stages.compare.notes import differing, notes
from stages.compare.pairing import Key, by_model, pair
from stages.compare.side import Side
from stages.compare.verdict import Verdict
from stages.contracts.params import CompareParams


class SideLabel(msgspec.Struct, frozen=True, kw_only=True):
    """What a report says of a side: the name as written, the commit, the run, the prompt, and where its scores are from (`Side`)."""

    name: str
    revision: str | None
    run_id: str
    prompt: str
    date: str | None
    rescored: bool
    recorded: bool


class ModelComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One model on both sides. `overall` is the effect on `overall_score`, valid graphs only, without a verdict of its own."""

    model_id: str
    effect: Effect
    overall: Effect
    efficiency: Efficiency
    config_changed: bool


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two sides compared. `scores` is the effect on the expected score over all models, `overall` that on `overall_score`."""

    verdict: Verdict
    reason: str
    base: SideLabel
    head: SideLabel
    scores: Effect
    overall: Effect
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


def compare(base: Side, head: Side, params: CompareParams, *, today: str | None = None) -> Comparison:
    """Compare two sides, brief by brief.

    The verdict is that on `expected_score` over all models that both sides have. Nothing is compared across rules: where the
    scorecards of the two sides were made under different rules, the caller rescores them first.

    Args:
        base: What is compared with.
        head: What is judged.
        params: The smallest difference that matters, the confidence and the seed.
        today: The hash of today's rules, to say so where both sides were scored under others.

    Raises:
        ValueError: the sides were scored under different rules.
    """
    if len(base.rules | head.rules) > 1:
        raise ValueError("scores made under different rules cannot be compared")
    pairing = pair(base.scorecards, head.scorecards)
    valid_only = pair(base.scorecards, head.scorecards, "overall_score")
    scores = overall_effect(pairing, params)
    groups = by_model(pairing.pairs)
    overall_by_model = model_effects(valid_only, params)
    changed = differing(base.run.models, head.run.models)
    return Comparison(
        verdict=scores.judgement.verdict,
        reason=scores.judgement.reason,
        base=_label(base),
        head=_label(head),
        scores=scores,
        overall=overall_effect(valid_only, params),
        efficiency=efficiency(pairing.pairs),
        models=tuple(
            ModelComparison(
                model_id=model,
                effect=effect,
                overall=overall_by_model[model],
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
        notes=notes(base, head, pairing.pairs, today=today),
        settings=params,
    )


def _label(side: Side) -> SideLabel:
    return SideLabel(
        name=side.name,
        revision=side.revision,
        run_id=side.run.run_id,
        prompt=side.run.prompt.path,
        date=side.date,
        rescored=side.rescored,
        recorded=side.recorded,
    )
