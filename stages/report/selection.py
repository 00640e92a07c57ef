"""The rule that names a model: by the expected scores, and where these leave it open by the quality
of usable graphs.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from stages.contracts.decision import DecisionVerdict, NextStep, PossibleEqual, Undoing
from stages.statistics.claim import MIN_BRIEFS, answers_to_exclude, undoing_share
from stages.statistics.estimates import (
    Difference,
    IntervalEstimate,
    Side,
    briefs_for,
    difference_of,
    score_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A model or a policy with its scores on the briefs that it answered, of so many that it was
    asked; None: unknown. `usd_per_brief` is what a brief costs, by the model that is called.
    """

    model_id: str
    side: Side
    asked_briefs: int
    usd_per_usable: float | None
    latency_s: float | None
    usd_per_brief: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Lead:
    """The named model less a rival: the whole difference, and the part by which they are judged."""

    rival: str
    difference: Difference
    judged: IntervalEstimate

    def is_above(self, limit: float) -> bool:
        """Whether the interval is above the limit."""
        return self.judged.low is not None and self.judged.low > limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The model that is named, with its leads over the others.

    `confidence` is the level of the two-sided intervals in `leads`. `undoing` comes with the
    verdicts *where usable*. With the verdict `undecided`: `cheapest` and `fastest` are cheaper and
    faster candidates that may be as good, and `next_step` says how many briefs in all would
    decide, and what the additional ones cost.
    """

    verdict: DecisionVerdict
    model_id: str | None
    leads: tuple[Lead, ...] = ()
    confidence: float | None = None
    undoing: Undoing | None = None
    cheapest: PossibleEqual | None = None
    fastest: PossibleEqual | None = None
    next_step: NextStep | None = None


def select(
    candidates: Sequence[Candidate], confidence: float, margin: float, *, usable_only: bool = False
) -> Selection:
    """Name a model; with `usable_only` the scores are those of usable graphs alone, so that
    failures do not count.

    With k candidates and alpha = 1 - confidence:

    * `leads`: the candidate with the highest score, if the lower end of its paired lead, with an
      error rate of alpha / max(4, k - 1), is above 0 for every rival. The leader is chosen after
      its scores are seen, so either of two equal models may seem to lead: at alpha / 4 in at most
      alpha / 2 of all runs.
    * `not_worse`: the cheapest candidate R for which the upper end of j - R, with an error rate of
      alpha / (k - 1), is below `margin` for every other candidate j. A candidate whose cost is
      unknown is not named.
    * `leads_where_usable`, `not_worse_where_usable`: the same by the quality of usable graphs, for
      the candidates with the highest share of them.
    * `undecided`: the candidate with the highest score.

    Candidates without a score above 0 do not count. Equal scores are ordered by cost, then by id.
    """
    ranked = _ranked(candidates)
    if not ranked:
        return Selection(verdict="none", model_id=None)
    if len(ranked) == 1:
        return Selection(verdict="only_candidate", model_id=ranked[0].model_id)
    rivals = len(ranked) - 1
    by_score = _Rule(
        candidates=ranked,
        nameable=ranked,
        by_quality=usable_only,
        leading=1 - 2 * (1 - confidence) / max(4, rivals),
        not_worse=1 - 2 * (1 - confidence) / rivals,
        margin=margin,
    )
    selection = by_score.name_model("leads", "not_worse")
    if selection is not None:
        return selection
    if usable_only:
        return _undecided(by_score, by_score)
    where_usable = replace(by_score, by_quality=True, nameable=_most_usable(ranked))
    selection = where_usable.name_model("leads_where_usable", "not_worse_where_usable")
    if selection is None:
        return _undecided(by_score, where_usable)
    allowed = margin if selection.verdict == "not_worse_where_usable" else 0.0
    return replace(selection, undoing=_undoing(selection.leads, allowed, confidence))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """Which of the candidates may be named, the best first, and how they are compared.

    By the quality of usable graphs or the expected scores; at the levels of *leads* and of *not
    worse*, and by the margin that matters.
    """

    candidates: Sequence[Candidate]
    nameable: Sequence[Candidate]
    by_quality: bool
    leading: float
    not_worse: float
    margin: float

    def name_model(self, leading: DecisionVerdict, not_worse: DecisionVerdict) -> Selection | None:
        """The model that leads, or the cheapest that is not worse; None where there is neither."""
        leader = self.nameable[0]
        leads = self.leads_of(leader, self.leading)
        if self.are_above(leads, 0.0):
            return _named(leading, leader, leads, self.leading)
        for candidate in self.by_cost():
            leads = self.leads_of(candidate, self.not_worse)
            if self.are_above(leads, -self.margin):
                return _named(not_worse, candidate, leads, self.not_worse)
        return None

    def are_above(self, leads: Sequence[Lead], limit: float) -> bool:
        """Whether all leads are above the limit; by usable graphs on six briefs at least."""
        if self.by_quality and any(lead.judged.n < MIN_BRIEFS for lead in leads):
            return False
        return all(lead.is_above(limit) for lead in leads)

    def by_cost(self) -> list[Candidate]:
        """The models of known cost that may be named, the cheapest first."""
        priced = [model for model in self.nameable if model.usd_per_usable is not None]
        return sorted(priced, key=_cost)

    def leads_of(self, named: Candidate, level: float) -> tuple[Lead, ...]:
        """A candidate's leads over every other one."""
        leads = []
        for rival in self.candidates:
            if rival is not named:
                difference = difference_of({"": rival.side}, {"": named.side}, level)
                judged = difference.quality if self.by_quality else difference.expected
                leads.append(Lead(rival.model_id, difference, judged))
        return tuple(leads)

    def briefs_factor(self) -> float:
        """How many times as many briefs would name a model; infinite beyond 64 times."""
        leads = self.leads_of(self.nameable[0], self.leading)
        factors = [max(_briefs_factor(lead.judged, 0.0) for lead in leads)]
        for cheapest in self.by_cost()[:1]:
            leads = self.leads_of(cheapest, self.not_worse)
            factors.append(max(_briefs_factor(lead.judged, self.margin) for lead in leads))
        return min(factors)


