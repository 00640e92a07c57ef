"""The charts with a mark per model: quality against cost, latency."""

import altair as alt

from stages.report.charts.ink import ACCENT, INK, QUIET, SOFT, Layers
from stages.report.charts.points import CostPoint, LatencyPoint

WIDTH = 400
_ROW = 24
_LABELLED = 14


def cost_chart(points: tuple[CostPoint, ...]) -> Layers:
    """Score against the cost of a valid graph; a line joins the models that no other beats in both."""
    costs = [point.cost_usd for point in points]
    wide = min(costs) > 0 and max(costs) / min(costs) > 8
    data = alt.InlineData(values=[point._asdict() | {"label": _label(point, points)} for point in points])
    scale = alt.Scale(type="log", nice=True, padding=20) if wide else alt.Scale(zero=False, nice=True, padding=20)
    x = alt.X("cost_usd:Q", scale=scale, title="US dollars per valid graph", axis=alt.Axis(format="$~g", tickCount=5))
    y = alt.Y("score:Q", scale=alt.Scale(domain=_domain(points)), title="Score")
    base = alt.Chart(data)
    front = base.transform_filter("datum.frontier")
    rest = base.transform_filter("!datum.frontier")
    spans = base.mark_rule(color=QUIET, opacity=0.55).encode(x=x, y=alt.Y("low:Q", title="Score"), y2="high:Q")
    line = front.mark_line(color=ACCENT, interpolate="step-after", strokeWidth=1.5, strokeDash=[4, 3]).encode(x=x, y=y)
    inside = rest.mark_point(filled=True, size=60, color=QUIET, opacity=1).encode(x=x, y=y)
    best = front.mark_point(filled=True, size=90, color=ACCENT, opacity=1).encode(x=x, y=y)
    names = base.mark_text(align="left", dx=8, dy=-7, fontSize=11.5, color=INK, limit=150).encode(
        x=x, y=y, text="label:N"
    )
    return alt.layer(spans, line, inside, best, names).properties(width=WIDTH, height=290)


def _label(point: CostPoint, points: tuple[CostPoint, ...]) -> str:
    return point.name if point.frontier or len(points) <= _LABELLED else ""


def _domain(points: tuple[CostPoint, ...]) -> list[float]:
    """From a round tenth below the lowest end of an interval to one above the highest."""
    low = min(point.score if point.low is None else point.low for point in points)
    high = max(point.score if point.high is None else point.high for point in points)
    return [max(int(low * 10) / 10, 0.0), min(int(high * 10 + 1) / 10, 1.0)]


def latency_chart(points: tuple[LatencyPoint, ...]) -> Layers:
    """Median and 95th percentile, in order of rank."""
    data = alt.InlineData(values=[point._asdict() for point in points])
    rows = alt.Y("name:N", sort=[point.name for point in points], title=None, axis=alt.Axis(grid=False))
    base = alt.Chart(data)
    x = alt.X("p50_s:Q", title="Seconds: median (dot) to 95th percentile (tick)", scale=alt.Scale(zero=True))
    bars = base.mark_rule(color=QUIET, strokeWidth=2.5, opacity=0.6).encode(y=rows, x=x, x2="p95_s:Q")
    ends = base.mark_tick(color=SOFT, thickness=2, size=10).encode(y=rows, x="p95_s:Q")
    dots = base.mark_point(filled=True, size=70, color=ACCENT, opacity=1).encode(y=rows, x=x)
    return alt.layer(bars, ends, dots).properties(width=WIDTH - 110, height=alt.Step(_ROW))
