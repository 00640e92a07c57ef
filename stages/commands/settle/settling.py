"""Settles a question in planned interim analyses. Each is the test of `compare`; together
they share its error rate.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from stages.commands.compare.verdict import judge_overall
from stages.commands.settle.sides import SettleSides
from stages.generate.calls.faults import Fault
from stages.generate.capped_answers import CappedAnswers
from stages.generate.forecast import Forecaster, cost_line
from stages.generate.plan.call import Call
from stages.shared.analysis.interval import analysis_confidences
from stages.shared.records.commands import (
    InterimAnalysis,
    Settlement,
    SettlementEnding,
    SettlePlan,
)
from stages.shared.shell import numbers
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


def plan_lines(plan: SettlePlan, missing: Sequence[Call], forecaster: Forecaster) -> list[str]:
    """The question, and the planned interim analyses with the forecast of the calls that each
    adds.
    """
    question = f"Is {plan.candidate} better than {plan.baseline}?"
    lines = [f"{question} A difference below {plan.min_difference:g} does not matter."]
    for number, (before, samples) in enumerate(pairwise((0, *plan.planned)), start=1):
        added = [call for call in missing if before < call.cell.sample <= samples]
        per_cell = f"{numbers.counted(samples, 'sample')} per cell"
        cost = cost_line(forecaster.total(added))
        lines.append(f"Interim analysis {number}, {per_cell}: {cost}.")
    return lines


def analysis_line(settlement: Settlement) -> str:
    """The result of the last interim analysis, one at least."""
    last = settlement.analyses[-1]
    measured = last.difference
    interval = numbers.difference_interval(measured.low, measured.high)
    without = ""
    if last.unanswered:
        without = f", {last.unanswered} of {last.cells} cells without an answer"
    return (
        f"interim analysis {len(settlement.analyses)} of {len(settlement.plan.planned)}, "
        f"{numbers.counted(last.samples, 'sample')}: {numbers.difference(measured.value)} "
        f"(interval {interval}), {numbers.counted(measured.n, 'brief')}{without}: {last.verdict}"
    )


def closing_lines(settlement: Settlement, notes: Sequence[str]) -> list[str]:
    """How it ended, what it cost in all runs of the command, and how to record it."""
    plan, reason, last = settlement.plan, settlement.reason, settlement.analyses[-1:]
    lines = [
        "",
        f"{settlement.verdict}: {plan.candidate} against {plan.baseline}",
        f"{reason[:1].upper()}{reason[1:]}.",
        *(analysis.caveat for analysis in last if analysis.caveat),
        f"{len(settlement.analyses)} of {len(plan.planned)} interim analyses, "
        f"{numbers.counted(settlement.calls, 'call')}, {numbers.money(settlement.usd)}.",
        *notes,
    ]
    if settlement.commands:
        lines += ["", "To record this as experiments (calls only cells without an answer):"]
    return [*lines, *(f"  {command}" for command in settlement.commands)]


def recording_commands(sides: SettleSides, samples: int, selection: str) -> tuple[str, ...]:
    """The commands that make experiments of both sides, of so many samples, and compare them."""
    settings = f"-S generate.samples={samples}{selection}"
    baseline, candidate = sides.baseline, sides.candidate
    if baseline.plan.prompt == candidate.plan.prompt:
        prompt = shlex.quote(f"prompt={baseline.plan.prompt.path}")
        return (
            f"dvc exp run -S {prompt} -S 'models=[{baseline.name},{candidate.name}]' {settings}",
            f"graph-evaluator compare --models {baseline.name} {candidate.name}",
        )
    names, runs = [], []
    for role, path in (("baseline", baseline.name), ("candidate", candidate.name)):
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", PurePosixPath(path).stem)
        name, prompt = f"{role}-{stem}-{samples}-samples", shlex.quote(f"prompt={path}")
        names.append(name)
        runs.append(f"dvc exp run --name {name} -S {prompt} {settings}")
    return *runs, f"graph-evaluator compare {names[0]} {names[1]}"


def earlier_note(earlier: int) -> str:
    """That other plans have looked at the same two sides, so many times."""
    return (
        "Note: interim analyses of the same two sides by an earlier plan (other samples, smallest "
        f"difference, briefs or settings): {numbers.count(earlier)}. The error rate of this plan "
        "does not include them: the chance of a wrong verdict is higher than planned."
    )
