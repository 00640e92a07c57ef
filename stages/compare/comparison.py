"""A comparison of two sides: the verdict first, then everything that it rests on and what a reader
must know besides.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from stages.compare.changes import Figures, Move, Wins, count_wins, figures_of, moves
from stages.compare.outlook import Outlook, outlook_of, undone_by
from stages.compare.pairing import Pairing, by_model, pair
from stages.compare.sides import ComparedSide, changed_between
from stages.compare.verdict import (
    Judgement,
    Verdict,
    content_difference,
    judge_models,
    judge_pairing,
    level,
)
from stages.contracts.decision import Decision
from stages.contracts.measurement import Measurement
from stages.contracts.params import CompareParams
from stages.contracts.run import Run
from stages.shell import numbers

MAX_SHOWN = 10
"""How many names, briefs, cells or models of a long list are shown."""
UNEQUAL_LOSS = 0.1
"""The difference between the models' shares of cells without an answer from which a note warns."""


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """One model on both sides, or all models together; `figures` is None without a pair."""

    model_id: str
    judgement: Judgement
    figures: Figures | None
    config_changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sides compared. `overall` is over all models, `content` the difference of the share of
    stated effects that graphs have right; `notes` are sentences. `outlook` says what would settle
    an open question, `undone_by` on how many further briefs the better side would have to fail.
    """

    verdict: Verdict
    reason: str
    base: ComparedSide
    head: ComparedSide
    overall: ModelComparison
    content: Measurement
    wins: Wins
    outlook: Outlook | None
    undone_by: int | None
    models: tuple[ModelComparison, ...]
    moves: tuple[Move, ...]
    pairing: Pairing
    notes: tuple[str, ...]
    settings: CompareParams

    @property
    def rows(self) -> tuple[ModelComparison, ...]:
        """All models together, then each, the cheapest first; one model alone has one row."""
        if len(self.models) == 1:
            return self.models
        return self.overall, *sorted(self.models, key=_cost_order)


def _cost_order(model: ModelComparison) -> float:
    usd = model.figures.head.usd_per_answer if model.figures else None
    return math.inf if usd is None else usd


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """Why two sides, by their names, could not be compared.

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


def compare(
    base: ComparedSide,
    head: ComparedSide,
    params: CompareParams,
    *,
    looks: int = 0,
) -> Comparison:
    """Judge the candidate (head) against the baseline (base), brief by brief, by `expected_score`
    over all models that both sides have.

    For the notes: `looks` is how often these prompts were compared so far.

    Raises:
        ValueError: the sides were scored by different rules; the caller scores the answers again
        first.
    """
    if len(base.rules | head.rules) > 1:
        raise ValueError("scores made by different rules cannot be compared")
    pairing = pair(
        base.scorecards, head.scorecards, base_policy=base.policy, head_policy=head.policy
    )
    confidence = level(params)
    judgement = judge_pairing(pairing, params)
    notes = [
        *_notes_on_looks(looks, params),
        *_notes_on_decisions(base.decision, head.decision),
        *_notes_on_missing(pairing),
        *_notes_on_answers(pairing, base, head),
    ]
    changed = changed_between(base.run, head.run)
    if changed:
        notes.append(f"Inputs that changed (a brief is still paired with itself): {changed}.")
    return Comparison(
        verdict=judgement.verdict,
        reason=judgement.reason,
        base=base,
        head=head,
        overall=ModelComparison("all models", judgement, figures_of(pairing.pairs, confidence)),
        content=content_difference(pairing, params),
        wins=count_wins(pairing.pairs),
        outlook=outlook_of(pairing.pairs, judgement, params, confidence),
        undone_by=undone_by(pairing.pairs, judgement, params, confidence),
        models=tuple(_compare_models(pairing, params, base.run, head.run)),
        moves=moves(pairing.pairs),
        pairing=pairing,
        notes=tuple(dict.fromkeys(notes)),
        settings=params,
    )


def _compare_models(
    pairing: Pairing, params: CompareParams, base: Run, head: Run
) -> Iterator[ModelComparison]:
    pairs = by_model(pairing.pairs)
    for model, judgement in judge_models(pairing, params).items():
        figures = figures_of(pairs.get(model, ()), level(params))
        changed = base.models.get(model) != head.models.get(model)
        yield ModelComparison(model, judgement, figures, config_changed=changed)


def _notes_on_looks(looks: int, params: CompareParams) -> Iterator[str]:
    if looks > params.planned_looks:
        yield (
            f"Git holds {looks} looks at this prompt (distinct samples, rounds and brief sets), "
            f"and compare.planned_looks is {params.planned_looks}: looking again until a verdict "
            "appears raises the rate of wrong verdicts."
        )


def _notes_on_decisions(base: Decision | None, head: Decision | None) -> Iterator[str]:
    if base is None or head is None:
        return
    before, after = _recommended(base), _recommended(head)
    for mode in sorted(before.keys() | after.keys()):
        old, new = before.get(mode, "none"), after.get(mode, "none")
        if old != new:
            yield f"The model for {mode} changed: {old} before, {new} now."


def _recommended(decision: Decision) -> dict[str, str]:
    """The model or policy that is recommended for each mode, with the verdict on it."""
    return {
        mode: f"{choice.named or 'none'} ({choice.verdict.replace('_', ' ')})"
        for mode, choice in decision.modes.items()
    }


def _notes_on_missing(pairing: Pairing) -> Iterator[str]:
    shares = sorted(pairing.lost.items(), key=lambda lost: (-lost[1], lost[0]))
    if not shares:
        return
    (most, most_share), (least, least_share) = shares[0], shares[-1]
    if most_share - least_share >= UNEQUAL_LOSS:
        yield (
            f"The models lost different shares of their cells (most {most} "
            f"{numbers.share(most_share)}, least {least} {numbers.share(least_share)}): an answer "
            "that is missing for a reason that depends on its quality biases the comparison."
        )


def _notes_on_answers(pairing: Pairing, base: ComparedSide, head: ComparedSide) -> Iterator[str]:
    if simulated := simulated_note(pairing):
        yield simulated
    for side in (base, head):
        if side.rescored:
            answers = f"The answers of {side.name} were scored by other rules"
            yield f"{answers}; they have been scored again by today's."
        elif side.recorded:
            scores = "its scores are those of results/scores.csv, to four decimals"
            yield f"The scorecards of {side.name} cannot be read: {scores}."


def simulated_note(pairing: Pairing) -> str | None:
    """That models are simulated, in a sentence; None where all are real."""
    cards = (*pairing.base_cards, *pairing.head_cards)
    simulated = sorted({card.model_id for card in cards if card.measured.simulated})
    if not simulated:
        return None
    which = "These models are simulated"
    if not all(card.measured.simulated for card in cards):
        which = f"Simulated models are among these ({numbers.first_of(simulated)})"
    return f"{which}: their results show how the tool works and say nothing about real models."
