"""How numbers are written: one function per kind, "-" for what was not measured."""

from stages.contracts.interval import Interval

NOT_MEASURED = "-"


def score(value: float | None) -> str:
    """A score in 0..1.

    >>> score(0.81249), score(None)
    ('0.812', '-')
    """
    return NOT_MEASURED if value is None else f"{value:.3f}"


def difference(value: float | None) -> str:
    """A difference of scores, always signed; what rounds to zero has no sign.

    >>> difference(0.0312), difference(-0.5), difference(-0.0001)
    ('+0.031', '-0.500', '0.000')
    """
    if value is None:
        return NOT_MEASURED
    text = f"{value:+.3f}"
    return "0.000" if float(text) == 0 else text


def interval(value: Interval | None) -> str:
    """An interval of a difference.

    >>> interval(Interval(-0.01, 0.05, "t-adjusted"))
    '-0.010 to +0.050'
    """
    return NOT_MEASURED if value is None else f"{difference(value.low)} to {difference(value.high)}"


def probability(value: float | None) -> str:
    """A p-value.

    >>> probability(0.0321), probability(0.00001), probability(1.0)
    ('0.032', '< 0.001', '1')
    """
    if value is None:
        return NOT_MEASURED
    return "< 0.001" if value < 0.001 else f"{value:.3f}".rstrip("0").rstrip(".")


def share(part: int, whole: int) -> str:
    """A share in percent, with what it is a share of.

    >>> share(15, 16), share(0, 0)
    ('94 % of 16', '-')
    """
    return f"{100 * part / whole:.0f} % of {whole}" if whole else NOT_MEASURED


def ratio(value: float | None) -> str:
    """A quotient, head over base.

    >>> ratio(1.2345), ratio(None)
    ('x 1.23', '-')
    """
    return NOT_MEASURED if value is None else f"x {value:.2f}"


def money(value: float | None) -> str:
    """US dollars, to three significant digits below ten cents.

    >>> money(1.2345), money(0.0012345), money(0.0)
    ('$1.23', '$0.00123', '$0.00')
    """
    if value is None:
        return NOT_MEASURED
    return f"${value:.3g}" if 0 < abs(value) < 0.1 else f"${value:.2f}"


def count(number: int, noun: str) -> str:
    """A number of things.

    >>> count(1, "brief"), count(1200, "brief")
    ('1 brief', '1,200 briefs')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
