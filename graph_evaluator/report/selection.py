"""The rule that names a model for a mode: form, then content, then cost, by the paired test."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from graph_evaluator.analysis.paired_test import PairedTest, paired_test
from graph_evaluator.records.params import CompareParams
from graph_evaluator.records.run_results import DecisionVerdict, Rival, WorseIn
from graph_evaluator.report.ranking import Candidate


class Selection(NamedTuple):
    """The model that is named, with its leads over every rival that has a form above 0, and in what
    a rival is shown worse.
    """

    verdict: DecisionVerdict
    named: Candidate | None = None
    rivals: tuple[Rival, ...] = ()


def select(candidates: Sequence[Candidate], params: CompareParams) -> Selection:
    """Name one of the candidates, which come by rank; those without a form above 0 do not count.

    1. A candidate drops out if another is shown to beat it in form: the interval of the lead lies
       above 0, and the lead is at least `min_difference`. The rest is judged in the same way by
       content, on at least six briefs with content of both.
    2. A remaining candidate is passed over if another one's measured lead is as large, in form,
       then in content. The cheapest of the others is named. An unknown cost is the highest; of
       equal costs the faster is named.

    *leads*: one remains. *not_worse*: several do. *undecided*: two candidates have fewer than six
    briefs in common, and the one with the highest form is named. The leads over a candidate share
    the error rate, and so do form and content where both are measured.

    Source: dropping what is shown worse and keeping the rest is subset selection as in S. S. Gupta,
    On Some Multiple Decision Rules, Technometrics 7 (1965) 225-245.
    """
    scored = [candidate for candidate in candidates if candidate.summary.form.value]
    if not scored:
        return Selection(verdict="none")
    if len(scored) == 1:
        return Selection(verdict="only_candidate", named=scored[0])
    has_content = any(candidate.summary.content.n for candidate in scored)
    tests = len(scored) - 1
    level = 1 - (1 - params.confidence) / (2 * tests if has_content else tests)
    form = _Contest("form", level, params.min_difference)
    content = _Contest("content", level, params.min_content_difference)
    left = _not_behind(scored, form, _is_shown_ahead)
    remaining = _not_behind(left, content, _is_shown_ahead)
    verdict: DecisionVerdict = "leads" if len(remaining) == 1 else "not_worse"
    # Nobody of the contenders is measured behind by what matters, in form, then in content.
    contenders = _not_behind(remaining, form, _is_measured_ahead)
    contenders = _not_behind(contenders, content, _is_measured_ahead)
    named = min(contenders, key=lambda candidate: candidate.summary.price)
    if not form.is_measured(scored):
        verdict, named, left, remaining = "undecided", scored[0], scored, scored
    rivals = []
    for rival in scored:
        if rival is named:
            continue
        worse_in: WorseIn | None = None
        if rival not in remaining:
            worse_in = "content" if rival in left else "form"
        lead = content.lead(named, rival)
        rivals.append(
            Rival(
                model=rival.id,
                difference=form.lead(named, rival).difference,
                content=None if lead.change == "not measured" else lead.difference,
                worse_in=worse_in,
            )
        )
    return Selection(verdict=verdict, named=named, rivals=tuple(rivals))


@dataclass(frozen=True, slots=True)
class _Contest:
    """A number of a brief's score, the confidence of a lead in it, and the least that matters."""

    number: Literal["form", "content"]
    confidence: float
    least: float

    def lead(self, candidate: Candidate, rival: Candidate) -> PairedTest:
        """One candidate's lead over another, on the briefs that have the number of both."""
        differences = []
        briefs, of_rival = candidate.summary.briefs, rival.summary.briefs
        for brief in sorted(briefs.keys() & of_rival.keys()):
            own, other = (getattr(scores[brief], self.number) for scores in (briefs, of_rival))
            if own is not None and other is not None:
                differences.append(own - other)
        return paired_test(differences, self.least, self.confidence)

    def is_measured(self, candidates: Sequence[Candidate]) -> bool:
        """Whether every two candidates have at least six briefs in common."""
        return not any(
            self.lead(candidate, rival).change == "not measured"
            for candidate in candidates
            for rival in candidates
        )


def _not_behind(
    candidates: Sequence[Candidate], contest: _Contest, is_ahead: Callable[[PairedTest], bool]
) -> Sequence[Candidate]:
    """The candidates that no other one is ahead of; all of them where each is behind another, which
    briefs that only some have can bring about.
    """
    kept = [
        candidate
        for candidate in candidates
        if not any(is_ahead(contest.lead(rival, candidate)) for rival in candidates)
    ]
    return kept or candidates


def _is_measured_ahead(lead: PairedTest) -> bool:
    return lead.direction == 1 and lead.change != "not measured"


def _is_shown_ahead(lead: PairedTest) -> bool:
    return lead.direction == 1 and lead.change == "up"
