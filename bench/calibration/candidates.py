"""The methods that the interval was chosen from, over many samples at once: (repetitions, briefs) in, two ends out."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

Rows = NDArray[np.float64]
Ends = tuple[Rows, Rows]
Method = Callable[[Rows], Ends]
DRAWS = 999


def adjusted(rows: Rows) -> Ends:
    """What the product uses (`stages.statistics.interval`), over arrays; the tests hold the two together."""
    count = rows.shape[1]
    mean, deviation, population = rows.mean(1), rows.std(1, ddof=1), rows.std(1)
    spread = np.where(population > 0, population, 1.0)
    skewness = ((rows - mean[:, None]) ** 3).mean(1) / spread**3
    kurtosis = np.maximum(((rows - mean[:, None]) ** 4).mean(1) / spread**4, 1.0)
    quantile = stdtrit(
        np.minimum(count - 1.0, 2 * count / (kurtosis - (count - 3) / (count - 1))), 0.975
    )
    half = quantile * deviation / np.sqrt(count)
    shift = skewness * deviation * (1 + 2 * quantile**2) / (6 * count)
    return mean - half + np.minimum(shift, 0), mean + half + np.maximum(shift, 0)


def student(rows: Rows) -> Ends:
    """Student's t."""
    count = rows.shape[1]
    half = float(stdtrit(count - 1, 0.975)) * rows.std(1, ddof=1) / np.sqrt(count)
    return rows.mean(1) - half, rows.mean(1) + half


def percentile(rows: Rows) -> Ends:
    """The plain bootstrap: quantiles of the resampled means."""
    return _quantiles(
        _resampled(rows).mean(2), np.full(len(rows), 0.025), np.full(len(rows), 0.975)
    )


def bca(rows: Rows) -> Ends:
    """The bootstrap, bias-corrected and accelerated (Efron 1987)."""
    means, mean = _resampled(rows).mean(2), rows.mean(1)
    below = (means < mean[:, None] - 1e-12).mean(1) + 0.5 * (
        np.abs(means - mean[:, None]) <= 1e-12
    ).mean(1)
    bias = ndtri(np.clip(below, 1 / DRAWS, 1 - 1 / DRAWS))
    centred = rows - mean[:, None]
    squares = (centred**2).sum(1)
    acceleration = np.divide(
        (centred**3).sum(1), 6 * squares**1.5, out=np.zeros(len(rows)), where=squares > 0
    )
    levels = [
        np.asarray(ndtr(bias + (bias + z) / (1 - acceleration * (bias + z))))
        for z in (-1.959964, 1.959964)
    ]
    return _quantiles(means, levels[0], levels[1])


def bootstrap_t(rows: Rows) -> Ends:
    """The studentised bootstrap."""
    count, drawn = rows.shape[1], _resampled(rows)
    errors = drawn.std(2, ddof=1) / np.sqrt(count)
    ratios = np.where(
        errors > 0, (drawn.mean(2) - rows.mean(1)[:, None]) / np.where(errors > 0, errors, 1), 0.0
    )
    error = rows.std(1, ddof=1) / np.sqrt(count)
    low, high = _quantiles(ratios, np.full(len(rows), 0.025), np.full(len(rows), 0.975))
    return rows.mean(1) - high * error, rows.mean(1) - low * error


def flipped(rows: Rows) -> Ends:
    """The sign-flip test inverted: every centre that it does not reject."""
    signs = np.random.default_rng(1).choice([-1.0, 1.0], (DRAWS, rows.shape[1]))
    sums, balance, mean = rows @ signs.T / rows.shape[1], signs.mean(1), rows.mean(1)
    error = rows.std(1, ddof=1) / np.sqrt(rows.shape[1])
    ends = []
    for direction in (-1, 1):
        inside, outside = mean.copy(), mean + direction * 12 * error
        for _ in range(24):
            middle = (inside + outside) / 2
            far = np.abs(sums - middle[:, None] * balance) >= np.abs(mean - middle)[:, None] - 1e-12
            rejected = far.mean(1) <= 0.05
            inside, outside = (
                np.where(rejected, inside, middle),
                np.where(rejected, middle, outside),
            )
        ends.append(inside)
    return ends[0], ends[1]


CANDIDATES: dict[str, Method] = {
    "t, adjusted": adjusted,
    "Student's t": student,
    "percentile bootstrap": percentile,
    "BCa bootstrap": bca,
    "bootstrap-t": bootstrap_t,
    "sign flips inverted": flipped,
}


def with_equal_rows(method: Method) -> Method:
    """The method with the product's answer where all differences are equal, so that the candidates differ in the rest alone."""

    def ends(rows: Rows) -> Ends:
        low, high = method(rows)
        equal = np.ptp(rows, axis=1) <= 1e-12
        share = 1 - 0.05 ** (1 / rows.shape[1])
        first = rows[:, 0]
        low = np.where(equal, first - share * (first + 1), low)
        high = np.where(equal, first + share * (1 - first), high)
        return np.maximum(low, -1.0), np.minimum(high, 1.0)

    return ends


def _resampled(rows: Rows) -> Rows:
    picked = np.random.default_rng(1).integers(0, rows.shape[1], (DRAWS, rows.shape[1]))
    return rows[:, picked]


def _quantiles(values: Rows, low: Rows, high: Rows) -> Ends:
    ordered = np.sort(values, axis=1)
    row = np.arange(len(values))
    places = [
        np.clip(np.rint(level * (values.shape[1] - 1)).astype(int), 0, values.shape[1] - 1)
        for level in (low, high)
    ]
    return ordered[row, places[0]], ordered[row, places[1]]
