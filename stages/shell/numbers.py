"""How each kind of number is printed, everywhere: one function per kind; "not measured" (None or NaN) is a dash, never a zero."""

import math

MISSING = "—"
"""Printed where nothing was measured."""


def score(value: float | None) -> str:
    """A score in 0..1, three decimals.

    >>> score(0.71249), score(None), score(float("nan"))
    ('0.712', '—', '—')
    """
    return MISSING if _missing(value) else f"{value:.3f}"


def interval(low: float | None, high: float | None) -> str:
    """An interval of scores.

    >>> interval(0.651, 0.78), interval(None, None)
    ('0.651 to 0.780', '—')
    """
    return MISSING if _missing(low) or _missing(high) else f"{low:.3f} to {high:.3f}"


def difference(value: float | None) -> str:
    """A difference of scores, with its sign; what rounds to zero has none.

    >>> difference(0.02), difference(-0.1), difference(-0.0001)
    ('+0.020', '-0.100', '0.000')
    """
    if _missing(value):
        return MISSING
    text = f"{value:+.3f}"
    return text[1:] if float(text) == 0 else text


def difference_interval(low: float | None, high: float | None) -> str:
    """An interval of a difference of scores.

    >>> difference_interval(-0.01, 0.05), difference_interval(None, None)
    ('-0.010 to +0.050', '—')
    """
    return MISSING if _missing(low) or _missing(high) else f"{difference(low)} to {difference(high)}"


def money(usd: float | None) -> str:
    """US dollars: cents from one dollar on, three significant digits below.

    >>> money(1234.5), money(1.234), money(0.012345), money(0.0), money(0.0000001), money(None)
    ('$1,234.50', '$1.23', '$0.0123', '$0', '<$0.000001', '—')
    """
    if usd is None or math.isnan(usd):
        return MISSING
    if usd == 0:
        return "$0"
    sign, size = ("-" if usd < 0 else ""), abs(usd)
    if size >= 0.9995:
        return f"{sign}${size:,.2f}"
    if size < 0.000001:
        return f"<{sign}$0.000001"
    places = min(2 - math.floor(math.log10(size)), 6)
    return f"{sign}${size:.{places}f}"


def count(value: float | None) -> str:
    """A number of cells, nodes, calls or anything else that is counted.

    >>> count(12345), count(0), count(None)
    ('12,345', '0', '—')
    """
    return MISSING if _missing(value) else f"{value:,.0f}"


def counted(value: float, noun: str, plural: str | None = None) -> str:
    """A count with its noun; `plural` is the noun with an "s" unless it is given.

    >>> counted(1, "reply"), counted(1200, "brief"), counted(0, "reply", "replies")
    ('1 reply', '1,200 briefs', '0 replies')
    """
    return f"{count(value)} {noun if value == 1 else plural or noun + 's'}"


def tokens(value: float | None) -> str:
    """A number of tokens; a mean is rounded to whole tokens.

    >>> tokens(18234.6)
    '18,235'
    """
    return count(value)


def duration(milliseconds: float | None) -> str:
    """A time, in the unit that a person would use.

    >>> duration(850.4), duration(12_340), duration(200_000), duration(3_900_000), duration(None)
    ('850 ms', '12.3 s', '3 min 20 s', '1 h 5 min', '—')
    """
    if milliseconds is None or math.isnan(milliseconds):
        return MISSING
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    if milliseconds < 59_950:
        return f"{milliseconds / 1000:.1f} s"
    seconds = round(milliseconds / 1000)
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min"


def share(value: float | None) -> str:
    """A share in 0..1 as a percentage; 0% means exactly none and 100% exactly all.

    >>> share(0.953), share(0.999), share(0.001), share(1.0), share(None)
    ('95%', '>99%', '<1%', '100%', '—')
    """
    if value is None or math.isnan(value):
        return MISSING
    percent = round(value * 100)
    if percent >= 100 and value < 1:
        return ">99%"
    if percent <= 0 and value > 0:
        return "<1%"
    return f"{percent}%"


def share_of(part: float, whole: float) -> str:
    """A share with its two counts.

    >>> share_of(13, 14), share_of(0, 0)
    ('93% (13/14)', '— (0/0)')
    """
    return f"{share(part / whole if whole else None)} ({count(part)}/{count(whole)})"


def share_interval(low: float | None, high: float | None) -> str:
    """An interval of shares.

    >>> share_interval(0.6, 1.0), share_interval(None, None)
    ('60% to 100%', '—')
    """
    return MISSING if _missing(low) or _missing(high) else f"{share(low)} to {share(high)}"


def ratio(value: float | None) -> str:
    """A quotient of two amounts, such as cost after over cost before.

    >>> ratio(1.2345), ratio(None)
    ('x 1.23', '—')
    """
    return MISSING if _missing(value) else f"x {value:.2f}"


def probability(value: float | None) -> str:
    """A p-value.

    >>> probability(0.0321), probability(0.00001), probability(1.0), probability(0.0)
    ('0.032', '< 0.001', '1', '< 0.001')
    """
    if value is None or math.isnan(value):
        return MISSING
    return "< 0.001" if value < 0.001 else f"{value:.3f}".rstrip("0").rstrip(".")


def parameter(value: float | None) -> str:
    """A parameter of a draft graph as the answer gives it: three significant digits, or a whole number from 1,000 on.

    >>> parameter(0.5), parameter(1 / 3), parameter(240000.0), parameter(float("inf")), parameter(None)
    ('0.5', '0.333', '240,000', 'inf', 'not given')
    """
    if value is None:
        return "not given"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _missing(value: float | None) -> bool:
    return value is None or math.isnan(value)
