"""A policy as a side of a comparison, estimated from the scorecards of its models. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from stages.compare.pairing import Means
from stages.compare.sides import ComparedSide, NotMeasured
from stages.contracts.policy import PolicySteps
from stages.contracts.scorecard import Scorecard
from stages.statistics.policy_estimate import BriefEstimate, estimate_brief
from stages.statistics.scored_cell import scored_cell
from stages.statistics.summary import Weights, summarise

Cards: TypeAlias = Mapping[str, Sequence[Scorecard]]
"""The scorecards of the answers to one brief, by model."""


def side_of_policy(side: ComparedSide, policy: PolicySteps, called: str) -> ComparedSide:
    """The side with the means of the policy, and with the scorecards of the answers that may count,
    under the name `called`.

    A brief has no means with fewer answers of a model than the policy may call. NotMeasured where
    no brief has any.
    """
    means: dict[str, Means] = {}
    scorecards: list[Scorecard] = []
    for brief, cards in sorted(_cards_by_brief(side, policy).items()):
        answered = {
            model: [card for card in group if card.answered] for model, group in cards.items()
        }
        answers = {model: list(map(scored_cell, group)) for model, group in answered.items()}
        estimate = estimate_brief(policy, answers)
        if estimate is not None:
            means[brief] = _means(answered, estimate)
        scorecards += [
            card.model_copy(update={"model_id": called})
            for model, group in cards.items()
            for place, card in enumerate(_answered_first(group))
            if estimate is None or not card.answered or estimate.counted[model][place] > 0
        ]
    if not means:
        advice = "results/summary.md says what it lacks"
        raise NotMeasured(f"the policy {policy.id} has no estimate on any brief: {advice}")
    return replace(
        side, name=policy.id, model=policy.id, scorecards=tuple(scorecards), policy=means
    )


def _cards_by_brief(side: ComparedSide, policy: PolicySteps) -> dict[str, Cards]:
    """The scorecards of the policy's models, by brief."""
    briefs: defaultdict[str, dict[str, list[Scorecard]]] = defaultdict(dict)
    for card in side.scorecards:
        if card.model_id in policy.models:
            briefs[card.brief_id].setdefault(card.model_id, []).append(card)
    return dict(briefs)


def _answered_first(cards: Sequence[Scorecard]) -> list[Scorecard]:
    return sorted(cards, key=lambda card: not card.answered)


def _means(cards: Cards, estimate: BriefEstimate) -> Means:
    cells = [scored_cell(card) for model in estimate.called for card in cards[model]]
    called, counted = (
        [float(weight) for weights in chances.values() for weight in weights]
        for chances in (estimate.called, estimate.counted)
    )
    summary = summarise(cells, Weights(called, counted))
    (score,) = summary.briefs.values()
    return Means(
        score=score,
        answers=1,
        usable=score.usable,
        est_cost_usd=summary.cost.per_answer,
        latency_ms=summary.latency.per_answer_ms,
        content=score.content,
    )
