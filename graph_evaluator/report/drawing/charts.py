"""The charts of the pages: positions in percent, which the browser lays out at any width. A row has
a name, a track and a value, so no label is cut or covers another.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graph_evaluator.records.record import Measurement
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.shell import numbers

MAX_MODELS = 40
"""Maximum models of a chart, in order of rank."""
MAX_TICKS = 5


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on a scale, in percent from the left or the bottom, and its label."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A value with its interval, in percent of the track; `at` is None if it is not measured."""

    name: str
    text: str
    at: float | None
    low: float | None = None
    high: float | None = None
    tone: str = ""
    """`good` or `bad`, else neutral."""


@dataclass(frozen=True, slots=True)
class RowChart:
    """Rows on one scale. `band` is the part of the scale that is too small to matter."""

    title: str
    note: str
    rows: Sequence[ChartRow]
    ticks: Sequence[Tick]
    zero: float | None = None
    band: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale from `low` to `high`."""

    low: float
    high: float

    def place(self, value: float | None) -> float | None:
        """Where a value is, in percent; None for None."""
        return None if value is None else self.percent(value)

    def percent(self, value: float) -> float:
        """Where a value is, in percent."""
        return round(100 * (value - self.low) / (self.high - self.low), 2)

    def ticks(self, write: Callable[[float], str]) -> list[Tick]:
        """At most five places with round values."""
        power = 10.0 ** math.floor(math.log10((self.high - self.low) / MAX_TICKS))
        for step in (power, 2 * power, 5 * power, 10 * power):
            first = math.ceil(self.low / step - 1e-9)
            last = math.floor(self.high / step + 1e-9)
            if last - first < MAX_TICKS:
                values = [number * step for number in range(first, last + 1)]
                return [Tick(self.percent(value), write(value)) for value in values]
        return []


def cost_chart(models: Sequence[Candidate]) -> RowChart:
    """Form of each model, from the cheapest usable graph to the most expensive, unknown costs last;
    `models` are in order of rank. A green model is beaten by no cheaper one.
    """
    rows: list[tuple[str, Measurement, str]] = []
    best = -1.0
    for model in sorted(models[:MAX_MODELS], key=lambda model: model.summary.price[0]):
        form, cost = model.summary.form, model.summary.cost.per_usable
        if form.value is not None:
            price = "cost not measured" if cost is None else numbers.money(cost)
            is_best = cost is not None and form.value > best
            rows.append((f"{model.name}, {price}", form, "good" if is_best else ""))
            best = max(best, form.value)
    note = (
        "From the cheapest to the most expensive usable graph, with the interval of form. "
        "Green: no cheaper model has a higher form."
    )
    return interval_chart("Form and cost", rows, note=note)


def interval_chart(
    title: str,
    rows: Sequence[tuple[str, Measurement, str]],
    *,
    note: str,
    margin: float | None = None,
    write: Callable[[float | None], str] = numbers.score,
) -> RowChart:
    """Values with their intervals on one scale, in the order given; each row has a name, a
    measurement and a tone (good or bad, else neutral). `write` prints a value.

    Differences have a `margin`: a line marks 0, and a band those that are too small to matter.
    """
    measured = [value for _, found, _ in rows for value in (found.value, found.low, found.high)]
    values = [value for value in measured if value is not None]
    if margin is not None:
        values += [-margin, 0.0, margin]
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.04 * (high - low) or 0.5
    scale = Scale(low - room, high + room)

    drawn = [
        ChartRow(
            name=name,
            text=write(found.value),
            at=scale.place(found.value),
            low=scale.place(found.low),
            high=scale.place(found.high),
            tone=tone,
        )
        for name, found, tone in rows
    ]
    band = None if margin is None else (scale.percent(-margin), scale.percent(margin))
    zero = None if margin is None else scale.percent(0.0)
    return RowChart(title, note, drawn, scale.ticks(write), zero, band)
