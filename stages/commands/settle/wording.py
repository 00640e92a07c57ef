"""What a settlement prints: the plan, each interim analysis, and how it ended."""

import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from stages.commands.settle.sides import SettleSides
from stages.generate.forecast import Forecaster, cost_line
from stages.generate.plan.call import Call
from stages.shared.records.settlement import Settlement, SettlePlan
from stages.shared.shell import numbers


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
