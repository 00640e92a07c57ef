"""Reviews with a known agreement: does the interval cover, and what do forty pairs tell?"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from stages.agree.agreement import Vote, share_of

PAIRS = 32
"""Of forty pairs, four are controls and four are repeats."""
TIES = 0.15
BY_BRIEF, BY_PAIR = 0.5, 0.7
"""How clear the choice is, by brief and by pair: standard deviations of the log-odds."""


class Situation(NamedTuple):
    """The true agreement, and over how many briefs and people it is measured."""

    agreement: float
    briefs: int
    people: int


class AgreementMeasured(NamedTuple):
    """Shares of intervals that hold the truth, or lie above 50 %; and the mean length."""

    covered: float
    above_half: float
    length: float


SITUATIONS = tuple(
    Situation(agreement, briefs, people)
    for agreement in (0.5, 0.6, 0.75, 0.9)
    for briefs in (8, 16, 32)
    for people in (1, 3)
)


def agreement_measured(situation: Situation, *, repetitions: int) -> AgreementMeasured:
    """What `stages.agree` says of reviews that are drawn with a known agreement."""
    generator = np.random.default_rng(
        [situation.briefs, situation.people, round(100 * situation.agreement)]
    )
    centre = _centre(situation.agreement)
    held = above = counted = 0
    length = 0.0
    for _ in range(repetitions):
        found = share_of(_votes(generator, situation, centre))
        if found.low is not None and found.high is not None:
            counted += 1
            held += found.low <= situation.agreement <= found.high
            above += found.low > 0.5
            length += found.high - found.low
    return AgreementMeasured(held / counted, above / counted, length / counted)


def _votes(generator: np.random.Generator, situation: Situation, centre: float) -> Iterator[Vote]:
    brief = generator.normal(centre, BY_BRIEF, situation.briefs)
    for pair in range(PAIRS):
        place = pair % situation.briefs
        probability = expit(brief[place] + generator.normal(0, BY_PAIR))
        for _ in range(situation.people):
            tied, agrees = generator.random(2)
            yield Vote(f"b{place}", 0 if tied < TIES else 1 if agrees < probability else -1, 0.1)


def _centre(agreement: float) -> float:
    """The mean of the log-odds with which the mean probability is the agreement."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    spread = np.hypot(BY_BRIEF, BY_PAIR)
    return float(
        brentq(
            lambda mean: weights @ expit(mean + spread * nodes) / weights.sum() - agreement,
            -10.0,
            10.0,
        )
    )
