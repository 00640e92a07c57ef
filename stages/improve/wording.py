"""What a search prints: its plan and how it ended."""

from collections import Counter
from collections.abc import Sequence

from stages.contracts.improvement import Improvement
from stages.generate.forecast import Forecast
from stages.present.table import Column, Raw, Table, make_table
from stages.shell import numbers

_PLAN = (
    Column("step"),
    Column("briefs", numbers.count),
    Column("calls at most", numbers.count),
    Column("cost expected", numbers.money),
    Column("low to high", numbers.money_interval),
)


def plan_table(steps: Sequence[tuple[str, int, Forecast]]) -> Table:
    """The steps of a search, each with its briefs and the forecast of its calls."""
    rows: list[list[Raw]] = []
    for step, briefs, forecast in steps:
        usd = forecast.cost_usd
        rows.append([step, briefs, forecast.calls, usd.expected, (usd.low, usd.high)])
    return make_table(_PLAN, rows)


def closing_lines(improvement: Improvement) -> list[str]:
    """How it ended, what it cost, and how to record it."""
    reason = improvement.reason or ""
    calls = numbers.counted(improvement.calls, "call")
    refused = numbers.counted(len(improvement.refusals), "refused proposal")
    lines = [
        f"{improvement.verdict}: {reason}.",
        f"{len(improvement.candidates) - 1} candidates, {refused}, {calls}, "
        f"{numbers.money(improvement.usd)}.",
    ]
    reasons = Counter(refusal.reason for refusal in improvement.refusals)
    lines += [f"refused {times} x: {reason}" for reason, times in reasons.items()]
    if improvement.prompt:
        lines.append(f"The best candidate is in {improvement.prompt}.")
    if improvement.commands:
        lines.append("No run uses it yet. To record the proof as experiments (nothing is called):")
    return [*lines, *improvement.commands]


def proof_lines(improvement: Improvement) -> list[str]:
    """What the briefs that prove say; none where they were not asked."""
    proof, content = improvement.proof, improvement.content
    if proof is None or content is None:
        return []
    interval = numbers.difference_interval(content.low, content.high)
    difference = numbers.difference(content.value)
    uses = f"This is use {improvement.use} of the briefs that prove"
    return [
        f"content: {difference} (interval {interval}, {numbers.counted(content.n, 'brief')})",
        f"{uses}: its intervals have a confidence of {100 * proof.design.confidence:.2f}%.",
    ]