def _named(
    verdict: DecisionVerdict, model: Candidate, leads: tuple[Lead, ...], level: float
) -> Selection:
    return Selection(verdict=verdict, model_id=model.model_id, leads=leads, confidence=level)


def _briefs_factor(lead: IntervalEstimate, margin: float) -> float:
    """How many times as many briefs would show a lead above minus the margin."""
    briefs = briefs_for(lead, margin + (lead.value or 0.0))
    return math.inf if briefs is None else briefs / lead.n


def _undoing(leads: Sequence[Lead], margin: float, confidence: float) -> Undoing:
    """The failures that undo a claim about usable graphs, against the rival where the fewest do."""
    shares = {
        lead.rival: undoing_share(
            lead.judged.value or 0.0,
            lead.difference.base_quality or 0.0,
            lead.difference.base_failures,
            margin,
        )
        for lead in leads
    }
    nearest = min(shares, key=lambda rival: shares[rival])
    return Undoing(
        rival=nearest,
        failure_share=shares[nearest],
        clean_answers=answers_to_exclude(shares[nearest], confidence),
    )


def _undecided(by_score: _Rule, where_usable: _Rule) -> Selection:
    """The leader, what is cheaper and faster among the candidates that may be as good, and what
    would decide.
    """
    ranked = by_score.candidates
    leader = ranked[0]
    leads = by_score.leads_of(leader, by_score.leading)
    behind = {lead.rival for lead in leads if lead.is_above(0.0)}
    equals = [candidate for candidate in ranked if candidate.model_id not in behind]
    cheapest, fastest = min(equals, key=_cost), min(equals, key=_latency)
    is_cheaper, is_faster = _cost(cheapest) < _cost(leader), _latency(fastest) < _latency(leader)
    factor = min(by_score.briefs_factor(), where_usable.briefs_factor())
    asked = max(candidate.asked_briefs for candidate in ranked)
    briefs = None if math.isinf(factor) else math.ceil(asked * factor)
    usd = None if briefs is None else _cost_of_briefs(ranked, briefs - asked)
    return Selection(
        verdict="undecided",
        model_id=leader.model_id,
        leads=leads,
        confidence=by_score.leading,
        cheapest=_possible_equal(cheapest, leads) if is_cheaper else None,
        fastest=_possible_equal(fastest, leads) if is_faster else None,
        next_step=NextStep(briefs=briefs, usd=usd),
    )


def _possible_equal(candidate: Candidate, leads: Sequence[Lead]) -> PossibleEqual:
    """A rival that may be as good: at most so much worse as the upper end of the leader's lead."""
    lead = next(lead for lead in leads if lead.rival == candidate.model_id)
    return PossibleEqual(model=lead.rival, worse_by_at_most=lead.judged.high)


def _cost_of_briefs(candidates: Sequence[Candidate], briefs: int) -> float | None:
    """What so many briefs cost with all models of the candidates, US dollars; None: not known of
    all.
    """
    by_model: dict[str, float | None] = {}
    for candidate in candidates:
        by_model |= candidate.usd_per_brief
    prices = by_model.values()
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


def _most_usable(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Those with the highest share of usable graphs, the highest quality first."""
    scores = {candidate.model_id: score_of(candidate.side) for candidate in ranked}
    shares = {model: round(score.usable.value or 0.0, 9) for model, score in scores.items()}
    most = [model for model in ranked if shares[model.model_id] == max(shares.values())]
    return sorted(most, key=lambda model: -(scores[model.model_id].quality.value or 0.0))


def _cost(candidate: Candidate) -> float:
    return math.inf if candidate.usd_per_usable is None else candidate.usd_per_usable


def _latency(candidate: Candidate) -> float:
    return math.inf if candidate.latency_s is None else candidate.latency_s
