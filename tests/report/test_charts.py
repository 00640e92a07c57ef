"""Charts are places in percent: no label is cut, and no mark covers another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.records.record import Measurement
from graph_evaluator.report.drawing.charts import (
    Scale,
    charts,
    cost_chart,
    interval_chart,
    scale_of,
)
from graph_evaluator.shell import numbers
from tests.builders.scorecards import card, findings


def chart_of(*models: tuple[float, float]):
    """The chart of models M0, M1 and so on with these costs and forms, in this order."""
    cards = [
        card(f"m{number}", score=score, est_cost_usd=cost)
        for number, (cost, score) in enumerate(models)
    ]
    candidates = sorted(findings(*cards).candidates, key=lambda model: model.id)
    return cost_chart(candidates)


@pytest.mark.parametrize(("most", "is_log"), [(0.09, False), (0.1, True)])
def test_costs_that_differ_tenfold_are_on_a_logarithmic_scale(most, is_log):
    assert scale_of([0.01, most]).is_log is is_log


def test_the_best_marks_are_the_models_that_no_other_beats_in_form_and_cost():
    chart = chart_of((0.001, 0.3), (0.01, 0.5), (0.02, 0.4), (0.1, 0.9), (0.09, 0.2))
    assert [point.label for point in chart.points if point.is_best] == ["1", "2", "4"]
    assert [name for name, _ in chart.names] == ["M0", "M1", "M2", "M3", "M4"]


def test_models_that_would_cover_each_other_share_a_mark_with_both_numbers():
    (mark,) = chart_of((0.01, 0.5), (0.01, 0.5)).points
    assert mark.label == "1, 2"
    assert mark.title.startswith("M0: 0.500, $0.0100 per usable graph; M1: ")


def test_a_chart_of_many_models_shows_the_first_and_names_the_others():
    cards = [card(f"m{number:02}", est_cost_usd=None) for number in range(41)]
    for count, named in ((40, False), (41, True)):
        (latency,) = charts(findings(*cards[:count]).candidates)
        assert ("after 40 models): M40." in latency.note) == named


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


@given(
    st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=6),
)
def test_every_value_and_at_most_five_ticks_are_on_the_scale(values):
    scale = scale_of(values)
    places = [scale.percent(value) for value in values]
    assert all(0 <= place <= 100 for place in places)
    ticks = scale.ticks(str)
    assert 1 <= len(ticks) <= 5
    assert [tick.at for tick in ticks] == sorted({tick.at for tick in ticks})


@pytest.mark.parametrize(
    ("scale", "texts"),
    [
        (Scale(0.7, 1.0), ["0.7", "0.8", "0.9", "1.0"]),
        (Scale(0.004, 0.3, is_log=True), ["0.01", "0.1"]),
        (Scale(0.02, 0.05, is_log=True), ["0.02", "0.05"]),
    ],
    ids=["linear", "powers of ten", "no power of ten inside"],
)
def test_ticks_have_round_values(scale, texts):
    assert [tick.text for tick in scale.ticks(lambda value: f"{round(value, 6)}")] == texts
