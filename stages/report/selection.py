"""The rule that names a model: it leads, it is not worse than any other, or the question is open."""

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
    """A model with its scores on the briefs that it answered, of so many that it was asked; None: unknown."""

    model_id: str
    side: Side
    asked_briefs: int
    usd_per_usable: float | None
    latency_s: float | None
    usd_per_brief: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The model that is named, with the evidence; every difference is the named model less the other.

    `confidence` is the level of the two-sided intervals in `rivals`. With the verdict `undecided`: `cheapest` and `fastest` are cheaper
    and faster candidates that may be as good; about so many `briefs` in all would decide, the additional ones for `usd` (None: unknown).
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
    """Name a model; with `usable_only` the scores are those of usable graphs alone, so that failures do not count.

    The leader has the highest mean score. With k candidates and alpha = 1 - confidence:

    * `leads`: the lower bound of its paired lead, with an error rate of alpha / max(4, k - 1), is above 0 for every rival. The leader
      is chosen after its scores are seen, so either of two equal models may seem to lead: at alpha / 4 in at most alpha / 2 of all runs.
    * `not_worse`: the cheapest candidate R for which the upper bound of j - R, with an error rate of alpha / (k - 1), is
      below `margin` for every other candidate j. A candidate whose cost is unknown is not named.
    * `undecided`: the leader.

    Candidates without a score above 0 do not count. Equal scores are ordered by cost, then by id. With `usable_only` the scores
    are those of usable graphs alone, so that failures do not count.
    """
    ranked = _ranked(candidates)
    if not ranked:
        return Selection(verdict="none", model_id=None)
    leader, *others = ranked
    if not others:
        return Selection(verdict="only_candidate", model_id=leader.model_id)
    count, differ = len(others), quality_difference_of if usable_only else difference_of
    strict, one_sided = (1 - 2 * (1 - confidence) / tests for tests in (max(4, count), count))
    leads = _against(leader, ranked, strict, differ)
    behind = {one for one, lead in leads if lead.low is not None and lead.low > 0}
    if len(behind) == count:
        return Selection(verdict="leads", model_id=leader.model_id, rivals=leads, confidence=strict)
    for one in sorted(ranked, key=_cost):
        gaps = _against(one, ranked, one_sided, differ) if one.usd_per_usable is not None else ()
        if gaps and all(gap.low is not None and -gap.low < margin for _, gap in gaps):
            return Selection(
                verdict="not_worse", model_id=one.model_id, rivals=gaps, confidence=one_sided
            )
    equals = [one for one in ranked if one.model_id not in behind]
    cheapest, fastest = min(equals, key=_cost), min(equals, key=_latency)
    times = max(_times(one, leader, 0.0, strict, differ) for one in equals[1:])
    if cheapest.usd_per_usable is not None:
        no_worse = (
            _times(one, cheapest, margin, one_sided, differ)
            for one in ranked
            if one is not cheapest
        )
        times = min(times, max(no_worse))
    asked = max(one.asked_briefs for one in ranked)
    briefs = None if math.isinf(times) else math.ceil(asked * times)
    prices = [one.usd_per_brief for one in ranked if one.usd_per_brief is not None]
    return Selection(
        verdict="undecided",
        model_id=leader.model_id,
        rivals=leads,
        confidence=strict,
        cheapest=cheapest.model_id if _cost(cheapest) < _cost(leader) else None,
        fastest=fastest.model_id if _latency(fastest) < _latency(leader) else None,
        briefs=briefs,
        usd=(briefs - asked) * math.fsum(prices)
        if briefs is not None and len(prices) == len(ranked)
        else None,
    )


def _ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    scores = {one.model_id: score_of(one.side).value or 0.0 for one in candidates}
    counted = [one for one in candidates if scores[one.model_id] > 0]
    return sorted(
        counted, key=lambda one: (-round(scores[one.model_id], 9), _cost(one), one.model_id)
    )


def _against(
    one: Candidate, ranked: Sequence[Candidate], level: float, differ: Differ
) -> tuple[tuple[str, Difference], ...]:
    others = (other for other in ranked if other is not one)
    return tuple(
        (other.model_id, differ({"": other.side}, {"": one.side}, level)) for other in others
    )


def _times(
    one: Candidate, named: Candidate, margin: float, confidence: float, differ: Differ
) -> float:
    """How many times as many briefs would show that `named` is better, or worse by less than `margin`; infinite beyond 16 times."""
    base, head = {"": one.side}, {"": named.side}
    half_width = margin + (difference_of(base, head).value or 0.0)
    found = briefs_for(base, head, half_width, confidence, differ) if half_width > 0 else None
    return math.inf if found is None else found / differ(base, head, confidence).briefs


def _cost(one: Candidate) -> float:
    return math.inf if one.usd_per_usable is None else one.usd_per_usable


def _latency(one: Candidate) -> float:
    return math.inf if one.latency_s is None else one.latency_s
