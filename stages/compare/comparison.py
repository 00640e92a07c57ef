"""A comparison of two sides: the verdict first, then everything that it rests on."""

from collections.abc import Mapping

import msgspec

from stages.compare.effect import Effect, model_effects, overall_effect
from stages.compare.efficiency import Efficiency, efficiency
from stages.compare.movement import Move, moves
from stages.compare.pairing import Key, by_model, pair
from stages.compare.side import Side
from stages.compare.verdict import Verdict
from stages.contracts.params import CompareParams
from stages.contracts.run import Run


class SideLabel(msgspec.Struct, frozen=True, kw_only=True):
    """What a report says of a side: the name as written, the commit, the run and the prompt."""

    name: str
    revision: str | None
    run_id: str
    prompt: str
    date: str | None
    rescored: bool


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


def compare(base: Side, head: Side, params: CompareParams) -> Comparison:
    """Compare two sides, brief by brief.

    The verdict is that on `expected_score` over all models that both sides have. Nothing is compared across rules: where the
    scorecards of the two sides were made under different rules, the caller rescores them first.

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
    changed = _changed(base.run.models, head.run.models)
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
        notes=(*_simulated_note(base, head), *_rescoring_notes(base, head), *_input_notes(base.run, head.run)),
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
    )


def _changed(base: Mapping[str, str], head: Mapping[str, str]) -> list[str]:
    return sorted(name for name in base.keys() & head.keys() if base[name] != head[name])


def _simulated_note(*sides: Side) -> list[str]:
    if not any(card.simulated for side in sides for card in side.scorecards):
        return []
    return [
        "Simulated models are among these: their results show how the tool works and say nothing about real models."
    ]


def _rescoring_notes(*sides: Side) -> list[str]:
    return [
        f"The answers of {side.name} were scored under other rules; they have been rescored under today's."
        for side in sides
        if side.rescored
    ]


def _input_notes(base: Run, head: Run) -> list[str]:
    notes = []
    if base.prompt.path == head.prompt.path and base.prompt.sha256 != head.prompt.sha256:
        notes.append(f"The prompt {base.prompt.path} has other contents on the two sides.")
    models, briefs = _changed(base.models, head.models), _changed(base.briefs, head.briefs)
    if models:
        notes.append(f"The model config changed between the sides: {', '.join(models)}.")
    if briefs:
        notes.append(f"The brief changed between the sides: {', '.join(briefs)}.")
    for name in ("samples", "round", "unparsed_draws"):
        before, after = getattr(base, name), getattr(head, name)
        if before != after:
            notes.append(f"generate.{name} is {before} on the base and {after} on the head.")
    return notes
