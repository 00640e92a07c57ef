"""The charts of the pages: positions in percent, which the browser lays out at any width. A row has
a name, a track and a value, so no label is cut or covers another.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from graph_evaluator.records.record import Measurement
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.shell import numbers

MAX_MODELS = 40
"""Maximum models of a chart, in order of rank."""
MAX_TICKS = 5


@dataclass(frozen=True)
class RowChart:
    """Values with their intervals on one scale, in the order given; each row has a name, a
    measurement and a tone (good or bad, else neutral). `write` prints a value.

    Differences have a `margin`: a line marks 0, and a band those that are too small to matter.
    """

    title: str
    note: str
    rows: Sequence[tuple[str, Measurement, str]]
    margin: float | None = None
    write: Callable[[float | None], str] = numbers.score

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest value of the scale."""
        ends = [end for _, row, _ in self.rows for end in (row.value, row.low, row.high)]
        values = [value for value in ends if value is not None]
        if self.margin is not None:
            values += [-self.margin, self.margin]
        low, high = min(values, default=0.0), max(values, default=1.0)
        room = 0.04 * (high - low) or 0.5
        return low - room, high + room

    def place(self, value: float) -> float:
        """Where a value is, in percent of the track."""
        low, high = self.ends
        return round(100 * (value - low) / (high - low), 2)

    def ticks(self) -> list[tuple[float, str]]:
        """At most five places with their labels, which are round values."""
        low, high = self.ends
        power = 10.0 ** math.floor(math.log10((high - low) / MAX_TICKS))
        for step in (power, 2 * power, 5 * power, 10 * power):
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            if last - first < MAX_TICKS:
                values = [number * step for number in range(first, last + 1)]
                return [(self.place(value), self.write(value)) for value in values]
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
    return RowChart("Form and cost", note, rows)
