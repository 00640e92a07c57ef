"""How each kind of number is written, everywhere: one function per kind; None, which is "not measured", is a dash."""

import math

MISSING = "—"
"""What stands where nothing was measured: never a zero."""


def score(value: float | None) -> str:
    """A score in 0..1 with three decimals.

    >>> score(0.71249), score(None)
    ('0.712', '—')
    """
    return MISSING if value is None else f"{value:.3f}"


def span(low: float | None, high: float | None) -> str:
    """An interval of scores.

    >>> span(0.651, 0.78), span(None, None)
    ('0.651 to 0.780', '—')
    """
    return MISSING if low is None or high is None else f"{low:.3f} to {high:.3f}"


def difference(value: float | None) -> str:
    """A difference of scores, with its sign.

    >>> difference(0.02), difference(-0.1), difference(0.0)
    ('+0.020', '-0.100', '0.000')
    """
    if value is None:
        return MISSING
    text = f"{value:+.3f}"
    return text[1:] if float(text) == 0 else text


def money(usd: float | None) -> str:
    """US dollars: cents from one dollar on, three significant digits below.

    >>> money(1234.5), money(1.234), money(0.012345), money(0.0), money(0.0000001), money(None)
    ('$1,234.50', '$1.23', '$0.0123', '$0', '<$0.000001', '—')
    """
    if usd is None:
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


def count(value: int | None) -> str:
    """A number of things.

    >>> count(12345), count(0), count(None)
    ('12,345', '0', '—')
    """
    return MISSING if value is None else f"{value:,}"


def things(value: int, one: str, several: str | None = None) -> str:
    """A number of named things.

    >>> things(1, "reply"), things(2, "brief"), things(0, "reply", "replies")
    ('1 reply', '2 briefs', '0 replies')
    """
    return f"{count(value)} {one if value == 1 else several or one + 's'}"


def tokens(value: float | None) -> str:
    """A number of tokens; a mean is rounded to whole tokens.

    >>> tokens(18234.6)
    '18,235'
    """
    return MISSING if value is None else f"{value:,.0f}"


def duration(milliseconds: float | None) -> str:
    """A time, in the unit that a person would use.

    >>> duration(850.4), duration(12_340), duration(200_000), duration(3_900_000), duration(None)
    ('850 ms', '12.3 s', '3 min 20 s', '1 h 5 min', '—')
    """
    if milliseconds is None:
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
    """A share in 0..1 as a percentage; 0% and 100% are said only of exactly none and all.

    >>> share(0.953), share(0.999), share(0.001), share(1.0), share(None)
    ('95%', '>99%', '<1%', '100%', '—')
    """
    if value is None:
        return MISSING
    percent = round(value * 100)
    if percent >= 100 and value < 1:
        return ">99%"
    if percent <= 0 and value > 0:
        return "<1%"
    return f"{percent}%"


def share_of(part: int, whole: int) -> str:
    """A share with the counts that it is made of.

    >>> share_of(13, 14), share_of(0, 0)
    ('93% (13/14)', '— (0/0)')
    """
    return f"{share(part / whole if whole else None)} ({count(part)}/{count(whole)})"
