"""The rule that names a model, by the paired test of the expected scores."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from stages.report.ranking import Candidate
from stages.shared.analysis.error_rate import step_down
from stages.shared.analysis.interval import ROUNDING, briefs_for
from stages.shared.analysis.paired_test import paired_test
from stages.shared.analysis.summary import Summary
from stages.shared.records.decision import DecisionVerdict, NextStep, PossibleEqual
from stages.shared.records.measurement import Measurement

WORTHWHILE = 0.95
"""A candidate that may be as good is named if it costs or takes less than this part."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The named model less a rival, on the briefs that both answered."""

    rival: str
    difference: Measurement

    def is_above(self, limit: float) -> bool:
        """Whether the interval is above the limit."""
        return _is_above(self.difference, limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The model that is named, with its leads over the others.

    `compared` candidates have a score above 0; `same_answers` are policies beside them that have
    the answers of a model. With the verdict `undecided`: `cheapest` and
    `fastest` are cheaper and faster candidates that may be as good, and `next_step` says how many
    briefs in all would decide, and what the additional ones cost.
    """

    verdict: DecisionVerdict
    model_id: str | None
    compared: int
    leads: tuple[Lead, ...] = ()
    same_answers: tuple[str, ...] = ()
    cheapest: PossibleEqual | None = None
    fastest: PossibleEqual | None = None
    next_step: NextStep | None = None


def select(candidates: Sequence[Candidate], confidence: float, min_difference: float) -> Selection:
    """Name a model. The intervals of a candidate's leads over the others share the error rate.

    * `leads`: the candidate with the highest score, if each of its leads is above 0.
    * `not_worse`: the cheapest candidate over which no other leads by `min_difference` or more: the
      upper end of every rival's lead is below it. One of unknown cost is not named.
    * `undecided`: the candidate with the highest score.

    Candidates without a score above 0 do not count, and neither does a policy that has the answers
    of one of its models alone: trying again changed nothing. Of equal scores a model goes before a
    policy, then the cheaper, then the faster, then by id.
    """
    ranked = _ranked(candidates)
    same = tuple(policy.id for policy in ranked if _has_answers_of_a_model(policy, ranked))
    distinct = [candidate for candidate in ranked if candidate.id not in same]
    if not distinct:
        return Selection(verdict="none", model_id=None, compared=0)
    if len(distinct) == 1:
        named = distinct[0].id
        return Selection(verdict="only_candidate", model_id=named, compared=1, same_answers=same)
    rule = _Rule(distinct, confidence, min_difference)
    return replace(rule.name_model() or rule.leave_open(), same_answers=same)


@dataclass(frozen=True, slots=True)
class _Rule:
    """The candidates, the best first, the confidence of a candidate's leads together, and the
    difference that matters.
    """

    candidates: Sequence[Candidate]
    confidence: float
    min_difference: float

    def name_model(self) -> Selection | None:
        """The model that leads, or the cheapest that is not worse; None where there is neither."""
        leader = self.candidates[0]
        leads = self.leads_of(leader, 0.0)
        if all(lead.is_above(0.0) for lead in leads):
            return self._named("leads", leader, leads)
        for candidate in self.by_cost():
            leads = self.leads_of(candidate, -self.min_difference)
            if all(lead.is_above(-self.min_difference) for lead in leads):
                return self._named("not_worse", candidate, leads)
        return None

    def _named(
        self, verdict: DecisionVerdict, model: Candidate, leads: tuple[Lead, ...]
    ) -> Selection:
        compared = len(self.candidates)
        return Selection(verdict=verdict, model_id=model.id, compared=compared, leads=leads)

    def by_cost(self) -> list[Candidate]:
        """The models of known cost, the cheapest first."""
        priced = [model for model in self.candidates if model.summary.cost.per_usable is not None]
        return sorted(sorted(priced, key=_simplicity), key=_cost)

    def leads_of(self, named: Candidate, limit: float) -> tuple[Lead, ...]:
        """A candidate's leads over every other one, by Holm's procedure; a lead above the limit is
        settled.
        """
        tests = {
            rival.id: partial(
                paired_test, _differences(named.summary, rival.summary), self.min_difference
            )
            for rival in self.candidates
            if rival is not named
        }
        judged = step_down(tests, self.confidence, lambda test: _is_above(test.difference, limit))
        return tuple(Lead(rival, test.difference) for rival, test in judged.items())

    def briefs_factor(self) -> float:
        """How many times as many briefs would name a model; infinite beyond 64 times."""
        leads = self.leads_of(self.candidates[0], 0.0)
        factors = [max(_briefs_factor(lead.difference, 0.0) for lead in leads)]
        for cheapest in self.by_cost()[:1]:
            leads = self.leads_of(cheapest, -self.min_difference)
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
        leads = self.leads_of(leader, 0.0)
        behind = {lead.rival for lead in leads if lead.is_above(0.0)}
        equals = [candidate for candidate in ranked if candidate.id not in behind]
        cheapest, fastest = min(equals, key=_cost), min(equals, key=_latency)
        is_cheaper = _cost(cheapest) < _cost(leader) * WORTHWHILE
        is_faster = _latency(fastest) < _latency(leader) * WORTHWHILE
        factor = self.briefs_factor()
        asked = max(candidate.summary.asked_briefs for candidate in ranked)
        briefs = None if math.isinf(factor) else math.ceil(asked * factor)
        usd = None if briefs is None else _cost_of_briefs(ranked, briefs - asked)
        return Selection(
            verdict="undecided",
            model_id=leader.id,
            compared=len(ranked),
            leads=leads,
            cheapest=_possible_equal(cheapest, leads) if is_cheaper else None,
            fastest=_possible_equal(fastest, leads) if is_faster else None,
            next_step=NextStep(briefs=briefs, usd=usd),
        )


def _differences(named: Summary, rival: Summary) -> list[float]:
    """One candidate less the other on each brief that both answered."""
    common = sorted(named.briefs.keys() & rival.briefs.keys())
    return [named.briefs[brief].expected - rival.briefs[brief].expected for brief in common]


def _is_above(difference: Measurement, limit: float) -> bool:
    return difference.low is not None and difference.low > limit


def _briefs_factor(lead: Measurement, margin: float) -> float:
    """How many times as many briefs would show a lead above minus the margin."""
    briefs = briefs_for(lead, margin + (lead.value or 0.0))
    return math.inf if briefs is None else briefs / lead.n


def _possible_equal(candidate: Candidate, leads: Sequence[Lead]) -> PossibleEqual:
    """A rival that may be as good: at most so much worse as the upper end of the leader's lead."""
    lead = next(lead for lead in leads if lead.rival == candidate.id)
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


def _has_answers_of_a_model(policy: Candidate, candidates: Sequence[Candidate]) -> bool:
    """Whether a policy has the score of one of its models on every brief and is no cheaper."""
    models = [item for item in candidates if item.id in policy.usd_per_brief]
    return policy.is_policy and any(
        model.summary.briefs.keys() == policy.summary.briefs.keys()
        and max(map(abs, _differences(model.summary, policy.summary))) <= ROUNDING
        and _cost(policy) >= _cost(model) * (1 - ROUNDING)
        for model in models
    )


def _ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with a score above 0, the highest first, of equals the simplest."""
    scores = {item.id: item.summary.expected.value or 0.0 for item in candidates}
    scored = [candidate for candidate in candidates if scores[candidate.id] > 0]
    simplest_first = sorted(scored, key=_simplicity)
    return sorted(simplest_first, key=lambda candidate: -round(scores[candidate.id], 9))


def _simplicity(candidate: Candidate) -> tuple[bool, float, float, str]:
    """The order of candidates with equal scores."""
    return (candidate.is_policy, _cost(candidate), _latency(candidate), candidate.id)


def _cost(candidate: Candidate) -> float:
    cost = candidate.summary.cost.per_usable
    return math.inf if cost is None else cost


def _latency(candidate: Candidate) -> float:
    latency = candidate.summary.latency.p50_ms
    return math.inf if latency is None else latency
