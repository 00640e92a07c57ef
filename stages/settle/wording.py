"""What a settlement prints: the plan, each look, and how it ended."""

import re
import shlex
from argparse import Namespace
from collections.abc import Sequence
from pathlib import PurePosixPath

from stages.contracts.settlement import Settlement
from stages.generate.forecast import Forecast
from stages.present.table import Column, Raw, Table, make_table
from stages.settle.looks import (
    ASSUMED_ANSWER_SD,
    ASSUMED_BRIEF_SD,
    expected_half_widths,
    recorded_look,
)
from stages.settle.sides import SettleSides
from stages.shell import numbers

PLAN_COLUMNS = (
    Column("look", numbers.count),
    Column("samples", numbers.count),
    Column("calls", numbers.count),
    Column("cost expected", numbers.money),
    Column("low to high", numbers.money_interval),
    Column("± expected score", numbers.score),
)


def plan_table(
    settlement: Settlement,
    costs: Sequence[Forecast],
    sd: float | None,
) -> Table:
    """The question of a settlement, the planned looks with the forecast of the calls that each
    adds, and what the plan rests on.
    """
    design = settlement.design
    widths = expected_half_widths(design, sd)
    rows: list[list[Raw]] = []
    looks = zip(design.looks, costs, widths, strict=True)
    for number, (look, cost, half) in enumerate(looks, start=1):
        usd = cost.cost_usd
        row: list[Raw] = [number, look.samples, cost.calls, usd.expected, (usd.low, usd.high)]
        rows.append([*row, half])
    models = numbers.counted(design.models, "model")
    briefs = numbers.counted(design.briefs, "brief")
    samples = numbers.counted(design.looks[-1].samples, "sample")
    stored = numbers.counted(settlement.stored_answers + settlement.calls, "answer")
    answer_sd = f"{numbers.score(ASSUMED_ANSWER_SD)} (assumed)"
    if sd:
        answer_sd = f"{numbers.score(sd)} (from stored answers)"
    notes = [
        f"{models}, {briefs}, up to {samples} of each cell on both sides; {stored} stored. "
        f"A difference below {design.margin:g} does not matter.",
        "Each look adds its calls to those before. ±: how far the interval of the difference is "
        "expected to reach; a difference beyond it is found.",
        "Planned with standard deviations of the difference between briefs of "
        f"{ASSUMED_BRIEF_SD} (assumed) and between answers to one cell of {answer_sd}.",
    ]
    notes += _earlier(settlement)
    question = f"Is {design.head} better than {design.base}?"
    return make_table(PLAN_COLUMNS, rows, title=question, notes=notes)


def look_line(settlement: Settlement) -> str:
    """The result of the last look that was taken."""
    look = settlement.looks[-1]
    number = f"look {len(settlement.looks)} of {len(settlement.design.looks)}"
    interval = numbers.difference_interval(look.low, look.high)
    line = (
        f"{number}, {numbers.counted(look.samples, 'sample')}: {numbers.difference(look.value)} "
        f"(interval {interval})"
    )
    line += f", {numbers.counted(look.briefs, 'brief')}"
    missing = look.cells - look.answers
    if missing:
        line += f", {missing} of {look.cells} cells without an answer"
    line += f": {look.verdict}"
    if look.chance_left is not None:
        line += f"; chance of a verdict by the last look {numbers.share(look.chance_left)}"
    return line


def closing_lines(settlement: Settlement, advice: str | None) -> list[str]:
    """How it ended, what it cost, what else would settle it, and how to record it."""
    design, reason = settlement.design, settlement.reason or ""
    looks = f"{numbers.counted(len(settlement.looks), 'look')} of {len(design.looks)}"
    calls = numbers.counted(settlement.calls, "call")
    return [
        "",
        f"{settlement.verdict}: {design.head} against {design.base}",
        f"{reason[:1].upper()}{reason[1:]}.",
        f"{looks}, {calls}, {numbers.money(settlement.usd)}.",
        *([advice] if advice else []),
        *_earlier(settlement),
        *_recording(settlement),
    ]


def _recording(settlement: Settlement) -> list[str]:
    recorded = recorded_look(settlement, settlement.ended)
    if recorded is None:
        return []
    missing, calls = recorded.cells - recorded.answers, "nothing is called"
    if missing:
        calls = f"the cells without one are called again: {missing:,}"
    heading = f"To record this as experiments (every answer is stored; {calls}):"
    return ["", heading, *(f"  {command}" for command in settlement.commands)]


def recording_commands(sides: SettleSides, options: Namespace, samples: int) -> tuple[str, ...]:
    """The commands that make experiments of both sides, of so many samples, and compare them."""
    settings = f"-S generate.samples={samples}{options.selection}"
    if options.models:
        base, head = options.models
        prompt = shlex.quote(f"prompt={sides.base.plan.prompt.path}")
        return (
            f"dvc exp run -S {prompt} -S 'models=[{base},{head}]' {settings}",
            f"python -m stages.compare --models {base} {head}",
        )
    names, runs = [], []
    for side, path in zip(("base", "head"), options.prompt, strict=True):
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", PurePosixPath(path).stem)
        name, prompt = f"{side}-{stem}-{samples}-samples", shlex.quote(f"prompt={path}")
        names.append(name)
        runs.append(f"dvc exp run --name {name} -S {prompt} {settings}")
    return *runs, f"python -m stages.compare {names[0]} {names[1]}"


def _earlier(settlement: Settlement) -> list[str]:
    if not settlement.earlier_looks:
        return []
    looks = numbers.count(settlement.earlier_looks)
    return [
        "Note: looks at the same two sides by an earlier plan (other looks, margin, briefs or "
        f"settings): {looks}. The error rate of this plan does not include them: the chance of a "
        "wrong verdict is higher than planned."
    ]
