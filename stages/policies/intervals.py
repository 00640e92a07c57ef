"""How far the estimate of a policy may be from the mean of endless further runs on the same briefs.
Pure.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from stages.contracts.policy import PolicySteps
from stages.policies.estimation import Answers, Bools, Floats, StoredAnswer, run_steps
from stages.policies.latency import seconds_in_order
from stages.statistics.interval import Interval

DATA_SETS = 200
"""Sets of answers that are drawn."""
MIXED_BRIEFS = 0.25
"""Imaginary briefs on which half of the answers are accepted."""
IMAGINARY = 0.5
"""Imaginary answers of each model that are accepted, and that are not."""


@dataclass(frozen=True, slots=True)
class RunMeans:
    """A run of a policy, mean over briefs: its score, a failure counting 0, and its dollars; and
    the 95th percentile of its seconds. None: not measured.
    """

    score: float
    usd: float | None
    p95_s: float | None


@dataclass(frozen=True, slots=True)
class RunIntervals:
    """The intervals of `RunMeans`, given the briefs."""

    score: Interval
    usd: Interval | None
    p95_s: Interval | None


def intervals_given_briefs(
    policy: PolicySteps,
    briefs: Sequence[Answers],
    means: RunMeans,
    confidence: float,
    random: np.random.Generator,
) -> RunIntervals | None:
    """The intervals of the means that were estimated from the answers to `briefs`; None where no
    brief has two answers of a model, as nothing is known about further ones then.

    A parametric bootstrap of the estimator: `DATA_SETS` sets of as many answers as there are, drawn
    from what `_Model` says of further answers, and the policy on each of them. With s the standard
    deviation over the sets, t that of Student's t at the answers less the briefs: the score is in
    mean ± t s, dollars and seconds are in mean / f to mean f with f = exp(t s / mean of the sets).
    `python -m bench.calibration policies` measures the coverage.

    Sources: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap (1993), chapter 6; the
    chances of briefs as in C. N. Morris, Parametric Empirical Bayes Inference, JASA 78 (1983)
    47-55; imaginary answers as in A. Agresti and B. A. Coull, Approximate is Better than Exact,
    American Statistician 52 (1998) 119-126.
    """
    models = {
        model: _Model(policy, [answers[model] for answers in briefs]) for model in policy.models
    }
    freedom = min(model.freedom for model in models.values()) / 2
    if not freedom:
        return None
    score, usd, p95_s = _repeat(policy, models, random)
    quantile = float(stdtrit(freedom, 0.5 + confidence / 2))
    half = quantile * float(score.std())
    return RunIntervals(
        Interval(means.score - half, means.score + half).within(0.0, 1.0),
        _scaled(means.usd, usd, quantile),
        _scaled(means.p95_s, p95_s, quantile),
    )


def _scaled(mean: float | None, repeated: Floats, quantile: float) -> Interval | None:
    """The interval of an amount; None where it is not measured."""
    if mean is None or np.isnan(repeated).any():
        return None
    if not mean:
        return Interval(0.0, 0.0)
    factor = math.exp(quantile * float(repeated.std() / repeated.mean()))
    return Interval(mean / factor, mean * factor)


class _Model:
    """The answers of one model, and what further ones are like.

    Their chance to be accepted is the brief's share, moved towards the share over all briefs the
    more, the less briefs differ beyond chance. Score, dollars and the logarithm of the seconds are,
    apart for the accepted ones and for the others, the brief's mean plus how far some answer of any
    brief is from the mean of its own brief.
    """

    def __init__(self, policy: PolicySteps, briefs: Sequence[Sequence[StoredAnswer]]) -> None:
        self.counts = np.array([len(answers) for answers in briefs])
        self.freedom = int(self.counts.sum()) - len(briefs)
        self._brief = np.repeat(np.arange(len(briefs)), self.counts)
        answers = list(itertools.chain.from_iterable(briefs))
        rows = [(answer.score or 0.0, answer.usd, answer.seconds) for answer in answers]
        values = np.array(rows, dtype=float).T
        values[2] = np.log(np.maximum(values[2], 0.001))
        usable = [answer.score is not None for answer in answers]
        accepted = np.array(list(map(policy.accepts, usable, values[0])))
        shares = np.bincount(self._brief, accepted) / self.counts
        self._chances = _chances(shares, self.counts)
        self._rejected = self._kind(values, ~accepted, unseen_score=0.0)
        self._accepted = self._kind(values, accepted, unseen_score=1.0)

    def _kind(self, values: Floats, chosen: Bools, unseen_score: float) -> tuple[Floats, Floats]:
        """The means of the chosen answers by brief, and the deviations of answers from them, scaled
        to make up for the degrees of freedom that the means take. Rows are kinds of values.

        Without chosen answers all are taken, with the unseen score.
        """
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
            return means, own - overall
        return means, (own - means[:, brief]) * math.sqrt(len(brief) / freedom)

    def draw(self, random: np.random.Generator) -> tuple[Bools, Floats]:
        """As many further answers, often: which are accepted (sets, answers), and their score,
        dollars and seconds before these axes.
        """
        shape = (DATA_SETS, len(self._brief))
        accepted = random.random(shape) < self._chances[self._brief]
        score, usd, log_s = np.where(
            accepted, self._values(self._accepted, random), self._values(self._rejected, random)
        )
        return accepted, np.array([score.clip(0, 1), usd.clip(0), np.exp(log_s)])

    def _values(self, kind: tuple[Floats, Floats], random: np.random.Generator) -> Floats:
        means, deviations = kind
        picked = random.integers(deviations.shape[1], size=(DATA_SETS, len(self._brief)))
        values: Floats = means[:, None, self._brief] + deviations[:, picked]
        return values


def _chances(shares: Floats, counts: Floats) -> Floats:
    """The chance of each brief that an answer is accepted, from the share of those at hand."""
    briefs = len(shares)
    variances = shares * (1 - shares) * counts / np.maximum(counts - 1, 1)
    within = float(variances.sum() + MIXED_BRIEFS / 4) / briefs
    between = 0.0
    if briefs > 1:
        between = max(float(shares.var(ddof=1) - within * (1 / counts).mean()), 0.0)
    total = counts.sum()
    overall = ((shares * counts).sum() + IMAGINARY) / (total + 2 * IMAGINARY)
    kept = between / (between + within / counts)
    chances: Floats = overall + kept * (shares - overall)
    return chances


def _repeat(
    policy: PolicySteps, models: Mapping[str, _Model], random: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Score, dollars and the 95th percentile of the seconds, of each set of answers."""
    drawn = {name: model.draw(random) for name, model in models.items()}
    groups: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for brief in range(len(next(iter(models.values())).counts)):
        groups[tuple(int(model.counts[brief]) for model in models.values())].append(brief)
    score, usd = np.zeros(DATA_SETS), np.zeros(DATA_SETS)
    seconds: list[Floats] = []
    for counts, briefs in groups.items():
        accepted, values = {}, {}
        for (name, model), count in zip(models.items(), counts, strict=True):
            first = np.cumsum([0, *model.counts])[briefs]
            places = first[:, None] + np.arange(count)
            accepted[name], values[name] = drawn[name][0][:, places], drawn[name][1][:, :, places]
        ranks = {name: values[name][0] + accepted[name] for name in models}
        for step, run in zip(policy.steps, run_steps(policy, accepted, ranks), strict=True):
            score += (run.counted * values[step.model][0]).sum(axis=(1, 2))
            usd += (run.called * values[step.model][1]).sum(axis=(1, 2))
        for _ in range(min(counts)):
            of_runs = {name: values[name][2] for name in models}
            seconds.append(seconds_in_order(policy, accepted, of_runs))
            accepted = {name: np.roll(accepted[name], 1, axis=-1) for name in models}
            values = {name: np.roll(values[name], 1, axis=-1) for name in models}
    briefs_count = sum(map(len, groups.values()))
    p95_s = np.quantile(np.concatenate(seconds, axis=1), 0.95, axis=1)
    return score / briefs_count, usd / briefs_count, p95_s
