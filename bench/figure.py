"""One figure of a benchmark, and the table of them all: what was measured, how far it spread, and whether its target was met."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tabulate import tabulate


@dataclass(frozen=True)
class Figure:
    """A median with its spread over the repeats, and the target it should keep, if there is one.

    `unit` is "x" for a ratio to a floor that was measured in the same run. A target is the most that is allowed, with
    `at_least` the least.
    """

    what: str
    value: float
    low: float
    high: float
    unit: str
    target: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the target was met; None without a target."""
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target


def figure(
    what: str,
    values: Sequence[float],
    unit: str,
    *,
    target: float | None = None,
    at_least: bool = False,
) -> Figure:
    """The figure of repeated measurements; there is at least one."""
    return Figure(what, statistics.median(values), min(values), max(values), unit, target, at_least)


def ratio(
    what: str,
    ours: Sequence[float],
    floor: Sequence[float],
    *,
    target: float | None = None,
    at_least: bool = False,
) -> Figure:
    """The ratio to the floor, taken repeat by repeat, so that what slows both down cancels."""
    ratios = [one / other for one, other in zip(ours, floor, strict=True)]
    return figure(what, ratios, "x", target=target, at_least=at_least)


def table(figures: Iterable[Figure]) -> str:
    """The figures as a Markdown table.

    >>> print(table([Figure("a", 1.5, 1.4, 1.6, "x", 2.0)]))
    | what   |   measured |   from |    to | target      | verdict   |
    |:-------|-----------:|-------:|------:|:------------|:----------|
    | a      |      1.5 x |  1.4 x | 1.6 x | at most 2 x | met       |
    """
    rows = [
        (
            one.what,
            *(_told(value, one.unit) for value in (one.value, one.low, one.high)),
            _target(one),
            _verdict(one),
        )
        for one in figures
    ]
    aligned = ("left", "right", "right", "right", "left", "left")
    heads = ("what", "measured", "from", "to", "target", "verdict")
    return tabulate(rows, headers=heads, tablefmt="pipe", colalign=aligned, disable_numparse=True)


def _target(one: Figure) -> str:
    if one.target is None:
        return ""
    return f"at {'least' if one.at_least else 'most'} {one.target:g} {one.unit}"


def _verdict(one: Figure) -> str:
    return {True: "met", False: "missed", None: ""}[one.met]


def _told(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if abs(value) >= 100 else f"{value:.3g} {unit}"
