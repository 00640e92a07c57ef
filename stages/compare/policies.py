"""A policy as a side of a comparison, estimated from the scorecards of its models. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from stages.compare.pairing import Means, latency_of
from stages.compare.sides import ComparedSide
from stages.contracts.policy import PolicySteps
from stages.contracts.scorecard import Scorecard
from stages.policies.estimation import BriefEstimate, StoredAnswer, estimate_brief
from stages.policies.latency import SEED, draw_seconds

Cards: TypeAlias = Mapping[str, Sequence[Scorecard]]
"""The scorecards of the answers to one brief, by model."""


def side_of_policy(side: ComparedSide, policy: PolicySteps, called: str) -> ComparedSide:
    """The side with the means of the policy, and with the scorecards of the answers that may count,
    under the name `called`.

    A brief has no means with fewer answers of a model than the policy may call, and where it sends
    an answer back to which no repair is stored.
    """
    briefs: defaultdict[str, dict[str, list[Scorecard]]] = defaultdict(dict)
    for card in side.scorecards:
        if card.model_id in policy.models:
            own = _as_called(policy, card)
            briefs[card.brief_id].setdefault(card.model_id, []).append(own)
    means: dict[str, Means] = {}
    scorecards: list[Scorecard] = []
    for brief, cards in sorted(briefs.items()):
        answered = {
            model: [card for card in group if card.answered] for model, group in cards.items()
        }
        estimate = _estimate(policy, side, answered)
        if estimate is not None:
            means[brief] = _means(policy, answered, estimate)
        scorecards += [
            card.model_copy(update={"model_id": called})
            for model, group in cards.items()
            for place, card in enumerate(_answered_first(group))
            if estimate is None or not card.answered or estimate.counted[model][place] > 0
        ]
    return replace(
        side, name=policy.id, model=policy.id, scorecards=tuple(scorecards), policy=means
    )


def no_estimate(side: ComparedSide) -> str:
    """Why a policy cannot be compared."""
    advice = "results/summary.md says what it lacks"
    return f"the policy {side.name} has no estimate on any brief: {advice}"


def _as_called(policy: PolicySteps, card: Scorecard) -> Scorecard:
    """The scorecard of the first answer, where the policy sends none of the model back."""
    repair = card.repair
    if repair is None or card.model_id in policy.repaired_models:
        return card
    first = {"est_cost_usd": repair.first_cost_usd, "latency_ms": repair.first_latency_ms}
    return card.model_copy(
        update={
            "status": repair.first_status,
            "structural_valid": False,
            "usable": False,
            "violation_codes": repair.first_violation_codes,
            "expected_score": 0.0,
            "overall_score": None,
            "fidelity": (),
            "content": None,
            "measured": card.measured.model_copy(update=first),
            "repair": None,
        }
    )


def _answered_first(cards: Sequence[Scorecard]) -> list[Scorecard]:
    return sorted(cards, key=lambda card: not card.answered)


def _estimate(policy: PolicySteps, side: ComparedSide, cards: Cards) -> BriefEstimate | None:
    """None where an answer or a repair is missing, or git keeps the last verdict alone."""
    has_last_verdict_only = side.recorded and side.run.repair > 0
    has_no_repair = policy.repaired_models and not side.run.repair
    if has_last_verdict_only or has_no_repair:
        return None
    sent_back = [card for model in policy.repaired_models for card in cards.get(model, ())]
    if any(map(_lacks_repair, sent_back)):
        return None
    return estimate_brief(policy, _answers(cards))


def _lacks_repair(card: Scorecard) -> bool:
    is_broken = card.status in ("success", "parse_failed") and not card.structural_valid
    return is_broken and card.repair is None


def _answers(cards: Cards) -> dict[str, list[StoredAnswer]]:
    return {model: [_answer(card) for card in group] for model, group in cards.items()}


def _answer(card: Scorecard) -> StoredAnswer:
    latency_ms = latency_of(card)
    return StoredAnswer(
        score=card.expected_score if card.usable else None,
        usd=card.measured.est_cost_usd,
        seconds=None if latency_ms is None else latency_ms / 1000,
        calls=1 if card.repair is None else 2,
    )


def _means(policy: PolicySteps, cards: Cards, estimate: BriefEstimate) -> Means:
    seconds = draw_seconds(policy, _answers(cards), np.random.default_rng(SEED))
    return Means(
        score=estimate.score,
        answers=1,
        usable=estimate.score.usable,
        est_cost_usd=estimate.usd,
        latency_ms=None if seconds is None else 1000 * float(seconds.mean()),
        content=_content(cards, estimate),
    )


def _content(cards: Cards, estimate: BriefEstimate) -> float | None:
    """The mean over the answers with a content, each by the chance that it counts."""
    contents: list[float] = []
    weights: list[float] = []
    for model, counted in estimate.counted.items():
        for card, weight in zip(cards[model], counted, strict=True):
            if card.usable and card.content is not None:
                contents.append(card.content)
                weights.append(float(weight))
    return float(np.average(contents, weights=weights)) if sum(weights) > 0 else None
