"""Settles a question in planned interim analyses. Each is the test of `compare`; together
they share its error rate.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stages.commands.compare.verdict import judge_overall
from stages.commands.settle.sides import SettleSides
from stages.commands.settle.wording import recording_commands
from stages.generate.calls.faults import Fault
from stages.generate.capped_answers import CappedAnswers
from stages.shared.analysis.error_rate import analysis_confidences
from stages.shared.records.settlement import (
    InterimAnalysis,
    Settlement,
    SettlementEnding,
    SettlePlan,
)
from stages.shared.shell.text import visible

_NOT_CALLED: Mapping[str, SettlementEnding] = {
    "budget_stopped": "budget",
    "auth_failed": "failures",
    "quota_exceeded": "failures",
}
"""The statuses of cells whose calls were not made, and how they end a settlement."""


@dataclass(frozen=True, slots=True)
class Settling:
    """What a settlement is made from; `planned` are the samples per cell at each interim analysis,
    `confidence` is that of all together, and `selection` restricts the runs that record it.
    """

    sides: SettleSides
    answers: CappedAnswers
    planned: tuple[int, ...]
    confidence: float
    selection: str = ""

    def plan(self) -> SettlePlan:
        """The question and the planned interim analyses."""
        baseline, candidate = self.sides.baseline, self.sides.candidate
        sides = sorted(f"{side.name} {side.plan.prompt.sha256}" for side in (baseline, candidate))
        return SettlePlan(
            baseline=baseline.name,
            candidate=candidate.name,
            sides=tuple(sides),
            purpose=self.answers.budget.purpose,
            confidence=self.confidence,
            min_difference=baseline.plan.params.compare.min_difference,
            planned=self.planned,
        )

    def settle(self) -> Iterator[Settlement]:
        """The settlement after each interim analysis; the last one has ended."""
        analyses: list[InterimAnalysis] = []
        confidences = analysis_confidences(self.planned, self.confidence)
        for samples, confidence in zip(self.planned, confidences, strict=True):
            for fault in self.answers.fetch(self.sides.cells(samples)).values():
                if fault.status in _NOT_CALLED:
                    yield self._stopped(analyses, fault)
                    return
            analysis = self._analyse(samples, confidence)
            analyses.append(analysis)
            ended = ending_of(analysis, samples == self.planned[-1])
            yield self._settlement(analyses, ended, analysis.verdict, analysis.reason)
            if ended:
                return

    def _analyse(self, samples: int, confidence: float) -> InterimAnalysis:
        pairing = self.sides.pairing(samples, self.answers.ledger)
        level = {"confidence": confidence, "planned_comparisons": 1}
        compare = self.sides.baseline.plan.params.compare.model_copy(update=level)
        judgement = judge_overall(pairing, compare, by_score=True).judgement
        return InterimAnalysis(
            samples=samples,
            cells=len(self.sides.cells(samples)),
            unanswered=pairing.baseline_unanswered + pairing.candidate_unanswered,
            confidence=confidence,
            difference=judgement.score.difference,
            verdict=judgement.verdict,
            reason=judgement.reason,
            caveat=judgement.caveat,
        )

    def _stopped(self, analyses: Sequence[InterimAnalysis], fault: Fault) -> Settlement:
        """The settlement that ends before all calls of an interim analysis were made."""
        ended = _NOT_CALLED[fault.status]
        cause = "the cap on the cost" if ended == "budget" else "a failure"
        reason = (
            f"{cause} ended interim analysis {len(analyses) + 1} ({visible(fault.message)}); "
            "the same command continues"
        )
        verdict = "cannot tell" if analyses else "could not measure"
        return self._settlement(analyses, ended, verdict, reason)

    def _settlement(
        self,
        analyses: Sequence[InterimAnalysis],
        ended: SettlementEnding | None,
        verdict: str,
        reason: str,
    ) -> Settlement:
        calls, usd = self.answers.paid()
        commands: tuple[str, ...] = ()
        if verdict != "could not measure":
            commands = recording_commands(self.sides, analyses[-1].samples, self.selection)
        return Settlement(
            plan=self.plan(),
            analyses=tuple(analyses),
            ended=ended,
            verdict=verdict,
            reason=reason,
            calls=calls,
            usd=usd,
            commands=commands,
        )


def ending_of(analysis: InterimAnalysis, is_last: bool) -> SettlementEnding | None:
    """How an interim analysis ends the settlement; None when the next one is to be made."""
    if analysis.verdict == "could not measure":
        return "failures"
    if analysis.verdict != "cannot tell":
        return "verdict"
    return "plan" if is_last else None
