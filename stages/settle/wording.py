"""What a settlement prints: the plan, each look, and how it ended."""

from collections.abc import Sequence
from itertools import accumulate, islice

from tabulate import tabulate

from stages.compare.effect import POWER
from stages.contracts.settlement import SettleDesign, Settlement, Spread, TakenLook
from stages.generate.forecast import Forecast
from stages.settle.design import recorded_look
from stages.shell import numbers


def plan_lines(
    settlement: Settlement, costs: Sequence[Forecast], *, max_usd: float | None
) -> list[str]:
    """The plan, before the first call, with the forecast of the calls that each look adds; a dry run may have no cap."""
    design = settlement.design
    last, stored = design.looks[-1].samples, settlement.stored_answers + settlement.calls
    rows = [
        {
            "look": number,
            "samples": look.samples,
            "calls": numbers.count(cost.calls),
            "cost expected": numbers.money(cost.cost_usd.expected),
            "low to high": f"{numbers.money(cost.cost_usd.low)} to {numbers.money(cost.cost_usd.high)}",
            "better/worse beyond": "none"
            if look.half_width is None
            else f"±{numbers.score(min(1.0, max(look.half_width, design.margin)))}",
            "chance if equal": numbers.share(look.chance_if_equal),
            f"if {design.reference:+g}": numbers.share(look.chance_if_changed),
        }
        for number, (look, cost) in enumerate(zip(design.looks, costs, strict=True), 1)
    ]
    table = tabulate(
        rows,
        headers="keys",
        tablefmt="simple",
        disable_numparse=True,
        colalign=("right",) * len(rows[0]),
    )
    return [
        f"Is {design.head} better than {design.base}?",
        f"{numbers.counted(design.models, 'model')}, {numbers.counted(design.briefs, 'brief')}, up to "
        f"{numbers.counted(last, 'sample')} of each cell on both sides; {numbers.counted(stored, 'answer')} stored. "
        f"A difference below {design.margin:g} does not matter.",
        "",
        table,
        "",
        "Each look adds its calls to those before. Better or worse requires an estimate beyond the value shown. The last columns: the "
        "chance of a verdict (no meaningful difference included) at that look or before, if nothing changed, and if the true difference "
        f"is {design.reference:+g}.",
        *_reach(design),
        _basis(design.spread),
        *_cap(costs, max_usd, settlement.usd),
        *_earlier(settlement),
    ]


def look_line(design: SettleDesign, number: int, look: TakenLook) -> str:
    """The result of a look."""
    found = f"{numbers.difference(look.value)} (interval {numbers.difference_interval(look.low, look.high)})"
    missing = look.cells - look.answers
    lost = f", {missing} of {look.cells} cells without an answer" if missing else ""
    left = f"; chance of a verdict by the last look {numbers.share(look.chance_left)}"
    return (
        f"look {number} of {len(design.looks)}, {numbers.counted(look.samples, 'sample')}: {found}, "
        f"{numbers.counted(look.briefs, 'brief')}{lost}: {look.verdict}{'' if look.chance_left is None else left}"
    )


def closing_lines(settlement: Settlement, advice: str | None) -> list[str]:
    """How it ended, what it cost, and how to record it."""
    design, reason = settlement.design, settlement.reason or ""
    lines = [
        "",
        f"{settlement.verdict}: {design.head} against {design.base}",
        f"{reason[:1].upper()}{reason[1:]}.",
        f"{numbers.counted(len(settlement.looks), 'look')} of {len(design.looks)}, "
        f"{numbers.counted(settlement.calls, 'call')}, {numbers.money(settlement.usd)}.",
        *([advice] if advice else []),
        *_earlier(settlement),
    ]
    recorded = recorded_look(settlement, settlement.ended) if settlement.ended else None
    if recorded:
        missing = recorded.cells - recorded.answers
        calls = (
            f"the cells without one are called again: {missing:,}"
            if missing
            else "nothing is called"
        )
        lines += ["", f"To record this as experiments (every answer is stored; {calls}):"]
        lines += [f"  {command}" for command in settlement.commands]
    return lines


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
