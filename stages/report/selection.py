"""The rule that names a model: form, then content, then cost, by the paired test."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from stages.report.ranking import Candidate
from stages.shared.analysis.error_rate import step_down
from stages.shared.analysis.interval import ROUNDING, briefs_for
from stages.shared.analysis.joint_test import CODED_TO_DECIDE
from stages.shared.analysis.paired_test import MIN_BRIEFS, paired_test
from stages.shared.analysis.summary import Summary
from stages.shared.records.decision import DecisionVerdict, NextStep, PossibleEqual
from stages.shared.records.params import CompareParams
from stages.shared.records.record import Measurement

WORTHWHILE = 0.95
"""A candidate that may be as good is named if it costs or takes less than this part."""
Number = Literal["expected", "content"]
"""A number of a brief's score."""


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
    """The model that is named, with its leads over the others in score, and in content over those
    that no other beats in score, where content decides.

    `compared` candidates have a score above 0; `same_answers` are policies beside them that have
    the answers of a model. Content decides nothing where `uncoded` candidates have too few coded
    labels, or the model is `alone`: no other is as good in score. With the verdict `undecided`:
    `cheapest` and `fastest` are cheaper and faster candidates that may be as good, and `next_step`
    says how many briefs in all would decide, and what the additional ones cost.
    """

    verdict: DecisionVerdict
    model_id: str | None
    compared: int
    leads: tuple[Lead, ...] = ()
    content_leads: tuple[Lead, ...] = ()
    uncoded: tuple[str, ...] = ()
    alone: bool = False
    same_answers: tuple[str, ...] = ()
    cheapest: PossibleEqual | None = None
    fastest: PossibleEqual | None = None
    next_step: NextStep | None = None


