"""The charts of the pages: positions in percent, which the browser lays out at any width.

A chart of rows has a name, a track and a value in each row. A chart of points numbers its points,
and the list below it says what each number is: no label can be cut or cover another.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from graph_evaluator.present.page import cells_link, model_page
from graph_evaluator.records.record import Measurement
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.shell import numbers

MAX_MODELS = 40
"""Maximum models of a chart, in order of rank."""
TENFOLD = 10
"""Values whose largest is this many times the smallest are on a logarithmic scale."""
MAX_TICKS = 5
PLOT_HEIGHT = 300
"""Pixels of the plot of a chart of points."""
NEAR_PERCENT = 4.0
"""Points nearer than this in both directions share one mark."""


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
    href: str = ""


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
class ChartPoint:
    """One mark for the models of these numbers, in percent from the left and the bottom."""

    label: str
    x: float
    y: float
    low: float
    high: float
    title: str
    href: str
    is_best: bool = False

    def is_near(self, other: "ChartPoint") -> bool:
        """Whether the marks would cover each other."""
        return abs(self.x - other.x) < NEAR_PERCENT and abs(self.y - other.y) < NEAR_PERCENT

    def with_(self, other: "ChartPoint") -> "ChartPoint":
        """One mark for both."""
        return replace(
            self,
            label=f"{self.label}, {other.label}",
            low=min(self.low, other.low),
            high=max(self.high, other.high),
            title=f"{self.title}; {other.title}",
            is_best=self.is_best or other.is_best,
        )


@dataclass(frozen=True, slots=True)
class PointChart:
    """Points on two scales, and what their numbers mean: name and page."""

    title: str
    note: str
    points: Sequence[ChartPoint]
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    names: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear or logarithmic scale from `low` to `high`."""

    low: float
    high: float
    is_log: bool = False

    def place(self, value: float | None) -> float | None:
        """Where a value is, in percent; None for None."""
        return None if value is None else self.percent(value)

    def percent(self, value: float) -> float:
        """Where a value is, in percent; values beyond the ends are at the ends."""
        transform: Callable[[float], float] = math.log if self.is_log else float
        inside = min(max(value, self.low), self.high)
        first, last = transform(self.low), transform(self.high)
        return round(100 * (transform(inside) - first) / (last - first), 2)

    def ticks(self, write: Callable[[float], str]) -> list[Tick]:
        """At most five places with round values."""
        return [Tick(self.percent(value), write(value)) for value in self._round_values()]

    def _round_values(self) -> list[float]:
        if self.is_log:
            return self._round_values_of_log()
        power = 10.0 ** math.floor(math.log10((self.high - self.low) / MAX_TICKS))
        for step in (power, 2 * power, 5 * power, 10 * power):
            first = math.ceil(self.low / step - 1e-9)
            last = math.floor(self.high / step + 1e-9)
            if last - first < MAX_TICKS:
                return [number * step for number in range(first, last + 1)]
        return []

    def _round_values_of_log(self) -> list[float]:
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        spacing = math.ceil((last - first) / (MAX_TICKS - 1))
        powers = (10.0**exponent for exponent in range(first, last + 1, spacing))
        found = [power for power in powers if self.low <= power <= self.high]
        return found or [self.low, self.high]


def scale_of(values: Sequence[float]) -> Scale:
    """A scale with room at both ends: logarithmic where the values differ tenfold."""
    low, high = min(values), max(values) or 1.0
    if low > 0 and high >= TENFOLD * low:
        return Scale(low / 1.6, high * 1.6, is_log=True)
    return Scale(0.0, high * 1.1)


def charts(models: Sequence[Candidate]) -> Iterator[RowChart | PointChart]:
    """Every chart of the overview that has something to show; `models` are in order of rank."""
    first = models[:MAX_MODELS]
    priced = [
        model
        for model in first
        if model.summary.cost.per_usable is not None and model.summary.form.value is not None
    ]
    timed = [model for model in first if model.summary.latency.p50_ms is not None]
    if priced:
        yield cost_chart(priced, _not_shown(models, priced))
    if timed:
        yield latency_chart(timed, _not_shown(models, timed))


