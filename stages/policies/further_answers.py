"""What further answers of a model to the same briefs are like, from those that are stored. Pure."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stages.contracts.policy import PolicySteps
from stages.policies.estimation import AnswerArrays, Bools, Floats, StoredAnswer, arrays_of

MIXED_BRIEFS = 0.1
"""Imaginary briefs on which half of the answers are accepted."""
IMAGINARY = 0.5
"""Imaginary answers of each model that are accepted, and as many that are not."""
LEAST_SECONDS = 0.001


class FurtherAnswers:
    """The answers of one model, and what further ones are like.

    The chance of a brief that an answer is accepted is the share of those at hand, moved towards
    the share over all briefs the more, the less briefs differ beyond chance. Score, dollars and the
    logarithm of the seconds are, apart for the accepted answers and for the others, the brief's
    mean plus how far some answer of any brief is from the mean of its own brief. Half the variance
    of these seconds is normal: a further answer may be slower than all at hand.

    Source of the chances: C. N. Morris, Parametric Empirical Bayes Inference, JASA 78 (1983) 47-55.
    """

    def __init__(self, policy: PolicySteps, briefs: Sequence[Sequence[StoredAnswer]]) -> None:
        self.counts = np.array([len(answers) for answers in briefs])
        self._brief = np.repeat(np.arange(len(briefs)), self.counts)
        answers = arrays_of(policy, list(itertools.chain.from_iterable(briefs)))
        accepted = answers.accepted
        log_seconds = np.log(np.maximum(answers.seconds, LEAST_SECONDS))
        values = np.array([answers.score, answers.usd, log_seconds])
        shares = np.bincount(self._brief, accepted) / self.counts
        self._chances = _chances(shares, self.counts)
        self._rejected = self._kind(values, ~accepted, unseen_score=0.0)
        self._accepted = self._kind(values, accepted, unseen_score=1.0)

    @property
    def freedom(self) -> int:
        """How many answers there are more than briefs."""
        return int(self.counts.sum()) - len(self.counts)

    def draw(self, sets: int, random: np.random.Generator) -> AnswerArrays:
        """As many answers as are stored, in the order of the briefs, in each of the sets."""
        accepted = random.random((sets, len(self._brief))) < self._chances[self._brief]
        score, usd, log_seconds = np.where(
            accepted,
            self._values(self._accepted, sets, random),
            self._values(self._rejected, sets, random),
        )
        return AnswerArrays(accepted, score.clip(0, 1), usd.clip(0), np.exp(log_seconds))

    def _values(self, kind: "_Kind", sets: int, random: np.random.Generator) -> Floats:
        picked = random.integers(kind.deviations.shape[1], size=(sets, len(self._brief)))
        deviations = kind.deviations[:, picked]
        normal = kind.deviations[2].std() * random.standard_normal(picked.shape)
        deviations[2] = (deviations[2] + normal) / math.sqrt(2)
        values: Floats = kind.means[:, None, self._brief] + deviations
        return values

    def _kind(self, values: Floats, chosen: Bools, unseen_score: float) -> "_Kind":
        """The chosen answers; where there are none all answers, with the unseen score."""
        if not chosen.any():
            values = np.vstack([np.full(chosen.shape, unseen_score), values[1:]])
            chosen = np.full(chosen.shape, True)
        brief, own = self._brief[chosen], values[:, chosen]
        counts = np.bincount(brief, minlength=len(self.counts))
        sums = np.array([np.bincount(brief, row, len(self.counts)) for row in own])
        overall = own.mean(axis=1, keepdims=True)
        means = np.where(counts, sums / np.maximum(counts, 1), overall)
        freedom = len(brief) - np.count_nonzero(counts)
        if not freedom:
            return _Kind(means, own - overall)
        return _Kind(means, (own - means[:, brief]) * math.sqrt(len(brief) / freedom))


@dataclass(frozen=True, slots=True)
class _Kind:
    """The accepted answers, or the others: the means of score, dollars and the logarithm of the
    seconds by brief, and how far answers are from them, scaled to the variance without bias.
    """

    means: Floats
    deviations: Floats


def _chances(shares: Floats, counts: NDArray[np.int64]) -> Floats:
    """The chance of each brief that an answer is accepted, from the share of those at hand."""
    briefs = len(shares)
    variances = shares * (1 - shares) * counts / np.maximum(counts - 1, 1)
    within = float(variances.sum() + MIXED_BRIEFS / 4) / briefs
    between = 0.0
    if briefs > 1:
        between = max(float(shares.var(ddof=1) - within * (1 / counts).mean()), 0.0)
    accepted = float((shares * counts).sum())
    overall = (accepted + IMAGINARY) / (float(counts.sum()) + 2 * IMAGINARY)
    kept = between / (between + within / counts)
    chances: Floats = overall + kept * (shares - overall)
    return chances
