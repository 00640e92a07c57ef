"""Charts are places in percent: no label is cut, and no mark covers another."""

from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.records.record import Measurement
from graph_evaluator.report.drawing.charts import Scale, cost_chart, interval_chart
from graph_evaluator.shell import numbers
from tests.builders.scorecards import card, findings, unanswered


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
    assert [(row.name, row.text, row.tone) for row in chart.rows] == [
        ("M1, $0.00100", "0.300", "good"), ("M2, $0.0100", "0.500", "good"), ("M3, $0.0200", "0.400", ""),
        ("M5, $0.100", "0.600", "good"), ("M4, cost not measured", "0.900", ""),
    ]  # fmt: skip


def test_an_interval_chart_has_a_row_for_each_name_and_the_band_that_is_too_small_to_matter():
    """Two names are equal, and one was not measured."""
    values = (Measurement(value=0.5, low=0.4, high=0.6), Measurement(value=0.25), Measurement())
    rows = list(zip(("same", "same", "none"), values, ("good", "", ""), strict=True))
    chart = interval_chart("Difference", rows, note="", margin=0.02, write=numbers.difference)
    assert [(row.name, row.text, row.tone) for row in chart.rows] == [
        ("same", "+0.500", "good"),
        ("same", "+0.250", ""),
        ("none", "—", ""),
    ]
    assert [row.at is None for row in chart.rows] == [False, False, True]
    assert chart.band
    assert chart.zero
    assert chart.band[0] < chart.zero < chart.band[1] < (chart.rows[1].at or 0)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_at_most_five_ticks_with_round_values_are_on_a_scale(low, length):
    ticks = Scale(low, low + length).ticks(str)
    assert 1 <= len(ticks) <= 5
    assert [tick.at for tick in ticks] == sorted({tick.at for tick in ticks})
    assert all(-1e-6 <= tick.at <= 100 + 1e-6 for tick in ticks)
    assert [tick.text for tick in Scale(0.7, 1.0).ticks("{:.1f}".format)] == [
        "0.7",
        "0.8",
        "0.9",
        "1.0",
    ]
