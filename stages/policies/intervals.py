"""How far the estimate of a policy may be from the mean of endless further runs on the same briefs.
Pure.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from stages.contracts.policy import PolicySteps
from stages.policies.estimation import AnswerArrays, Answers, BriefEstimate, Floats, run_steps
from stages.policies.further_answers import FurtherAnswers
from stages.policies.latency import seconds_in_order
from stages.statistics.interval import Interval

SETS = 200
"""Sets of further answers that are drawn."""
LEAST_FREEDOM = 8
"""Answers of a model beyond one for each brief; fewer say too little of how answers differ."""


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
    """The intervals of `RunMeans`, given the briefs; None: not known."""

    score: Interval | None = None
    usd: Interval | None = None
    p95_s: Interval | None = None


def means_of_runs(estimates: Sequence[BriefEstimate], seconds: Sequence[Floats] | None) -> RunMeans:
    """The means over briefs, one at least; `seconds` are of runs that were drawn on each."""
    costs = [estimate.usd for estimate in estimates]
    known = [usd for usd in costs if usd is not None]
    return RunMeans(
        math.fsum(estimate.score.expected for estimate in estimates) / len(estimates),
        math.fsum(known) / len(known) if len(known) == len(costs) else None,
        None if seconds is None else float(np.quantile(np.concatenate(seconds), 0.95)),
    )


def intervals_given_briefs(
    policy: PolicySteps,
    briefs: Sequence[Answers],
    means: RunMeans,
    confidence: float,
    random: np.random.Generator,
) -> RunIntervals:
    """The intervals of the means that were estimated from the answers to `briefs`. None is known
    where a model has fewer than `LEAST_FREEDOM` answers more than there are briefs.

    A bootstrap of the estimate: the policy is estimated from each of `SETS` sets of further
    answers, as many as there are. With s the standard deviation over the sets and t that of
    Student's t, the score is in mean ± t s; dollars and seconds are in mean / f to mean f, with f =
    exp(t s / mean over the sets). Of n answers to b briefs t has n - b degrees of freedom; half of
    them for dollars and seconds, as the variance of skewed values is known less well.
    `python -m bench.calibration policies` measures the coverage.

    Source: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap (1993), chapter 6.
    """
    models = {
        model: FurtherAnswers(policy, [answers[model] for answers in briefs])
        for model in policy.models
    }
    freedom = min(model.freedom for model in models.values())
    if freedom < LEAST_FREEDOM:
        return RunIntervals()
    of_score = float(stdtrit(freedom, 0.5 + confidence / 2))
    of_amounts = float(stdtrit(freedom / 2, 0.5 + confidence / 2))
    score, usd, p95_s = _estimate_sets(policy, models, random)
    half = of_score * float(score.std())
    return RunIntervals(
        Interval(means.score - half, means.score + half).within(0.0, 1.0),
        _interval_of_amount(means.usd, usd, of_amounts),
        _interval_of_amount(means.p95_s, p95_s, of_amounts),
    )


def _interval_of_amount(mean: float | None, of_sets: Floats, quantile: float) -> Interval | None:
    """None where the amount is not measured."""
    if mean is None or np.isnan(of_sets).any():
        return None
    if not mean:
        return Interval(0.0, 0.0)
    factor = math.exp(quantile * float(of_sets.std() / of_sets.mean()))
    return Interval(mean / factor, mean * factor)


def _estimate_sets(
    policy: PolicySteps, models: Mapping[str, FurtherAnswers], random: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Score, dollars and the 95th percentile of the seconds, from each set of answers.

    Briefs with equally many answers are estimated together. The runs are those in the order of the
    answers, from each of them on: few, so that the percentile is one of them and no mean of two.
    """
    sets = {name: model.draw(SETS, random) for name, model in models.items()}
    firsts = {name: model.counts.cumsum() - model.counts for name, model in models.items()}
    groups: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for brief, counts in enumerate(zip(*(model.counts for model in models.values()), strict=True)):
        groups[counts].append(brief)
    score, usd, seconds = [], [], []
    for counts, briefs in groups.items():
        answers: dict[str, AnswerArrays] = {}
        for shift in range(max(counts)):
            for name, count in zip(models, counts, strict=True):
                order = (np.arange(count) + shift) % count
                answers[name] = sets[name].take(firsts[name][briefs][:, None] + order)
            seconds.append(seconds_in_order(policy, answers))
        of_briefs = mean_runs(policy, answers)
        score.append(of_briefs[0])
        usd.append(of_briefs[1])
    return (
        np.concatenate(score, axis=1).mean(axis=1),
        np.concatenate(usd, axis=1).mean(axis=1),
        np.quantile(np.concatenate(seconds, axis=1), 0.95, axis=1, method="inverted_cdf"),
    )


def mean_runs(policy: PolicySteps, answers: Mapping[str, AnswerArrays]) -> tuple[Floats, Floats]:
    """The mean score and dollars over every order in which the answers, those to one brief along
    the last axis, may be drawn.
    """
    score = usd = np.zeros(answers[policy.steps[0].model].score.shape[:-1])
    for step, run in zip(policy.steps, run_steps(policy, answers), strict=True):
        score = score + (run.counted * answers[step.model].score).sum(axis=-1)
        usd = usd + (run.called * answers[step.model].usd).sum(axis=-1)
    return score, usd
