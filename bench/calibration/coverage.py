"""How often an interval holds the truth, and how often it is on the wrong side of it: the product's own functions, and others."""

from collections.abc import Callable, Iterable
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from scipy.special import ndtri

from bench.calibration.candidates import CANDIDATES, with_equal_rows
from bench.calibration.populations import (
    UNANSWERED,
    Population,
    Scores,
    differences,
    expected,
    truth,
)
from stages.statistics.estimates import difference_of, score_of
from stages.statistics.interval import Interval, mean_interval, share_interval

EFFECT = 0.03
BRIEFS = (8, 16, 25, 40)
MEANINGFUL = 0.02
"""The default of compare.min_difference."""


class Covered(NamedTuple):
    """Shares of the repetitions: the interval holds the truth, lies above it, below it; *better* and *worse* are the verdicts.

    `length` is the mean length of the intervals.
    """

    population: str
    method: str
    models: int
    briefs: int
    samples: int
    holds: float
    above: float
    below: float
    better: float
    worse: float
    length: float


def difference_coverage(
    population: Population,
    models: int,
    briefs: int,
    samples: int,
    effect: float,
    *,
    repetitions: int,
    seed: int = 0,
) -> Covered:
    """`stages.statistics.estimates.difference_of` at 95 %."""
    base, head = draw(population, models, briefs, samples, effect, repetitions, seed)
    found = [difference_of(sides(old), sides(new)) for old, new in zip(base, head, strict=True)]
    rows = [(each.value, each.low, each.high) for each in found if each.value is not None]
    target, _ = truth(population, effect, models)
    return covered(
        population, "product", models, briefs, samples, np.array(rows, dtype=np.float64), target
    )


def score_coverage(
    population: Population, briefs: int, samples: int, *, repetitions: int
) -> tuple[Covered, Covered]:
    """`stages.statistics.estimates.score_of` at 95 % on the head's answers, and `mean_interval` over the briefs' means."""
    _, head = draw(population, 1, briefs, samples, EFFECT, repetitions, 0)
    _, target = truth(population, EFFECT)
    product = [score_of(sides(each)["m0"]) for each in head]
    plain = [
        (row := each[~np.isnan(each)], mean_interval(row.tolist())) for each in expected(head)[:, 0]
    ]
    two = np.array(
        [(each.value, each.low, each.high) for each in product if each.low is not None],
        dtype=np.float64,
    )
    one = np.array(
        [(row.mean(), each.low, each.high) for row, each in plain if each is not None],
        dtype=np.float64,
    )
    return (
        covered(population, "two parts", 1, briefs, samples, two, target),
        covered(population, "mean_interval", 1, briefs, samples, one, target),
    )


def candidate_coverage(
    population: Population, briefs: int, samples: int, *, repetitions: int, effect: float = EFFECT
) -> Iterable[Covered]:
    """Every candidate on the same draws of one model; a population with gaps is left to `difference_coverage`."""
    base, head = draw(population, 1, briefs, samples, effect, repetitions, 0)
    target, _ = truth(population, effect)
    rows = differences(base, head)
    for name, method in CANDIDATES.items():
        ends = np.stack([rows.mean(axis=1), *with_equal_rows(method)(rows)], axis=1)
        yield covered(population, name, 1, briefs, samples, ends, target)
    for name, of_share in SHARES.items():
        with patch("stages.statistics.estimates.share_interval", of_share):
            found = [
                difference_of(sides(old), sides(new)) for old, new in zip(base, head, strict=True)
            ]
        ends = np.array([(each.value, each.low, each.high) for each in found], dtype=np.float64)
        yield covered(population, name, 1, briefs, samples, ends, target)


def wilson(share: float, count: float, confidence: float = 0.95) -> Interval:
    """Wilson's interval of a share."""
    z = float(ndtri(0.5 + confidence / 2))
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = (
        z
        / (1 + z * z / count)
        * float(np.sqrt(share * (1 - share) / count + z * z / (4 * count * count)))
    )
    return Interval(max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


SHARES: dict[str, Callable[[float, float, float], Interval]] = {
    "two parts, Wilson": wilson,
    "two parts, Jeffreys": share_interval,
}


def draw(
    population: Population,
    models: int,
    briefs: int,
    samples: int,
    effect: float,
    repetitions: int,
    seed: int,
) -> tuple[Scores, Scores]:
    """A draw with a seed of its own."""
    generator = np.random.default_rng(
        [seed, models, briefs, samples, round(effect * 1000), *population.name.encode()]
    )
    return population.draw(generator, (repetitions, models, briefs, samples), effect)


def sides(scores: Scores) -> dict[str, dict[str, list[float | None]]]:
    """One repetition's (models, briefs, samples) as the product takes it: model to brief to the answered samples."""
    return {
        f"m{model}": {
            f"b{brief:03}": [
                None if np.isnan(score) else float(score) for score in row if score != UNANSWERED
            ]
            for brief, row in enumerate(rows)
        }
        for model, rows in enumerate(scores)
    }


def covered(
    population: Population,
    method: str,
    models: int,
    briefs: int,
    samples: int,
    rows: Scores,
    target: float,
) -> Covered:
    """The shares over rows of estimate, lower and upper end."""
    value, low, high = rows.T
    return Covered(
        population.name, method, models, briefs, samples,
        holds=float(np.mean((low <= target) & (target <= high))),
        above=float(np.mean(low > target)),
        below=float(np.mean(high < target)),
        better=float(np.mean((low > 0) & (value >= MEANINGFUL))),
        worse=float(np.mean((high < 0) & (value <= -MEANINGFUL))),
        length=float(np.mean(high - low)),
    )  # fmt: skip
