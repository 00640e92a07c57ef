"""The charts by code and by sub-dimension: what failed, and where the models are strong or weak."""

import altair as alt

from stages.report.charts.ink import ACCENT, CARD, INK, STEPS, WARN, Layers
from stages.report.charts.points import CodePoint, ProfilePoint

_ROW = 24
MAX_CODES = 20


def code_chart(points: tuple[CodePoint, ...]) -> Layers:
    """In how many cells each code occurs."""
    points = points[:MAX_CODES]
    data = alt.InlineData(values=[point._asdict() for point in points])
    rows = alt.Y("code:N", sort=[point.code for point in points], title=None, axis=alt.Axis(grid=False))
    x = alt.X("cells:Q", title="Cells", axis=alt.Axis(tickMinStep=1, format=",d"))
    doing = alt.Color("doing:N", scale=alt.Scale(domain=["model", "infrastructure"], range=[WARN, ACCENT]), legend=None)
    base = alt.Chart(data)
    bars = base.mark_bar(height=13).encode(y=rows, x=x, color=doing)
    counts = base.mark_text(align="left", dx=5, fontSize=11.5, color=INK).encode(
        y=rows, x=x, text=alt.Text("cells:Q", format=",d")
    )
    return alt.layer(bars, counts).properties(width=240, height=alt.Step(_ROW))


def profile_chart(points: tuple[ProfilePoint, ...]) -> Layers:
    """Every sub-dimension of every model as a field: pale red is low, green is high."""
    models = list(dict.fromkeys(point.name for point in points))
    columns = list(dict.fromkeys(point.sub_score for point in points))
    data = alt.InlineData(values=[point._asdict() for point in points])
    x = alt.X("sub_score:N", sort=columns, title=None,
              axis=alt.Axis(labelAngle=-38, orient="top", labelLimit=220, domain=False, ticks=False))  # fmt: skip
    y = alt.Y("name:N", sort=models, title=None, axis=alt.Axis(domain=False, ticks=False))
    colour = alt.Color(
        "mean:Q",
        scale=alt.Scale(
            type="threshold", domain=[step / len(STEPS) for step in range(1, len(STEPS))], range=list(STEPS)
        ),
        legend=None,
    )
    base = alt.Chart(data)
    fields = base.mark_rect(stroke=CARD, strokeWidth=2).encode(x=x, y=y, color=colour)
    values = base.mark_text(fontSize=11.5, color=INK).encode(x=x, y=y, text=alt.Text("mean:Q", format=".2f"))
    return alt.layer(fields, values).properties(width=alt.Step(56), height=alt.Step(_ROW + 2))
