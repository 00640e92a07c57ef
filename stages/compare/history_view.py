"""The history as a table: for the terminal through Markdown, for a file as it is."""

from collections.abc import Sequence

from tabulate import tabulate

from stages.compare import numbers
from stages.compare.history import Step
from stages.compare.markdown import code, plain


def history_markdown(steps: Sequence[Step], *, skipped: Sequence[str] = ()) -> str:
    """A Markdown table of the runs, the oldest first, the conclusions that flip, and the runs that could not be read.

    Args:
        steps: The runs.
        skipped: Why runs are missing, a sentence each.
    """
    if not steps:
        return "\n".join(["No runs were found.", *(f"- {plain(reason)}" for reason in skipped)]) + "\n"
    rescored = any(step.then is not None for step in steps)
    header = ["date", "commit", "prompt", "expected score", "valid", "cost", "against the one before"]
    rows = [
        [
            (step.date or "")[:10],
            (step.revision or "workspace")[:10],
            code(step.prompt),
            f"{numbers.score(step.overall)} ({_span(step)})",
            numbers.share(step.valid, step.answered),
            numbers.money(step.cost_usd),
            _against(step, first=index == 0),
            *([step.then or ""] if rescored else []),
        ]
        for index, step in enumerate(steps)
    ]
    if rescored:
        header.append("by the rules of the time")
    parts = [tabulate(rows, headers=header, tablefmt="github", disable_numparse=True)]
    flips = [
        f"- {(step.revision or 'workspace')[:10]} ({code(step.prompt)}): {step.then} then, {step.verdict} by today's rules"
        for step in steps
        if step.flips
    ]
    if flips:
        parts.append("\n".join(["Conclusions that flip:", *flips]))
    if skipped:
        parts.append("\n".join(["Runs that could not be read:", *(f"- {plain(reason)}" for reason in skipped)]))
    return "\n\n".join(parts) + "\n"


def _span(step: Step) -> str:
    if step.interval is None:
        return numbers.count(step.briefs, "brief")
    return f"{numbers.score(step.interval.low)} to {numbers.score(step.interval.high)}, {numbers.count(step.briefs, 'brief')}"


def _against(step: Step, *, first: bool) -> str:
    if step.verdict is None:
        return "" if first else "scored by other rules (--rescore)"
    return f"{step.verdict} ({numbers.difference(step.difference)})"
