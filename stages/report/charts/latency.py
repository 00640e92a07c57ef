"""Latency: how long the models take, usually and at worst."""

import altair as alt

from stages.report.charts.ink import ACCENT, QUIET, SOFT, Layers
from stages.report.charts.points import LatencyPoint

WIDTH = 330
ROW = 24


def latency_chart(points: tuple[LatencyPoint, ...]) -> Layers:
    """Median and 95th percentile, in order of rank."""
    data = alt.InlineData(values=[point._asdict() for point in points])
    rows = alt.Y("name:N", sort=[point.name for point in points], title=None, axis=alt.Axis(grid=False))
    base = alt.Chart(data)
    x = alt.X("p50_s:Q", title="Seconds: median (dot) to 95th percentile (tick)", scale=alt.Scale(zero=True))
    bars = base.mark_rule(color=QUIET, strokeWidth=2.5, opacity=0.6).encode(y=rows, x=x, x2="p95_s:Q")
    ends = base.mark_tick(color=SOFT, thickness=2, size=10).encode(y=rows, x="p95_s:Q")
    dots = base.mark_point(filled=True, size=70, color=ACCENT, opacity=1).encode(y=rows, x=x)
    return alt.layer(bars, ends, dots).properties(width=WIDTH, height=alt.Step(ROW))
