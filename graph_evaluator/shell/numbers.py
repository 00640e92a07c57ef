"""How each kind of number is printed, everywhere: one function per kind; "not measured" (None or
NaN) is a dash, never a zero.
"""

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import partial, wraps

MISSING = "—"


def _or_dash(show: Callable[[float], str]) -> Callable[[float | None], str]:
    @wraps(show)
    def shown(value: float | None) -> str:
        return MISSING if value is None or math.isnan(value) else show(value)

    return shown


@_or_dash
def score(value: float) -> str:
    """A score in 0..1: 0.712."""
    return f"{value:.3f}"


@_or_dash
def difference(value: float) -> str:
    """A difference of scores, with its sign: +0.020; what rounds to zero has none."""
    text = f"{value:+.3f}"
    return text[1:] if float(text) == 0 else text


@_or_dash
def money(usd: float) -> str:
    """US dollars: $1,234.50, cents from one dollar on; $0.0123, three significant digits below."""
    if usd == 0:
        return "$0"
    sign, size = ("-" if usd < 0 else ""), abs(usd)
    if size >= 0.9995:
        return f"{sign}${size:,.2f}"
    if size < 0.000001:
        return f"<{sign}$0.000001"
    places = min(2 - math.floor(math.log10(size)), 6)
    return f"{sign}${size:.{places}f}"


@_or_dash
def count(value: float) -> str:
    """A number of cells, nodes, calls, tokens or anything else that is counted, a mean as the
    nearest one: 12,345.
    """
    return f"{value:,.0f}"


def counted(value: float, noun: str, plural: str | None = None) -> str:
    """A count with its noun: 1 brief, 1,200 briefs; `plural` is the noun with an "s" unless it is
    given.
    """
    return f"{count(value)} {noun if value == 1 else plural or noun + 's'}"


def first_of(texts: Sequence[str], most: int = 4) -> str:
    """The first texts of a list, and how many more there are.

    >>> first_of(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {count(len(texts) - most)} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


@_or_dash
def duration(milliseconds: float) -> str:
    """A time, in the unit that a person would use: 850 ms, 12.3 s, 3 min 20 s, 1 h 5 min."""
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    if milliseconds < 59_950:
        return f"{milliseconds / 1000:.1f} s"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s"
    hours, minutes = divmod(round(milliseconds / 60_000), 60)
    return f"{hours} h {minutes} min"


@_or_dash
def share(value: float) -> str:
    """A share in 0..1 as a percentage: 95%; 0% means exactly none and 100% exactly all, hence <1%
    and >99%.
    """
    percent = round(value * 100)
    if percent >= 100 and value < 1:
        return ">99%"
    return "<1%" if percent <= 0 and value > 0 else f"{percent}%"


def share_of(part: int, whole: int) -> str:
    """A share with its two counts: 93% (13/14)."""
    return f"{share(part / whole if whole else None)} ({count(part)}/{count(whole)})"


@_or_dash
def ratio(value: float) -> str:
    """A quotient of two amounts, such as cost after over cost before: x 1.23."""
    return f"x {value:.2f}"


def parameter(value: float | None) -> str:
    """A parameter of a draft graph as the answer gives it: 0.333 (three significant digits), or a
    whole number from 1,000 on.
    """
    if value is None:
        return "not given"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def four_decimals(score: float | None) -> str:
    """A score with four decimals, ties away from zero on the exact value (as the original wrote
    it), empty when missing.

    >>> four_decimals(0.78125), four_decimals(1.0), four_decimals(None)
    ('0.7813', '1.0000', '')
    """
    return "" if score is None else str(Decimal(score).quantize(Decimal("0.0001"), ROUND_HALF_UP))


def _between(show: Callable[[float | None], str], low: float | None, high: float | None) -> str:
    ends = show(low), show(high)
    return MISSING if MISSING in ends else " to ".join(ends)


interval = partial(_between, score)
"""An interval of scores: 0.651 to 0.780."""
difference_interval = partial(_between, difference)
"""An interval of a difference of scores: -0.010 to +0.050."""
share_interval = partial(_between, share)
"""An interval of shares: 60% to 100%."""
