"""What a run says of itself, in plain sentences: before the calls, and at the end."""

from collections import Counter
from collections.abc import Callable

from stages.contracts.response import ANSWERED, Status
from stages.generate.cost.forecast import HIGH_OUTPUT_TOKENS, LOW_OUTPUT_TOKENS, Spread, Total

SIMULATED = "simulated models: their results say nothing about real models, and their costs are not charged"


def usd(amount: float) -> str:
    """An amount of money.

    >>> usd(0), usd(0.0123), usd(12.3456), usd(1234.5)
    ('$0', '$0.0123', '$12.35', '$1,234.50')
    """
    if amount == 0:
        return "$0"
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.4f}"


def count(number: int, noun: str) -> str:
    """A number and its noun.

    >>> count(1, "cell"), count(1200, "cell")
    ('1 cell', '1,200 cells')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def forecast_line(total: Total, cells: int, *, counted: str, from_history: int) -> str:
    """The forecast in one sentence: what is called, how many tokens, what it costs.

    Args:
        total: Of all calls.
        cells: How many there are, answered ones included.
        counted: How input tokens were counted, in words.
        from_history: For how many of the calls the output is forecast from earlier answers of the model.
    """
    cached = cells - total.calls
    if not total.calls:
        return f"{count(cells, 'cell')}: all answered already, nothing to call"
    output = _range(total.output_tokens, lambda tokens: f"{tokens:,.0f}")
    prior = f"a prior of {LOW_OUTPUT_TOKENS:,} to {HIGH_OUTPUT_TOKENS:,} a call"
    basis = (
        "from earlier answers" if from_history == total.calls else f"for {total.calls - from_history:,} of them {prior}"
    )
    priced = total.calls - total.unpriced
    money = f"; {_range(total.cost_usd, usd)}" if priced else ""
    unknown = f"; no price is known for {count(total.unpriced, 'call')}" if total.unpriced else ""
    return (
        f"{count(cells, 'cell')}: {cached:,} answered already, {total.calls:,} to call; "
        f"about {total.input_tokens:,} input tokens ({counted}), {output} output tokens ({basis})"
        f"{money}{unknown}"
    )


def outcome_lines(counts: Counter[Status], *, called: int, cost_usd: float | None, unpriced: int) -> list[str]:
    """The counts at the end: one line, and a second one when cells have no answer.

    Args:
        counts: How many cells have which status.
        called: Answers that this run paid for.
        cost_usd: What they cost, as far as known; None when nothing is known.
        unpriced: How many of them have no known cost.
    """
    cells = sum(counts.values())
    named = ", ".join(f"{counts[status]:,} {status}" for status in _order(counts))
    spent = "no answer was fetched" if any(status not in ANSWERED for status in counts) else "nothing was called"
    if called:
        money = "" if cost_usd is None else f" for {usd(cost_usd)}"
        unknown = f" ({unpriced:,} at an unknown price)" if unpriced else ""
        spent = f"{count(called, 'answer')} fetched{money}{unknown}"
    lines = [f"{count(cells, 'cell')}: {named}; {spent}"]
    missing = sum(number for status, number in counts.items() if status not in ANSWERED)
    if missing:
        have, those = ("has", "it") if missing == 1 else ("have", "those")
        lines.append(f"{count(missing, 'cell')} {have} no answer: `dvc repro -f` calls just {those}")
    return lines


def cache_line(cached_tokens: int, input_tokens: int, saved_usd: float | None) -> str | None:
    """The share of input tokens that was read from the prompt cache, and what that saved; None without input tokens."""
    if not input_tokens:
        return None
    saved = f", which saved {usd(saved_usd)}" if saved_usd is not None and cached_tokens else ""
    return f"prompt cache: {cached_tokens / input_tokens:.0%} of {input_tokens:,} input tokens were read from it{saved}"


def _range(spread: Spread, shown: Callable[[float], str]) -> str:
    return f"{shown(spread.expected)} expected ({shown(spread.low)} to {shown(spread.high)})"


def _order(counts: Counter[Status]) -> list[Status]:
    return sorted(counts, key=lambda status: (status not in ANSWERED, -counts[status], status))
