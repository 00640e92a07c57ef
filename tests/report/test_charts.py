"""Charts are places in percent: no label is cut, and no mark covers another."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.present.page import environment
from graph_evaluator.records.record import Measurement
from graph_evaluator.report.drawing.charts import RowChart, cost_chart
from graph_evaluator.shell import numbers
from tests.builders.scorecards import card, findings, unanswered
from tests.report.page import Read


def test_models_are_in_order_of_cost_and_green_where_no_cheaper_one_has_a_higher_form():
    costs = {
        "m1": (0.3, 0.001),
        "m2": (0.5, 0.01),
        "m3": (0.4, 0.02),
        "m4": (0.9, None),
        "m5": (0.6, 0.1),
    }
    cards = [card(model, score=form, est_cost_usd=cost) for model, (form, cost) in costs.items()]
    chart = cost_chart(findings(*cards, unanswered(model="m6")).candidates)
    assert [(name, row.value, tone) for name, row, tone in chart.rows] == [
        ("M1, $0.00100", 0.3, "good"), ("M2, $0.0100", 0.5, "good"), ("M3, $0.0200", 0.4, ""),
        ("M5, $0.100", 0.6, "good"), ("M4, cost not measured", 0.9, ""),
    ]  # fmt: skip


def test_an_interval_chart_has_a_row_for_each_name_and_the_band_that_is_too_small_to_matter():
    """Two names are equal, and one was not measured."""
    values = (Measurement(value=0.5, low=0.4, high=0.6), Measurement(value=0.25), Measurement())
    rows = list(zip(("same", "same", "none"), values, ("good", "", ""), strict=True))
    chart = RowChart("Difference", "", rows, 0.02, numbers.difference)
    macros: Any = environment("graph_evaluator.report.site").get_template("macros.html.j2").module
    shown = Read(f"<table>{macros.chart(chart)}</table>")
    assert [row for row in shown.text.split() if row[0] in "+—"] == ["+0.500", "+0.250", "—"]
    assert len(shown.all("circle")) == 2
    assert chart.place(-0.02) < chart.place(0) < chart.place(0.02) < chart.place(0.25)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_at_most_five_ticks_with_round_values_are_on_a_scale(low, length):
    ends = [("", Measurement(value=value), "") for value in (low, low + length)]
    places = [at for at, _ in RowChart("", "", ends).ticks()]
    assert 1 <= len(places) <= 5
    assert places == sorted(set(places))
    assert all(0 <= at <= 100 for at in places)
