"""A comparison of two sides: the verdict first, then everything that it rests on and what a reader must know besides."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stages.compare.changes import Efficiency, Move, efficiency, moves
from stages.compare.effect import Effect, model_effects, overall_effect
from stages.compare.pairing import Pairing, by_model, pair
from stages.compare.sides import Side
from stages.compare.verdict import Verdict
from stages.contracts.decision import Decision
from stages.contracts.params import CompareParams
from stages.contracts.run import Run
from stages.shell import numbers
from stages.statistics.interval import Difference

MAX_SHOWN = 10
"""How many names, briefs, cells or models of a long list are shown."""
UNEQUAL_LOSS = 0.1
"""The difference between the models' shares of cells without an answer from which a note warns."""


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """One model on both sides."""

    model_id: str
    effect: Effect
    efficiency: Efficiency
    config_changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sides compared. `scores` is the effect on the expected score over all models; `notes` are sentences."""

    verdict: Verdict
    reason: str
    base: Side
    head: Side
    scores: Effect
    efficiency: Efficiency
    models: tuple[ModelComparison, ...]
    moves: tuple[Move, ...]
    pairing: Pairing
    notes: tuple[str, ...]
    settings: CompareParams

    @property
    def rows(self) -> tuple[ModelComparison, ...]:
        """All models together, then each."""
        return (ModelComparison("all models", self.scores, self.efficiency), *self.models)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """Why two sides, by their names, could not be compared; `not_run`: inputs of the working tree were changed and not run since."""

    base: str
    head: str
    reasons: tuple[str, ...]
    not_run: bool = False
    verdict: Verdict = "could not measure"

    @property
    def reason(self) -> str:
        """All reasons in one sentence."""
        return "; ".join(self.reasons)


def compare(
    base: Side, head: Side, params: CompareParams, *, today: str | None = None, looks: int = 0
) -> Comparison:
    """Judge the head against the base, brief by brief, by `expected_score` over all models that both sides have.

    For the notes: `today` is the hash of today's rules, `looks` how often these prompts were compared so far.

    Raises:
        ValueError: the sides were scored by different rules; the caller scores the answers again first.
    """
    if len(base.rules | head.rules) > 1:
        raise ValueError("scores made by different rules cannot be compared")
    pairing = pair(base.scorecards, head.scorecards)
    scores = overall_effect(pairing, params)
    groups = by_model(pairing.pairs)
    changed = _differing(base.run.models, head.run.models)
    notes = [*_decisions(base.decision, head.decision), *_lost(pairing, scores.found)]
    notes += [*_answers(pairing, base, head, today), *_inputs(base.run, head.run)]
    if looks > params.planned_looks:
        notes.insert(
            0,
            f"Git holds {looks} looks at this prompt (distinct samples, rounds and brief sets), and compare.planned_looks is "
            f"{params.planned_looks}: looking again until a verdict appears raises the rate of wrong verdicts.",
        )
    return Comparison(
        verdict=scores.judgement.verdict,
        reason=scores.judgement.reason,
        base=base,
        head=head,
        scores=scores,
        efficiency=efficiency(pairing.pairs),
        models=tuple(
            ModelComparison(
                model, effect, efficiency(groups.get(model, ())), config_changed=model in changed
            )
            for model, effect in model_effects(pairing, params).items()
        ),
        moves=moves(pairing.pairs),
        pairing=pairing,
        notes=tuple(dict.fromkeys(notes)),
        settings=params,
    )


def _decisions(base: Decision | None, head: Decision | None) -> Iterator[str]:
    if base is None or head is None:
        return
    before, after = (
        {
            mode: f"{found.model or 'none'} ({found.verdict.replace('_', ' ')})"
            for mode, found in each.modes.items()
        }
        for each in (base, head)
    )
    for mode in sorted(before.keys() | after.keys()):
        old, new = before.get(mode, "none"), after.get(mode, "none")
        if old != new:
            yield f"The model for {mode} changed: {old} before, {new} now."


def _lost(pairing: Pairing, found: Difference) -> Iterator[str]:
    if found.left_out:
        yield f"Left out, with fewer than two briefs that have a score on both sides: {numbers.first_of(found.left_out, MAX_SHOWN)}."
    shares = sorted(pairing.lost.items(), key=lambda lost: (-lost[1], lost[0]))
    if shares and shares[0][1] - shares[-1][1] >= UNEQUAL_LOSS:
        most, least = (
            f"{model} {numbers.share(share)}" for model, share in (shares[0], shares[-1])
        )
        yield (
            f"The models lost different shares of their cells (most {most}, least {least}): an answer that is missing for a "
            "reason that depends on its quality biases the comparison."
        )


def _answers(pairing: Pairing, base: Side, head: Side, today: str | None) -> Iterator[str]:
    simulated = {
        card.measured.simulated
        for each in pairing.pairs
        for card in (*each.base_cards, *each.head_cards)
    }
    if True in simulated:
        which = (
            "Simulated models are among these"
            if False in simulated
            else "These models are simulated"
        )
        yield f"{which}: their results show how the tool works and say nothing about real models."
    for side in (base, head):
        if side.rescored:
            yield f"The answers of {side.name} were scored by other rules; they have been scored again by today's."
        elif side.recorded:
            yield f"The scorecards of {side.name} cannot be read: its scores are those of results/scores.csv, to four decimals."
    if today is not None and not base.rules | head.rules <= {today}:
        yield "Both sides were scored by the same rules, which are not those of params.yaml now."
    if all(each.same_answers for each in pairing.pairs) and any(
        each.difference != 0.0 for each in pairing.pairs
    ):
        yield "Both sides hold the same answers: what moved is how they are scored, by the program or by what briefs expect."


def _inputs(base: Run, head: Run) -> Iterator[str]:
    if base.prompt.path == head.prompt.path and base.prompt.sha256 != head.prompt.sha256:
        yield f"The prompt {base.prompt.path} differs between the two sides."
    if models := _differing(base.models, head.models):
        yield f"The model config changed between the sides: {numbers.first_of(models, MAX_SHOWN)}."
    if briefs := _differing(base.briefs, head.briefs):
        yield f"The brief changed between the sides, and is still paired: {numbers.first_of(briefs, MAX_SHOWN)}."
    for name in ("samples", "round", "unparsed_draws"):
        before, after = getattr(base, name), getattr(head, name)
        if before != after:
            yield f"generate.{name} is {before} on the base and {after} on the head."


def _differing(base: Mapping[str, str], head: Mapping[str, str]) -> list[str]:
    return sorted(name for name in base.keys() & head.keys() if base[name] != head[name])