def _not_shown(models: Sequence[Candidate], shown: Sequence[Candidate]) -> str:
    """A sentence that names the models that a chart does not show; empty where there are none."""
    names = [model.name for model in models if model not in shown]
    if not names:
        return ""
    return f" Not shown (not measured, or after {MAX_MODELS} models): {numbers.first_of(names)}."


def cost_chart(models: Sequence[Candidate], left_out: str = "") -> PointChart:
    """Form against the cost of a usable graph; a filled mark is a model that no other beats in
    both.
    """
    x_scale = scale_of([model.summary.cost.per_usable or 0.0 for model in models])
    lowest = min(_form_ends(model)[0] for model in models)
    y_scale = Scale(min(math.floor(lowest * 10) / 10, 0.9), 1.0)
    points = [
        _point(number, model, x_scale, y_scale) for number, model in enumerate(models, start=1)
    ]
    note = (
        "US dollars per usable graph from left to right; form with its interval from bottom to top."
        f" No model beats a filled one in both.{left_out}"
    )
    return PointChart(
        title="Form against cost",
        note=note,
        points=_merge_near(_mark_best(points)),
        x_ticks=x_scale.ticks(numbers.money),
        y_ticks=y_scale.ticks(lambda value: f"{value:.1f}"),
        names=[(model.name, model_page(model.id)) for model in models],
    )


def _form_ends(model: Candidate) -> tuple[float, float]:
    form = model.summary.form
    return form.ends or (form.value or 0.0, form.value or 0.0)


def _point(number: int, model: Candidate, x_scale: Scale, y_scale: Scale) -> ChartPoint:
    cost, form = model.summary.cost.per_usable, model.summary.form.value
    low, high = _form_ends(model)
    return ChartPoint(
        label=str(number),
        x=x_scale.percent(cost or 0.0),
        y=y_scale.percent(form or 0.0),
        low=y_scale.percent(low),
        high=y_scale.percent(high),
        title=f"{model.name}: {numbers.score(form)}, {numbers.money(cost)} per usable graph",
        href=model_page(model.id),
    )


def _mark_best(points: Sequence[ChartPoint]) -> list[ChartPoint]:
    """The points from cheap to dear; those that no other beats in both are marked as best."""
    best_so_far = -1.0
    marked: list[ChartPoint] = []
    for point in sorted(points, key=lambda point: (point.x, -point.y)):
        marked.append(replace(point, is_best=point.y > best_so_far))
        best_so_far = max(best_so_far, point.y)
    return marked


def _merge_near(points: Sequence[ChartPoint]) -> list[ChartPoint]:
    """The points, one mark for those that would cover each other."""
    merged: list[ChartPoint] = []
    for point in points:
        near = [other for other in merged if other.is_near(point)]
        if near:
            merged[merged.index(near[0])] = near[0].with_(point)
        else:
            merged.append(point)
    return merged


def latency_chart(models: Sequence[Candidate], left_out: str = "") -> RowChart:
    """The median and the 95th percentile of each model."""
    medians = [model.summary.latency.p50_ms or 0.0 for model in models]
    slowest = [model.summary.latency.p95_ms or 0.0 for model in models]
    scale = scale_of([*medians, *slowest])
    rows = [
        ChartRow(
            name=model.name,
            text=f"{numbers.duration(median)} to {numbers.duration(slow)}",
            at=scale.percent(median),
            low=scale.percent(median),
            high=scale.percent(slow),
            href=cells_link(model=model.id, sort="-latency"),
        )
        for model, median, slow in zip(models, medians, slowest, strict=True)
    ]
    note = "Successful calls, without queueing: from the median (dot) to the 95th percentile."
    return RowChart("Latency", note + left_out, rows, scale.ticks(numbers.duration))


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
