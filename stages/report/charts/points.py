"""What the charts show, taken from the findings: one record per mark."""

from collections import Counter
from typing import NamedTuple

from stages.report.digest import Digest
from stages.report.leaderboard import Standing
from stages.report.visible_text import cut, visible

MAX_MODELS = 40
"""A chart shows this many models at most, in order of rank."""


class CostPoint(NamedTuple):
    """A model's score against what a valid graph costs, and whether no other model is both better and cheaper."""

    name: str
    cost_usd: float
    score: float
    low: float | None
    high: float | None
    frontier: bool


def cost_points(digest: Digest) -> tuple[CostPoint, ...]:
    """Every model with a score and a known cost, cheapest first."""
    rank_by = digest.leaderboard.rank_by
    known: list[tuple[float, float, Standing]] = []
    for standing in digest.leaderboard.standings:
        score, cost = standing.ranking(rank_by).mean, standing.usage.cost_per_valid_usd
        if score is not None and cost is not None:
            known.append((cost, score, standing))
    known.sort(key=lambda item: (item[0], -item[1], item[2].model_id))
    names = names_of(digest)
    points: list[CostPoint] = []
    best = -1.0
    for cost, score, standing in known:
        estimate = standing.ranking(rank_by)
        points.append(CostPoint(names[standing.model_id], cost, score, estimate.low, estimate.high, score > best))
        best = max(best, score)
    return tuple(points)


class LatencyPoint(NamedTuple):
    """A model's median and 95th percentile, seconds."""

    name: str
    p50_s: float
    p95_s: float


def latency_points(digest: Digest) -> tuple[LatencyPoint, ...]:
    """Every model with a measured latency, by rank."""
    names = names_of(digest)
    return tuple(
        LatencyPoint(names[standing.model_id], usage.latency_ms_p50 / 1000, usage.latency_ms_p95 / 1000)
        for standing, usage in ((standing, standing.usage) for standing in shown(digest))
        if usage.latency_ms_p50 is not None and usage.latency_ms_p95 is not None
    )


class ProfilePoint(NamedTuple):
    """A model's mean of one sub-dimension, over its valid graphs."""

    name: str
    dimension: str
    sub_score: str
    mean: float


def profile_points(digest: Digest) -> tuple[ProfilePoint, ...]:
    """Every sub-dimension of every model, by rank."""
    names = names_of(digest)
    return tuple(
        ProfilePoint(names[standing.model_id], dimension, legible(name.replace("_", " ")), value)
        for standing in shown(digest)
        for (dimension, _, name), value in ((key.partition("."), value) for key, value in standing.sub_scores.items())
    )


class CodePoint(NamedTuple):
    """How many cells a code occurs in, and whose doing it is."""

    code: str
    doing: str
    cells: int


def code_points(digest: Digest) -> tuple[CodePoint, ...]:
    """Every code, most frequent first."""
    cells: dict[tuple[str, str], int] = {}
    for failure in digest.failures:
        key = (failure.code, failure.doing)
        cells[key] = cells.get(key, 0) + failure.cells
    ordered = sorted(cells.items(), key=lambda item: (-item[1], item[0]))
    return tuple(CodePoint(legible(code), doing, count) for (code, doing), count in ordered)


def shown(digest: Digest) -> tuple[Standing, ...]:
    """The models that charts show."""
    return digest.leaderboard.standings[:MAX_MODELS]


def names_of(digest: Digest) -> dict[str, str]:
    """Every model's name in charts, by id: its display name, or its id where two models share that."""
    standings = digest.leaderboard.standings
    shown_as = {one.model_id: legible(one.display_name) for one in standings}
    seen = Counter(shown_as.values())
    return {key: name if seen[name] == 1 else legible(key) for key, name in shown_as.items()}


def legible(text: str) -> str:
    """A text as a chart can show it: short, and without what the charts' library cannot write."""
    return cut(visible(text), 60)
