"""Charts in the grammar of `dvc plots` (Vega-Lite, by Altair), drawn to inline SVG without a browser."""

from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup

from stages.report.charts.codes import code_chart, profile_chart
from stages.report.charts.cost import cost_chart
from stages.report.charts.ink import svg
from stages.report.charts.latency import latency_chart
from stages.report.charts.points import MAX_MODELS, code_points, cost_points, latency_points, profile_points
from stages.report.digest import Digest


class Chart(NamedTuple):
    """A chart with its title and what it says."""

    title: str
    text: str
    svg: Markup
    shape: str = ""
    """`wide` and `tall` charts take more than one place of the page's grid."""


def charts(digest: Digest) -> tuple[Chart, ...]:
    """Every chart that has something to show."""
    return tuple(_charts(digest))


def _charts(digest: Digest) -> Iterator[Chart]:
    some = f" The first {MAX_MODELS} by rank." if len(digest.leaderboard.standings) > MAX_MODELS else ""
    costs = cost_points(digest)
    if costs:
        title = "Quality against cost"
        text = (
            "The dashed line joins the models that no other beats in both score and cost; vertical lines are intervals."
        )
        label = f"{title}, for {len(costs)} models; the leaderboard has the numbers"
        yield Chart(title, text, svg(cost_chart(costs), label), "tall")
    latencies = latency_points(digest)
    if latencies:
        title = "Latency"
        text = f"Of the call that was answered, without waits.{some}"
        yield Chart(title, text, svg(latency_chart(latencies), f"{title} by model; the leaderboard has the numbers"))
    codes = code_points(digest)
    if codes:
        title = "Failures by code"
        text = "Cells in which each occurs: the model's doing, or the connection's (in blue)."
        yield Chart(title, text, svg(code_chart(codes), f"{title}; the table below has the numbers"))
    profile = profile_points(digest)
    if profile:
        title = "Where models are strong and weak"
        text = f"Mean of each sub-score over valid graphs, 0 to 1.{some}"
        yield Chart(title, text, svg(profile_chart(profile), f"{title}; the models' pages have the numbers"), "wide")
