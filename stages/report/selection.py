"""The rule that names a model: it leads, it is not worse than any other, or the question is open."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stages.contracts.decision import DecisionVerdict
from stages.contracts.estimates import (
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
    """A model: its scores by brief (none where it has no score on a brief that it was asked), what a usable graph costs, how long an
    answer takes, what a brief costs. None: unknown.
    """

    model_id: str
    side: Side
    usd_per_usable: float | None
    latency_s: float | None
    usd_per_brief: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The model that is named, with the evidence; every difference is the named model less the other.

    `confidence` is the level of the two-sided intervals in `rivals`. With the verdict `undecided`: `cheapest` and `fastest` are cheaper
    and faster candidates that may be as good, about so many `briefs` in all would decide (None: not even 16 times as many), and `usd` is
    the cost of the additional ones with all candidates (None: unknown).
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
    """Name a model.

    The leader has the highest mean score. With k candidates and alpha = 1 - confidence:

    * `leads`: the lower bound of its paired lead, with an error rate of alpha / max(4, k - 1), is above 0 for every rival. The leader
      is chosen after its scores are seen, so either of two equal models may seem to lead: at alpha / 4 in at most alpha / 2 of all runs.
    * `not_worse`: the cheapest candidate R for which the upper bound of j - R, with an error rate of alpha / (k - 1), is
      below `margin` for every other candidate j. A candidate whose cost is unknown is not named.
    * `undecided`: the leader.

    Candidates without a score above 0 do not count. Equal scores are ordered by cost, then by id.

    Args:
        candidates: The models; any order.
        confidence: 0.5 to 1.
        margin: The difference of scores that does not matter.
        usable_only: The scores are those of usable graphs alone, so that failures do not count.

    >>> def model(name, *scores, usd):
    ...     side = {f"b{index}": [score] for index, score in enumerate(scores)}
    ...     return Candidate(model_id=name, side=side, usd_per_usable=usd, latency_s=1.0, usd_per_brief=usd)
    >>> good, bad = model("good", *[0.90, 0.92, 0.94] * 10, usd=0.02), model("bad", *[0.50, 0.55, 0.52] * 10, usd=0.01)
    >>> select([bad, good], 0.95, 0.03).verdict, select([bad, good], 0.95, 0.03).model_id
    ('leads', 'good')
    >>> select([], 0.95, 0.03).verdict
    'none'
    """
    ranked = _ranked(candidates)
    if not ranked:
        return Selection(verdict="none", model_id=None)
    leader, others = ranked[0], ranked[1:]
    if not others:
        return Selection(verdict="only_candidate", model_id=leader.model_id)
    count, differ = len(others), quality_difference_of if usable_only else difference_of
    strict, one_sided = (1 - 2 * (1 - confidence) / tests for tests in (max(4, count), count))
    leads = _against(leader, others, strict, differ)
    behind = {one for one, lead in leads if lead.low is not None and lead.low > 0}
    if len(behind) == count:
        return Selection(verdict="leads", model_id=leader.model_id, rivals=leads, confidence=strict)
    priced = sorted((one for one in ranked if one.usd_per_usable is not None), key=_cost)
    for one in priced:
        gaps = _against(one, [other for other in ranked if other is not one], one_sided, differ)
        if all(gap.low is not None and -gap.low < margin for _, gap in gaps):
            return Selection(verdict="not_worse", model_id=one.model_id, rivals=gaps, confidence=one_sided)
    equals = [other for other in others if other.model_id not in behind]
    lead_questions = [_Question(one, leader, _value(leader, one), strict, differ) for one in equals]
    cheapest = min([leader, *equals], key=_cost)
    equal_questions = [
        _Question(one, cheapest, margin + _value(cheapest, one), one_sided, differ)
        for one in ranked
        if one is not cheapest
    ]
    ways = [lead_questions] if cheapest.usd_per_usable is None else [lead_questions, equal_questions]
    times = min(max(question.times() for question in questions) for questions in ways)
    asked = max(len(one.side) for one in ranked)
    briefs = None if math.isinf(times) else math.ceil(asked * times)
    return Selection(
        verdict="undecided",
        model_id=leader.model_id,
        rivals=leads,
        confidence=strict,
        cheapest=_least(_cost, leader, equals),
        fastest=_least(_latency, leader, equals),
        briefs=briefs,
        usd=None if briefs is None else _price(ranked, briefs - asked),
    )


def _value(one: Candidate, other: Candidate) -> float:
    """The mean paired difference, one less other; 0 where it is not measured."""
    return difference_of({"": other.side}, {"": one.side}).value or 0.0


def _ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    scores = {one.model_id: score_of(one.side).value or 0.0 for one in candidates}
    counted = [one for one in candidates if scores[one.model_id] > 0]
    return sorted(counted, key=lambda one: (-round(scores[one.model_id], 9), _cost(one), one.model_id))


def _against(
    one: Candidate, others: Sequence[Candidate], level: float, differ: Differ
) -> tuple[tuple[str, Difference], ...]:
    return tuple((other.model_id, differ({"": other.side}, {"": one.side}, level)) for other in others)


def _cost(one: Candidate) -> float:
    return math.inf if one.usd_per_usable is None else one.usd_per_usable


def _latency(one: Candidate) -> float:
    return math.inf if one.latency_s is None else one.latency_s


def _least(key: Callable[[Candidate], float], leader: Candidate, equals: Sequence[Candidate]) -> str | None:
    """The candidate that undercuts the leader the most, if any does."""
    best = min([leader, *equals], key=key)
    return best.model_id if key(best) < key(leader) else None


@dataclass(frozen=True, slots=True)
class _Question:
    """An open comparison, which an interval that reaches no farther than `half_width` would settle."""

    base: Candidate
    head: Candidate
    half_width: float
    confidence: float
    differ: Differ

    def times(self) -> float:
        """How many times as many briefs would settle it; infinite where none within reach would."""
        base, head = {"": self.base.side}, {"": self.head.side}
        found = briefs_for(base, head, self.half_width, self.confidence, self.differ) if self.half_width > 0 else None
        return math.inf if found is None else found / self.differ(base, head, self.confidence).briefs


def _price(candidates: Sequence[Candidate], briefs: int) -> float | None:
    """The cost of so many more briefs with all candidates; None where a cost is unknown."""
    prices = [one.usd_per_brief for one in candidates if one.usd_per_brief is not None]
    return briefs * math.fsum(prices) if len(prices) == len(candidates) else None
