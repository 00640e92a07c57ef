"""The runs along a branch as one table with a summary."""

from collections import Counter
from collections.abc import Iterable, Sequence

from stages.compare import tables
from stages.compare.comparer import Step
from stages.present.table import Column, Entry, Raw, Table, make_table
from stages.shell import numbers
from stages.shell.text import short_names
from stages.statistics.estimates import IntervalEstimate

RUN_COLUMNS = (
    Column("date"),
    Column("commit", code=True),
    Column("prompt", code=True),
    Column("score", numbers.score),
    Column("±", numbers.score),
    Column("usable", numbers.share),
    Column("cost", numbers.money),
    Column("against the one before"),
)


def list_runs(steps: Sequence[Step], skipped: Sequence[str] = ()) -> Table:
    """The runs, the oldest first; in notes the verdicts that change, and why runs are missing
    (`skipped`).
    """
    names = short_names(step.prompt for step in steps)
    lines = [
        f"{step.commit} ({names[step.prompt]}): {step.then} then, {step.verdict} by today's rules"
        for step in steps
        if step.changed
    ]
    lines += [f"Left out: {reason}" for reason in skipped]
    summary = _summary_of_runs(steps) if steps else "No runs were found."
    rows = [_run_row(step, names, is_first=index == 0) for index, step in enumerate(steps)]
    return make_table(RUN_COLUMNS, rows, title=summary, notes=lines, name="runs")


def _summary_of_runs(steps: Sequence[Step]) -> str:
    first, last = steps[0].score.value, steps[-1].score.value
    known = [step.cost_usd for step in steps if step.cost_usd is not None]
    parts = [numbers.counted(len(steps), "run")]
    if all(step.verdict for step in steps[1:]):  # else the scores are made by different rules
        scores = f"{numbers.score(first)} first, {numbers.score(last)} last"
        parts.append(f"expected score {scores}")
    cost = numbers.money(sum(known) if known else None)
    return "; ".join([*parts, *_verdict_counts(steps), f"cost {cost}"]) + "."


def _verdict_counts(steps: Iterable[Step]) -> list[str]:
    counts = Counter(step.verdict for step in steps if step.verdict)
    named = [f"{count} {verdict}" for verdict, count in counts.most_common()]
    return [", ".join(named)] if named else []


def _run_row(step: Step, names: dict[str, str], *, is_first: bool) -> list[Raw]:
    return [
        (step.date or "")[:10],
        step.commit,
        names[step.prompt],
        step.score.value,
        _half_width(step.score),
        step.usable / step.answered if step.answered else None,
        step.cost_usd,
        "" if is_first else _against(step),
    ]


def _half_width(estimate: IntervalEstimate) -> float | None:
    """Half the length of the interval; None without one."""
    if estimate.low is None or estimate.high is None:
        return None
    return (estimate.high - estimate.low) / 2


def _against(step: Step) -> Entry:
    if step.verdict is None:
        return Entry("scored by other rules (--rescore)")
    look = tables.VERDICT_LOOKS.get(step.verdict, "")
    return Entry(f"{step.verdict} ({numbers.difference(step.difference)})", look=look)
