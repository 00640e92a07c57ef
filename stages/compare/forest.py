"""A forest plot: the differences with their intervals on one axis, the zone of differences that do not matter behind them."""

from dataclasses import dataclass

from stages.compare.effect import Effect

WIDTH = 640
LABEL = 190
ROW = 28
TOP = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One row in pixels: the point, the ends of its interval, the row's middle, the verdict that colours it."""

    name: str
    verdict: str
    middle: float
    point: float | None
    low: float | None
    high: float | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """The plot in pixels: its size, the rows, the zone's ends, the axis marks with their labels."""

    width: int
    height: int
    label: int
    top: int
    zone_left: float
    zone_right: float
    zero: float
    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, str], ...]


def forest(rows: tuple[tuple[str, Effect], ...], min_difference: float) -> Forest:
    """The plot of named effects; those that could not be measured have a row without a point."""
    reach = max([min_difference * 2, 0.01, *(_reach(effect) for _, effect in rows)]) * 1.05
    step = next((size for size in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if reach / size <= 4), 1.0)

    def place(value: float) -> float:
        return round(LABEL + (WIDTH - LABEL - 12) * (value + reach) / (2 * reach), 1)

    marks = range(-int(reach / step), int(reach / step) + 1)
    return Forest(
        width=WIDTH,
        height=TOP + ROW * len(rows) + 30,
        label=LABEL,
        top=TOP,
        zone_left=place(-min_difference),
        zone_right=place(min_difference),
        zero=place(0.0),
        bars=tuple(
            Bar(
                name=name if len(name) <= 26 else name[:25] + "…",
                verdict=effect.judgement.verdict.replace(" ", "-"),
                middle=TOP + ROW * index + ROW / 2,
                point=None if effect.found.value is None else place(effect.found.value),
                low=None if effect.interval is None else place(effect.interval.low),
                high=None if effect.interval is None else place(effect.interval.high),
                text=f"{name}: {effect.judgement.verdict}",
            )
            for index, (name, effect) in enumerate(rows)
        ),
        ticks=tuple((place(mark * step), f"{mark * step:+.3g}" if mark else "0") for mark in marks),
    )


def _reach(effect: Effect) -> float:
    ends = [effect.found.value or 0.0]
    if effect.interval is not None:
        ends += [effect.interval.low, effect.interval.high]
    return max(abs(end) for end in ends)
