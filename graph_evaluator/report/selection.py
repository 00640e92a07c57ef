"""The rule that names a model: form, then content, then cost, by the paired test."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from graph_evaluator.analysis.interval import briefs_for, step_down
from graph_evaluator.analysis.paired_test import MIN_BRIEFS, paired_test
from graph_evaluator.records.decision import DecisionVerdict, Rival
from graph_evaluator.records.params import CompareParams
from graph_evaluator.records.record import Measurement
from graph_evaluator.report.ranking import Candidate

Number = Literal["expected", "content"]
"""A number of a brief's score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The model that is named, with its leads over its rivals: in score, and in content over those
    that are as good in score, where content decides.

    `compared` candidates have a score above 0. About `briefs` in all would decide what is
    undecided; None: no number within reach.
    """

    verdict: DecisionVerdict
    model_id: str | None = None
    compared: int = 0
    rivals: tuple[Rival, ...] = ()
    briefs: int | None = None


def select(candidates: Sequence[Candidate], params: CompareParams) -> Selection:
    """Name one of the candidates, which come by rank. The intervals of a candidate's leads over the
    others share the error rate.

    * `leads`: the candidate each of whose leads in score is above 0, if content does not decide.
    * `leads_content`: of the candidates that no other beats in score by `min_difference` (the upper
      end of every rival's lead is below it) the one whose leads in content are all above 0.
    * `not_worse`: the cheapest of them over which none leads in content by
      `min_content_difference`. One of unknown cost is not named.
    * `undecided`: the candidate with the highest score.

    Content decides only among several that are as good in score, so that it has the whole error
    rate, and only where six briefs have a content of all of them. Candidates without a score above
    0 do not count.
    """
    scored = [candidate for candidate in candidates if candidate.summary.expected.value]
    if not scored:
        return Selection(verdict="none")
    if len(scored) == 1:
        return Selection(verdict="only_candidate", model_id=scored[0].id, compared=1)
    by_score = _Contest(scored, "expected", params.confidence, params.min_difference)
    equals = by_score.not_worse()
    by_content = None
    if len(equals) > 1 and _common_contents(equals) >= MIN_BRIEFS:
        least = params.min_content_difference
        by_content = _Contest(equals, "content", params.confidence, least)
    contest = by_content or by_score
    verdict, chosen = contest.decide()
    contents = by_content.leads_of(chosen, verdict) if by_content else {}
    rivals = tuple(
        Rival(model=rival, difference=lead, content=contents.get(rival))
        for rival, lead in by_score.leads_of(chosen, verdict).items()
    )
    return Selection(
        verdict=verdict,
        model_id=chosen.id,
        compared=len(scored),
        rivals=rivals,
        briefs=contest.briefs_to_decide() if verdict == "undecided" else None,
    )


def _common_contents(candidates: Sequence[Candidate]) -> int:
    """The briefs that have a content of every candidate."""
    briefs_of = [
        {brief for brief, score in candidate.summary.briefs.items() if score.content is not None}
        for candidate in candidates
    ]
    return len(set.intersection(*briefs_of))


@dataclass(frozen=True, slots=True)
class _Contest:
    """Candidates by rank, compared in one number, with the confidence of a candidate's leads
    together, and the difference that matters.
    """

    candidates: Sequence[Candidate]
    number: Number
    confidence: float
    least: float

    def decide(self) -> tuple[DecisionVerdict, Candidate]:
        """The candidate that leads, the cheapest that is not worse, or the first."""
        verdict: DecisionVerdict = "leads" if self.number == "expected" else "leads_content"
        for candidate in self.candidates:
            if self._holds(verdict, candidate):
                return verdict, candidate
        priced = [
            candidate
            for candidate in self.not_worse()
            if candidate.summary.cost.per_usable is not None
        ]
        if priced:
            return "not_worse", min(
                priced, key=lambda candidate: candidate.summary.cost.per_usable or 0.0
            )
        return "undecided", self.candidates[0]

    def not_worse(self) -> list[Candidate]:
        """The candidates that no other beats by the difference that matters."""
        return [candidate for candidate in self.candidates if self._holds("not_worse", candidate)]

    def _holds(self, verdict: DecisionVerdict, candidate: Candidate) -> bool:
        limit = self._limit(verdict)
        leads = self.leads_of(candidate, verdict).values()
        return all(_is_above(lead, limit) for lead in leads)

    def _limit(self, verdict: DecisionVerdict) -> float:
        """What each lead of a candidate is above with this verdict."""
        return -self.least if verdict == "not_worse" else 0.0

    def leads_of(self, named: Candidate, verdict: DecisionVerdict) -> dict[str, Measurement]:
        """A candidate's lead over every other one, on the briefs that have the number of both, by
        Holm's procedure for this verdict.
        """
        limit = self._limit(verdict)
        tests = {
            rival.id: partial(paired_test, self._differences(named, rival), self.least)
            for rival in self.candidates
            if rival is not named
        }
        judged = step_down(tests, self.confidence, lambda test: _is_above(test.difference, limit))
        return {rival: test.difference for rival, test in judged.items()}

    def _differences(self, named: Candidate, rival: Candidate) -> list[float]:
        """One candidate less the other on each brief that has the number of both."""
        differences = []
        briefs, of_rival = named.summary.briefs, rival.summary.briefs
        for brief in sorted(briefs.keys() & of_rival.keys()):
            own, other = (getattr(scores[brief], self.number) for scores in (briefs, of_rival))
            if own is not None and other is not None:
                differences.append(own - other)
        return differences

    def briefs_to_decide(self) -> int | None:
        """About how many briefs bring each lead of the first candidate above 0, or within the
        difference that matters; None: not known, or 64 times as many would not.
        """
        needed = []
        for lead in self.leads_of(self.candidates[0], "undecided").values():
            value = lead.value or 0.0
            briefs = briefs_for(lead, max(value, self.least - value))
            if briefs is None:
                return None
            needed.append(briefs)
        return max(needed)


def _is_above(difference: Measurement, limit: float) -> bool:
    return difference.low is not None and difference.low > limit
