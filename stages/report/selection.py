"""The rule that names a model: it leads, it is not worse than any other, or the question is
open.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stages.contracts.decision import DecisionVerdict
from stages.statistics.estimates import (
    Differ,
    Difference,
    Side,
    briefs_for,
    difference_of,
    quality_difference_of,
    score_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A model with its scores on the briefs that it answered, of so many that it was asked;
    None: unknown.
    """

    model_id: str
    side: Side
    asked_briefs: int
    usd_per_usable: float | None
    latency_s: float | None
    usd_per_brief: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The model that is named, with the evidence; every difference is the named model less the
    other.

    `confidence` is the level of the two-sided intervals in `rivals`. With the verdict `undecided`:
    `cheapest` and `fastest` are cheaper and faster candidates that may be as good; about so many
    `briefs` in all would decide, the additional ones for `usd` (None: unknown).
    """

    verdict: DecisionVerdict
    model_id: str | None
    rivals: tuple[tuple[str, Difference], ...] = ()
    confidence: float | None = None
    cheapest: str | None = None
    fastest: str | None = None
    briefs: int | None = None
    usd: float | None = None


def select(
    candidates: Sequence[Candidate], confidence: float, margin: float, *, usable_only: bool = False
) -> Selection:
    """Name a model; with `usable_only` the scores are those of usable graphs alone, so that
    failures do not count.

    The leader has the highest mean score. With k candidates and alpha = 1 - confidence:

    * `leads`: the lower bound of its paired lead, with an error rate of alpha / max(4, k - 1), is above 0 for every rival. The leader
      is chosen after its scores are seen, so either of two equal models may seem to lead: at alpha / 4 in at most alpha / 2 of all runs.
    * `not_worse`: the cheapest candidate R for which the upper bound of j - R, with an error rate of alpha / (k - 1), is
      below `margin` for every other candidate j. A candidate whose cost is unknown is not named.
    * `undecided`: the leader.

    Candidates without a score above 0 do not count. Equal scores are ordered by cost, then by id.
    """
    ranked = _ranked(candidates)
    if not ranked:
        return Selection(verdict="none", model_id=None)
    leader = ranked[0]
    if len(ranked) == 1:
        return Selection(verdict="only_candidate", model_id=leader.model_id)
    rivals = len(ranked) - 1
    rule = _Rule(
        differ=quality_difference_of if usable_only else difference_of,
        leading=1 - 2 * (1 - confidence) / max(4, rivals),
        not_worse=1 - 2 * (1 - confidence) / rivals,
        margin=margin,
    )
    leads = rule.compare(leader, ranked, rule.leading)
    behind = {model for model, lead in leads if lead.low is not None and lead.low > 0}
    if len(behind) == rivals:
        return Selection(
            verdict="leads", model_id=leader.model_id, rivals=leads, confidence=rule.leading
        )
    priced = [candidate for candidate in ranked if candidate.usd_per_usable is not None]
    for candidate in sorted(priced, key=_cost):
        gaps = rule.compare(candidate, ranked, rule.not_worse)
        if rule.none_is_better(gaps):
            return Selection(
                verdict="not_worse",
                model_id=candidate.model_id,
                rivals=gaps,
                confidence=rule.not_worse,
            )
    equals = [candidate for candidate in ranked if candidate.model_id not in behind]
    return _undecided(ranked, equals, leads, rule)


@dataclass(frozen=True, slots=True)
class _Rule:
    """How candidates are compared: by which difference, at which levels, and the margin that
    matters.
    """

    differ: Differ
    leading: float
    not_worse: float
    margin: float

    def compare(
        self, candidate: Candidate, ranked: Sequence[Candidate], level: float
    ) -> tuple[tuple[str, Difference], ...]:
        """The differences of a candidate to every other one."""
        others = [other for other in ranked if other is not candidate]
        return tuple(
            (other.model_id, self.differ({"": other.side}, {"": candidate.side}, level))
            for other in others
        )

    def none_is_better(self, gaps: Sequence[tuple[str, Difference]]) -> bool:
        """True when no other is better by the margin or more."""
        return all(gap.low is not None and -gap.low < self.margin for _, gap in gaps)

    def briefs_factor(
        self, rival: Candidate, named: Candidate, margin: float, confidence: float
    ) -> float:
        """How many times as many briefs would show that `named` is better, or worse by less than
        `margin`.

        Infinite beyond 16 times.
        """
        base, head = {"": rival.side}, {"": named.side}
        half_width = margin + (difference_of(base, head).value or 0.0)
        if half_width <= 0:
            return math.inf
        briefs = briefs_for(base, head, half_width, confidence, self.differ)
        if briefs is None:
            return math.inf
        return briefs / self.differ(base, head, confidence).briefs


def _undecided(
    ranked: Sequence[Candidate],
    equals: Sequence[Candidate],
    leads: tuple[tuple[str, Difference], ...],
    rule: _Rule,
) -> Selection:
    """The leader, what is cheaper and faster among the candidates that may be as good, and what
    would decide.
    """
    leader = ranked[0]
    cheapest, fastest = min(equals, key=_cost), min(equals, key=_latency)
    factor = max(rule.briefs_factor(rival, leader, 0.0, rule.leading) for rival in equals[1:])
    if cheapest.usd_per_usable is not None:
        others = [other for other in ranked if other is not cheapest]
        not_worse = [
            rule.briefs_factor(other, cheapest, rule.margin, rule.not_worse) for other in others
        ]
        factor = min(factor, max(not_worse))
    asked = max(candidate.asked_briefs for candidate in ranked)
    briefs = None if math.isinf(factor) else math.ceil(asked * factor)
    return Selection(
        verdict="undecided",
        model_id=leader.model_id,
        rivals=leads,
        confidence=rule.leading,
        cheapest=cheapest.model_id if _cost(cheapest) < _cost(leader) else None,
        fastest=fastest.model_id if _latency(fastest) < _latency(leader) else None,
        briefs=briefs,
        usd=None if briefs is None else _cost_of_briefs(ranked, briefs - asked),
    )


def _cost_of_briefs(candidates: Sequence[Candidate], briefs: int) -> float | None:
    """What so many briefs cost with all candidates, US dollars; None: not known of all."""
    prices = [candidate.usd_per_brief for candidate in candidates]
    known = [price for price in prices if price is not None]
    return briefs * math.fsum(known) if len(known) == len(prices) else None


def _ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with a score above 0, the highest first; of equals the cheapest, then by
    id.
    """
    scores = {item.model_id: score_of(item.side).value or 0.0 for item in candidates}
    scored = [candidate for candidate in candidates if scores[candidate.model_id] > 0]
    by_id = sorted(scored, key=lambda candidate: candidate.model_id)
    by_cost = sorted(by_id, key=_cost)
    return sorted(by_cost, key=lambda candidate: -round(scores[candidate.model_id], 9))


def _cost(candidate: Candidate) -> float:
    return math.inf if candidate.usd_per_usable is None else candidate.usd_per_usable


def _latency(candidate: Candidate) -> float:
    return math.inf if candidate.latency_s is None else candidate.latency_s
