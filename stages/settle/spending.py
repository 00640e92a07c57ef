"""Error spending over planned looks: the confidence of the interval at each look, and the chance to stop at it. Pure.

A look is a comparison with so many samples per cell. At information I its estimate has the variance 1 / I, and two looks i before j have
the correlation sqrt(I_i / I_j): with t = I / I_last, `B(t) = sqrt(t) Z` is a Brownian motion. Its distribution is carried from look
to look on a grid, which gives the probabilities of a multivariate normal distribution without random numbers.

Sources: K. K. G. Lan and D. L. DeMets, Discrete Sequential Boundaries for Clinical Trials, Biometrika 70 (1983) 659-663; the
recursion is that of P. Armitage, C. K. McPherson and B. C. Rowe, J. R. Statist. Soc. A 132 (1969) 235-244.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from stages.contracts.settlement import Boundary

_SPENT: Mapping[Boundary, Callable[[float, float], float]] = {
    "obrien-fleming": lambda error, t: 2 * float(ndtr(ndtri(error / 2) / math.sqrt(t))),
    "pocock": lambda error, t: error * math.log(1 + (math.e - 1) * t),
}
"""The error that is spent up to t, 0 to 1: a part of all of it, which is spent at t = 1."""
_STEP = 0.04
"""Of the grid, in standard deviations of the last look."""
_CENTRES = np.arange(-225, 226) * _STEP
_ENDS = (np.arange(-225, 227) - 0.5) * _STEP
_UNBOUNDED = np.concatenate([[-np.inf], _ENDS[1:-1], [np.inf]])


def confidences(
    information: Sequence[float], confidence: float, boundary: Boundary
) -> tuple[float, ...]:
    """The confidence of the interval at each look, so that the chance that any of them errs to one side is (1 - confidence) / 2.

    The information is above 0 and does not decrease; a look that adds none spends none: its confidence is 1. The error is spent
    little at early looks (O'Brien and Fleming), or about equally (Pocock).

    >>> [round(each, 4) for each in confidences([1, 2, 3, 4], 0.95, "obrien-fleming")]
    [1.0, 0.997, 0.9817, 0.9561]
    >>> [round(each, 3) for each in confidences([1, 2, 3, 4], 0.95, "pocock")]
    [0.982, 0.982, 0.982, 0.981]
    """
    error, spent, walk = (1 - confidence) / 2, 0.0, _Walk()
    found: list[float] = []
    for share in (each / information[-1] for each in information):
        walk.advance(share)
        wanted = _SPENT[boundary](error, share) - spent
        limit = walk.upper_limit(wanted) if wanted > 1e-12 else math.inf
        walk.stop(limit, math.inf)
        spent += max(wanted, 0.0)
        found.append(1 - 2 * float(ndtr(-limit / math.sqrt(share))))
    return tuple(found)


def chances(
    information: Sequence[float], difference: float, stops: Sequence[Sequence[tuple[float, float]]]
) -> tuple[float, ...]:
    """For each look the chance to stop at it and not before: that the estimate is in one of the look's ranges (`stops`).

    The information is above 0 and does not decrease; `difference` is the true one; the ranges of a look do not overlap.

    >>> [round(each, 3) for each in chances([100, 100], 0.0, [[(0.196, math.inf)], [(-math.inf, -0.196)]])]
    [0.025, 0.025]
    """
    last, walk = information[-1], _Walk()
    found: list[float] = []
    for each, ranges in zip(information, stops, strict=True):
        walk.advance(each / last)
        scale = each / last * math.sqrt(last)
        found.append(
            sum(
                walk.stop((low - difference) * scale, (high - difference) * scale)
                for low, high in ranges
            )
        )
    return tuple(found)


class _Walk:
    """The distribution of a Brownian motion over the cells of a grid, without what has been stopped."""

    def __init__(self) -> None:
        self._mass: NDArray[np.float64] = np.zeros(len(_CENTRES))
        self._mass[len(_CENTRES) // 2] = 1.0
        self._time = 0.0

    def advance(self, time: float) -> None:
        """Go on to a time."""
        step = time - self._time
        if step > 1e-9:
            starts = np.flatnonzero(self._mass > 1e-15)
            reached = ndtr((_UNBOUNDED[None, :] - _CENTRES[starts, None]) / math.sqrt(step))
            self._mass = self._mass[starts] @ np.diff(reached, axis=1)
        self._time = time

    def stop(self, low: float, high: float) -> float:
        """Take out what is between two values; returns how much that is."""
        inside = self._inside(low, high)
        taken = float(inside.sum())
        self._mass = self._mass - inside
        return taken

    def upper_limit(self, wanted: float) -> float:
        """The value above which there is so much."""
        return float(
            brentq(lambda value: self._inside(value, math.inf).sum() - wanted, _ENDS[0], _ENDS[-1])
        )

    def _inside(self, low: float, high: float) -> NDArray[np.float64]:
        share: NDArray[np.float64] = (
            np.minimum(high, _ENDS[1:]) - np.maximum(low, _ENDS[:-1])
        ) / _STEP
        return self._mass * np.clip(share, 0.0, 1.0)
