"""The rule that names a model, by the paired test of the expected scores."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stages.contracts.decision import DecisionVerdict, NextStep, PossibleEqual
from stages.contracts.measurement import Measurement
from stages.statistics.estimates import Side, score_of
from stages.statistics.interval import briefs_for
from stages.statistics.paired_test import paired_test


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
    """The named model less a rival, on the briefs that both answered."""

    rival: str
    difference: Measurement

    def is_above(self, limit: float) -> bool:
        """Whether the interval is above the limit."""
        return self.difference.low is not None and self.difference.low > limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The model that is named, with its leads over the others.

    `confidence` is the level of the two-sided intervals in `leads`. With the verdict `undecided`:
    `cheapest` and `fastest` are cheaper and faster candidates that may be as good, and `next_step`
    says how many briefs in all would decide, and what the additional ones cost.
    """

    verdict: DecisionVerdict
    model_id: str | None
    leads: tuple[Lead, ...] = ()
    confidence: float | None = None
    cheapest: PossibleEqual | None = None
    fastest: PossibleEqual | None = None
    next_step: NextStep | None = None


def select(candidates: Sequence[Candidate], confidence: float, min_difference: float) -> Selection:
    """Name a model.

    With k candidates and alpha = 1 - confidence:

    * `leads`: the candidate with the highest score, if the lower end of its paired lead, with an
      error rate of alpha / max(4, k - 1), is above 0 for every rival. The leader is chosen after
      its scores are seen, so either of two equal models may seem to lead: at alpha / 4 in at most
      alpha / 2 of all runs.
    * `not_worse`: the cheapest candidate R for which the upper end of j - R, with an error rate of
      alpha / (k - 1), is below `min_difference` for every other candidate j. A candidate whose cost
      is unknown is not named.
    * `undecided`: the candidate with the highest score.

    Candidates without a score above 0 do not count. Equal scores are ordered by cost, then by id.
    """
    ranked = _ranked(candidates)
    if not ranked:
        return Selection(verdict="none", model_id=None)
    if len(ranked) == 1:
        return Selection(verdict="only_candidate", model_id=ranked[0].model_id)
    rivals = len(ranked) - 1
    rule = _Rule(
        candidates=ranked,
        leading=1 - 2 * (1 - confidence) / max(4, rivals),
        not_worse=1 - 2 * (1 - confidence) / rivals,
        min_difference=min_difference,
    )
    return rule.name_model() or rule.leave_open()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """The candidates, the best first; the levels of *leads* and of *not worse*, and the difference
    that matters.
    """

    candidates: Sequence[Candidate]
    leading: float
    not_worse: float
    min_difference: float

    def name_model(self) -> Selection | None:
        """The model that leads, or the cheapest that is not worse; None where there is neither."""
        leader = self.candidates[0]
        leads = self.leads_of(leader, self.leading)
        if all(lead.is_above(0.0) for lead in leads):
            return _named("leads", leader, leads, self.leading)
        for candidate in self.by_cost():
            leads = self.leads_of(candidate, self.not_worse)
            if all(lead.is_above(-self.min_difference) for lead in leads):
                return _named("not_worse", candidate, leads, self.not_worse)
        return None

    def by_cost(self) -> list[Candidate]:
        """The models of known cost, the cheapest first."""
        priced = [model for model in self.candidates if model.usd_per_usable is not None]
        return sorted(priced, key=_cost)

    def leads_of(self, named: Candidate, level: float) -> tuple[Lead, ...]:
        """A candidate's leads over every other one."""
        leads = []
        for rival in self.candidates:
            if rival is not named:
                common = sorted(named.side.keys() & rival.side.keys())
                differences = [
                    named.side[brief].expected - rival.side[brief].expected for brief in common
                ]
                test = paired_test(differences, self.min_difference, level)
                leads.append(Lead(rival.model_id, test.difference))
        return tuple(leads)

    def briefs_factor(self) -> float:
        """How many times as many briefs would name a model; infinite beyond 64 times."""
        leads = self.leads_of(self.candidates[0], self.leading)
        factors = [max(_briefs_factor(lead.difference, 0.0) for lead in leads)]
        for cheapest in self.by_cost()[:1]:
            leads = self.leads_of(cheapest, self.not_worse)
            factors.append(
                max(_briefs_factor(lead.difference, self.min_difference) for lead in leads)
            )
        return min(factors)

    def leave_open(self) -> Selection:
        """The leader, what is cheaper and faster among the candidates that may be as good, and what
        would decide.
        """
        ranked = self.candidates
        leader = ranked[0]
        leads = self.leads_of(leader, self.leading)
        behind = {lead.rival for lead in leads if lead.is_above(0.0)}
        equals = [candidate for candidate in ranked if candidate.model_id not in behind]
        cheapest, fastest = min(equals, key=_cost), min(equals, key=_latency)
        is_cheaper = _cost(cheapest) < _cost(leader)
        is_faster = _latency(fastest) < _latency(leader)
        factor = self.briefs_factor()
        asked = max(candidate.asked_briefs for candidate in ranked)
        briefs = None if math.isinf(factor) else math.ceil(asked * factor)
        usd = None if briefs is None else _cost_of_briefs(ranked, briefs - asked)
        return Selection(
            verdict="undecided",
            model_id=leader.model_id,
            leads=leads,
            confidence=self.leading,
            cheapest=_possible_equal(cheapest, leads) if is_cheaper else None,
            fastest=_possible_equal(fastest, leads) if is_faster else None,
            next_step=NextStep(briefs=briefs, usd=usd),
        )


def _named(
    verdict: DecisionVerdict, model: Candidate, leads: tuple[Lead, ...], level: float
) -> Selection:
    return Selection(verdict=verdict, model_id=model.model_id, leads=leads, confidence=level)


def _briefs_factor(lead: Measurement, margin: float) -> float:
    """How many times as many briefs would show a lead above minus the margin."""
    briefs = briefs_for(lead, margin + (lead.value or 0.0))
    return math.inf if briefs is None else briefs / lead.n


def _possible_equal(candidate: Candidate, leads: Sequence[Lead]) -> PossibleEqual:
    """A rival that may be as good: at most so much worse as the upper end of the leader's lead."""
    lead = next(lead for lead in leads if lead.rival == candidate.model_id)
    return PossibleEqual(model=lead.rival, worse_by_at_most=lead.difference.high)


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


def _cost(candidate: Candidate) -> float:
    return math.inf if candidate.usd_per_usable is None else candidate.usd_per_usable


def _latency(candidate: Candidate) -> float:
    return math.inf if candidate.latency_s is None else candidate.latency_s