def select(candidates: Sequence[Candidate], params: CompareParams) -> Selection:
    """Name a model. The intervals of a candidate's leads over the others share the error rate.

    * `leads`: the candidate with the highest score, if each of its leads is above 0. If others are
      not beaten by `min_difference`, and content was measured of them all, content decides.
    * `leads_content`: of the candidates that no other beats in score by `min_difference` (the upper
      end of every rival's lead is below it) the one whose leads in content are all above 0.
    * `not_worse`: the cheapest of them over which none leads in content by
      `min_content_difference`. One of unknown cost is not named.
    * `undecided`: the candidate with the highest score.

    Content is looked at only among those that are as good in score, so that it has the whole error
    rate. It decides nothing below nine tenths of coded labels, or six briefs, of any of them.
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
    selection = _select(distinct, params)
    return replace(selection, compared=len(distinct), same_answers=same)


def _select(candidates: Sequence[Candidate], params: CompareParams) -> Selection:
    by_score = _Contest(candidates, "expected", params.confidence, params.min_difference)
    ahead, equals = by_score.ahead(), by_score.not_worse()
    uncoded = tuple(one.id for one in equals if (one.summary.coded.value or 0.0) < CODED_TO_DECIDE)
    has_content = any(one.summary.content.n for one in equals)
    by_content = None
    if len(equals) > 1 and not uncoded and _common_contents(equals) >= MIN_BRIEFS:
        least = params.min_content_difference
        by_content = _Contest(equals, "content", params.confidence, least)
    alone = len(equals) < 2 and any(one.summary.content.n for one in candidates)
    if ahead and by_content is None:
        return replace(by_score.selection("leads", ahead), alone=alone)
    best = by_content.ahead() if by_content else None
    if by_content and best:
        content_leads = by_content.leads_of(best, 0.0)
        selection = by_score.selection("leads_content", best)
        return replace(selection, content_leads=content_leads)
    contest = by_content or by_score
    said = uncoded if has_content and len(equals) > 1 else ()
    for cheapest in _by_cost(contest.not_worse()):
        selection = by_score.selection("not_worse", cheapest)
        limit = -params.min_content_difference
        content_leads = by_content.leads_of(cheapest, limit) if by_content else ()
        return replace(selection, content_leads=content_leads, uncoded=said, alone=alone)
    return replace(contest.leave_open(by_score), uncoded=said, alone=alone)


@dataclass(frozen=True, slots=True)
class _Contest:
    """Candidates, the highest score first, compared in one number, with the confidence of a
    candidate's leads together, and the difference that matters.
    """

    candidates: Sequence[Candidate]
    number: Number
    confidence: float
    least: float

    def ahead(self) -> Candidate | None:
        """The candidate whose leads are all above 0; None where there is none."""
        for candidate in self.candidates:
            if all(lead.is_above(0.0) for lead in self.leads_of(candidate, 0.0)):
                return candidate
        return None

    def not_worse(self) -> list[Candidate]:
        """The candidates that no other beats by the difference that matters."""
        return [
            candidate
            for candidate in self.candidates
            if all(lead.is_above(-self.least) for lead in self.leads_of(candidate, -self.least))
        ]

    def leads_of(self, named: Candidate, limit: float) -> tuple[Lead, ...]:
        """A candidate's leads over every other one, by Holm's procedure; a lead above the limit is
        settled.
        """
        tests = {
            rival.id: partial(
                paired_test, _differences(named.summary, rival.summary, self.number), self.least
            )
            for rival in self.candidates
            if rival is not named
        }
        judged = step_down(tests, self.confidence, lambda test: _is_above(test.difference, limit))
        return tuple(Lead(rival, test.difference) for rival, test in judged.items())

    def selection(self, verdict: DecisionVerdict, named: Candidate) -> Selection:
        """The selection of a candidate, with its leads."""
        limit = -self.least if verdict == "not_worse" else 0.0
        leads = self.leads_of(named, limit)
        return Selection(verdict=verdict, model_id=named.id, compared=0, leads=leads)

    def briefs_factor(self) -> float:
        """How many times as many briefs would name a model; infinite beyond 64 times."""
        best = max(self.candidates, key=self._mean)
        leads = self.leads_of(best, 0.0)
        factors = [max(_briefs_factor(lead.difference, 0.0) for lead in leads)]
        for cheapest in _by_cost(self.candidates)[:1]:
            leads = self.leads_of(cheapest, -self.least)
            factors.append(max(_briefs_factor(lead.difference, self.least) for lead in leads))
        return min(factors)

    def _mean(self, candidate: Candidate) -> float:
        mean: Measurement = getattr(candidate.summary, self.number)
        return mean.value or 0.0

    def leave_open(self, by_score: "_Contest") -> Selection:
        """The one with the highest score, what is cheaper and faster among the candidates that may
        be as good, and what would decide.
        """
        leader = self.candidates[0]
        own_leads, leads = self.leads_of(leader, 0.0), by_score.leads_of(leader, 0.0)
        behind = {lead.rival for lead in own_leads if lead.is_above(0.0)}
        equals = [candidate for candidate in self.candidates if candidate.id not in behind]
        cheapest, fastest = min(equals, key=_cost), min(equals, key=_latency)
        is_cheaper = _cost(cheapest) < _cost(leader) * WORTHWHILE
        is_faster = _latency(fastest) < _latency(leader) * WORTHWHILE
        factor = self.briefs_factor()
        ranked = by_score.candidates
        asked = max(candidate.summary.asked_briefs for candidate in ranked)
        briefs = None if math.isinf(factor) else math.ceil(asked * factor)
        usd = None if briefs is None else _cost_of_briefs(ranked, briefs - asked)
        return replace(
            by_score.selection("undecided", leader),
            content_leads=own_leads if self.number == "content" else (),
            cheapest=_possible_equal(cheapest, leads) if is_cheaper else None,
            fastest=_possible_equal(fastest, leads) if is_faster else None,
            next_step=NextStep(briefs=briefs, usd=usd),
        )


def _by_cost(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates of known cost, the cheapest first."""
    priced = [one for one in candidates if one.summary.cost.per_usable is not None]
    return sorted(sorted(priced, key=_simplicity), key=_cost)


def _differences(named: Summary, rival: Summary, number: Number) -> list[float]:
    """One candidate less the other on each brief that has the number of both."""
    differences = []
    for brief in sorted(named.briefs.keys() & rival.briefs.keys()):
        own, other = (getattr(side.briefs[brief], number) for side in (named, rival))
        if own is not None and other is not None:
            differences.append(own - other)
    return differences


def _common_contents(candidates: Sequence[Candidate]) -> int:
    """The briefs that have a content of every candidate."""
    briefs_of = [
        {brief for brief, score in one.summary.briefs.items() if score.content is not None}
        for one in candidates
    ]
    return len(set.intersection(*briefs_of))


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
        and max(map(abs, _differences(model.summary, policy.summary, "expected"))) <= ROUNDING
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
