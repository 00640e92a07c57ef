"""What a settlement prints: the plan, each look, and how it ended."""

import re
import shlex
from argparse import Namespace
from collections.abc import Sequence
from itertools import accumulate, islice
from pathlib import PurePosixPath

from stages.compare.effect import POWER
from stages.contracts.settlement import PlannedLook, SettleDesign, Settlement, Spread, TakenLook
from stages.generate.forecast import Forecast
from stages.present.table import Column, Entry, Raw, Table, make_table
from stages.settle.design import recorded_look
from stages.settle.sides import SettleSides
from stages.shell import numbers

PLAN_COLUMNS = (
    Column("look", numbers.count),
    Column("samples", numbers.count),
    Column("calls", numbers.count),
    Column("cost expected", numbers.money),
    Column("low to high", numbers.money_interval),
    Column("better/worse beyond", numbers.score),
    Column("chance if equal", numbers.share),
)


def plan_heading(settlement: Settlement) -> list[str]:
    """The question of a settlement, and what it rests on, before the first call."""
    design = settlement.design
    models = numbers.counted(design.models, "model")
    briefs = numbers.counted(design.briefs, "brief")
    samples = numbers.counted(design.looks[-1].samples, "sample")
    stored = numbers.counted(settlement.stored_answers + settlement.calls, "answer")
    return [
        f"Is {design.head} better than {design.base}?",
        f"{models}, {briefs}, up to {samples} of each cell on both sides; {stored} stored. "
        f"A difference below {design.margin:g} does not matter.",
        "",
    ]


def plan_table(settlement: Settlement, costs: Sequence[Forecast]) -> Table:
    """The planned looks, with the forecast of the calls that each adds."""
    design = settlement.design
    columns = (*PLAN_COLUMNS, Column(f"if {design.reference:+g}", numbers.share))
    rows: list[list[Raw]] = []
    for number, (look, cost) in enumerate(zip(design.looks, costs, strict=True), start=1):
        usd = cost.cost_usd
        chances = (look.chance_if_equal, look.chance_if_changed)
        row: list[Raw] = [number, look.samples, cost.calls, usd.expected, (usd.low, usd.high)]
        rows.append([*row, _beyond(look, design.margin), *chances])
    return make_table(columns, rows)


def _beyond(look: PlannedLook, margin: float) -> Entry:
    """The estimate beyond which a look gives a verdict of better or worse."""
    if look.half_width is None:
        return Entry("none")
    limit = min(1.0, max(look.half_width, margin))
    return Entry(f"±{numbers.score(limit)}", limit)


def plan_notes(
    settlement: Settlement, costs: Sequence[Forecast], *, max_usd: float | None
) -> list[str]:
    """What the table of the plan means and rests on; a dry run may have no cap."""
    design = settlement.design
    return [
        "Each look adds its calls to those before. Better or worse requires an estimate beyond the "
        "value shown. The last columns: the chance of a verdict (no meaningful difference included) "
        "at that look or before, if nothing changed, and if the true difference "
        f"is {design.reference:+g}.",
        *_reach(design),
        _basis(design.spread),
        *_cap(costs, max_usd, settlement.usd),
        *_earlier(settlement),
    ]


def look_line(design: SettleDesign, number: int, look: TakenLook) -> str:
    """The result of a look, numbered from 1."""
    samples = numbers.counted(look.samples, "sample")
    interval = numbers.difference_interval(look.low, look.high)
    difference = f"{numbers.difference(look.value)} (interval {interval})"
    briefs = numbers.counted(look.briefs, "brief")
    missing = look.cells - look.answers
    lost = f", {missing} of {look.cells} cells without an answer" if missing else ""
    line = f"look {number} of {len(design.looks)}, {samples}: {difference}, {briefs}{lost}"
    if look.chance_left is None:
        return f"{line}: {look.verdict}"
    chance = f"chance of a verdict by the last look {numbers.share(look.chance_left)}"
    return f"{line}: {look.verdict}; {chance}"


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
    recorded = recorded_look(settlement, settlement.ended) if settlement.ended else None
    if recorded is None:
        return []
    missing, calls = recorded.cells - recorded.answers, "nothing is called"
    if missing:
        calls = f"the cells without one are called again: {missing:,}"
    heading = f"To record this as experiments (every answer is stored; {calls}):"
    return ["", heading, *(f"  {command}" for command in settlement.commands)]


def recording_commands(sides: SettleSides, options: Namespace, samples: int) -> tuple[str, ...]:
    """The commands that make experiments of both sides, of so many samples, and compare them."""
    settings = f"-S generate.samples={samples}"
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
    return [
        "Note: looks at the same two sides by an earlier plan (other looks, margin, briefs or settings): "
        f"{numbers.count(settlement.earlier_looks)}. The error rate of this plan does not include them: the chance of a wrong verdict is "
        "higher than planned."
    ]


def _reach(design: SettleDesign) -> list[str]:
    """The difference that can be found, and the looks without a verdict."""
    smallest = numbers.score(design.smallest)
    found = f"a difference of {smallest} is found in {numbers.share(POWER)} of settlements; a smaller one less often."
    beyond = f", unless the difference is far larger than {smallest}"
    if design.smallest is None:
        found, beyond = "no difference is found four times in five, however large.", ""
    named = [str(number) for number, look in enumerate(design.looks, 1) if not look.reachable]
    without = [f"No verdict is to be expected at look {', '.join(named)}{beyond}."] if named else []
    return [f"With these briefs {found}", *without]


def _basis(spread: Spread) -> str:
    known = {
        name: "assumed" if name in spread.assumed else "from stored answers"
        for name in ("brief_sd", "answer_sd", "usable_rate")
    }
    return (
        f"Planned with standard deviations of {numbers.score(spread.brief_sd)} between briefs ({known['brief_sd']}) and "
        f"{numbers.score(spread.answer_sd)} between answers to one cell ({known['answer_sd']}), and "
        f"{numbers.share(spread.usable_rate)} usable graphs ({known['usable_rate']})."
    )


def _cap(costs: Sequence[Forecast], max_usd: float | None, spent_usd: float) -> list[str]:
    if max_usd is None:
        return []
    totals = accumulate((cost.cost_usd.expected for cost in costs), initial=spent_usd)
    covered = sum(total <= max_usd for total in islice(totals, 1, None))
    spent = f" ({numbers.money(spent_usd)} are spent)" if spent_usd else ""
    return [
        f"The cap of {numbers.money(max_usd)}{spent} covers {covered} of {len(costs)} looks at the expected cost."
    ]
