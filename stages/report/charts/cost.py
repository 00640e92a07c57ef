"""Quality against cost: which models are worth their price."""

import math

import altair as alt

from stages.report.charts.ink import ACCENT, INK, QUIET, Layers
from stages.report.charts.points import CostPoint

WIDTH, HEIGHT = 470, 420
_LABELLED = 14
_TICKS = 6


def cost_chart(points: tuple[CostPoint, ...]) -> Layers:
    """Score against the cost of a valid graph; a line joins the models that no other beats in both."""
    axis = _CostAxis([point.cost_usd for point in points])
    data = alt.InlineData(
        values=[
            point._asdict() | {"label": _label(point, points), "left": axis.place(point.cost_usd) > 0.66}
            for point in points
        ]
    )
    x = alt.X("cost_usd:Q", scale=axis.scale, title="US dollars per valid graph", axis=axis.axis)
    y = alt.Y("score:Q", scale=alt.Scale(domain=_domain(points)), title="Score")
    base = alt.Chart(data)
    front, rest = base.transform_filter("datum.frontier"), base.transform_filter("!datum.frontier")
    spans = base.mark_rule(color=QUIET, opacity=0.55).encode(x=x, y=alt.Y("low:Q", title="Score"), y2="high:Q")
    line = front.mark_line(color=ACCENT, interpolate="step-after", strokeWidth=1.5, strokeDash=[4, 3]).encode(x=x, y=y)
    inside = rest.mark_point(filled=True, size=60, color=QUIET, opacity=1).encode(x=x, y=y)
    best = front.mark_point(filled=True, size=90, color=ACCENT, opacity=1).encode(x=x, y=y)
    right = base.transform_filter("!datum.left").mark_text(
        align="left", dx=8, dy=-7, fontSize=11.5, color=INK, limit=150
    )
    left = base.transform_filter("datum.left").mark_text(
        align="right", dx=-8, dy=-7, fontSize=11.5, color=INK, limit=200
    )
    names = [side.encode(x=x, y=y, text="label:N") for side in (right, left)]
    return alt.layer(spans, line, inside, best, *names).properties(width=WIDTH, height=HEIGHT)


class _CostAxis:
    """From a little below the cheapest to a little above the dearest: logarithmic where costs differ much."""

    def __init__(self, costs: list[float]) -> None:
        low, high = min(costs), max(costs) or 1.0
        self._log = low > 0 and high / low > 3
        self._ends = (low / 1.6, high * 1.6) if self._log else (0.0, high * 1.15)
        self.scale = alt.Scale(type="log" if self._log else "linear", domain=list(self._ends), nice=False)
        self.axis = (
            alt.Axis(format="$~g", values=_ticks(*self._ends)) if self._log else alt.Axis(format="$~g", tickCount=5)
        )

    def place(self, cost: float) -> float:
        """Where a cost is on the axis, from 0 to 1."""
        low, high = self._ends
        return math.log(cost / low) / math.log(high / low) if self._log else cost / high


def _ticks(low: float, high: float) -> list[float]:
    """Round amounts between two costs: 1, 2 and 5 times a power of ten, or fewer where that is too many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for steps in ((1, 2, 5), (1, 3), (1,)):
        found = [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]
        ticks = [tick for tick in found if low <= tick <= high]
        if len(ticks) <= _TICKS:
            return ticks
    return [float(f"1e{power}") for power in range(first, last + 1, (last - first) // _TICKS + 1)]


def _label(point: CostPoint, points: tuple[CostPoint, ...]) -> str:
    return point.name if point.frontier or len(points) <= _LABELLED else ""


def _domain(points: tuple[CostPoint, ...]) -> list[float]:
    """From a round tenth below the lowest end of an interval to one above the highest."""
    low = min(point.score if point.low is None else point.low for point in points)
    high = max(point.score if point.high is None else point.high for point in points)
    return [max(math.floor(low * 10) / 10, 0.0), min(math.floor(high * 10 + 1) / 10, 1.0)]
