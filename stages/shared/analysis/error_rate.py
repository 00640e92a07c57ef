"""How several intervals share one error rate: parts, planned analyses, Holm's procedure. Pure."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

Tested = TypeVar("Tested")

ANALYSIS_SHARES = ((0.0, 0.0), (1 / 8, 0.02), (1 / 4, 0.10), (1 / 2, 0.40), (1.0, 1.0))
"""Share of the last analysis's samples, and of the error rate used up to there; linear between."""


def divided(confidence: float, parts: int) -> float:
    """The confidence of each of `parts` intervals that share one error rate (Bonferroni)."""
    return 1.0 - (1.0 - confidence) / max(1, parts)


def confidence_of_test(confidence: float, number: int) -> float:
    """The confidence of the k-th test on the same data, k from 1: its error rate is that of all
    tests together over k (k + 1), however many follow.

    >>> [round(confidence_of_test(0.95, number), 4) for number in (1, 2, 3)]
    [0.975, 0.9917, 0.9958]
    """
    return 1 - (1 - confidence) / (number * (number + 1))


def analysis_confidences(samples: Sequence[int], confidence: float) -> tuple[float, ...]:
    """The confidence of the interval at each analysis, of so many samples per cell, increasing.

    The error rate is shared by fixed weights, 0.02, 0.08, 0.3 and 0.6 for 1, 2, 4 and 8 samples, so
    that the intervals of all analyses hold together with `confidence` (Bonferroni).

    >>> [round(level, 4) for level in analysis_confidences([1, 2, 4, 8], 0.95)]
    [0.999, 0.996, 0.985, 0.97]
    """
    parts, shares = zip(*ANALYSIS_SHARES, strict=True)
    used = np.interp([0.0, *(count / samples[-1] for count in samples)], parts, shares)
    return tuple(1 - (1 - confidence) * float(after - before) for before, after in pairwise(used))


def step_down(
    tests: Mapping[str, Callable[[float], Tested]],
    confidence: float,
    is_settled: Callable[[Tested], bool],
) -> dict[str, Tested]:
    """Tests that share one error rate, each at the confidence at which it is judged: Holm.

    `tests` gives each at a given confidence; `confidence` is that of all together. All m are looked
    at with the error rate divided by m; those that are settled stay as they are, the others are
    looked at with the rate divided by their number, until none is settled.

    Source: S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scand. J. Statist. 6
    (1979) 65-70.
    """
    judged: dict[str, Tested] = {}
    open_names = list(tests)
    while open_names:
        level = divided(confidence, len(open_names))
        judged |= {name: tests[name](level) for name in open_names}
        still_open = [name for name in open_names if not is_settled(judged[name])]
        if len(still_open) == len(open_names):
            break
        open_names = still_open
    return judged
