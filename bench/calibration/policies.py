"""Policies with a known truth: do their intervals given the briefs cover the mean of endless runs?"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import ndtri

from stages.contracts.policy import AcceptRule, MinScore, PolicyStep, PolicySteps
from stages.policies.estimation import (
    Answers,
    Floats,
    StoredAnswer,
    calls_by_model,
    estimate_brief,
)
from stages.policies.further_answers import AnswerArrays
from stages.policies.intervals import (
    RunIntervals,
    RunMeans,
    intervals_given_briefs,
    mean_runs,
    means_of_runs,
    seconds_of_runs,
)
from stages.policies.latency import draw_seconds

CONFIDENCE = 0.95
SETTINGS = ((8, 2), (8, 4), (16, 3), (16, 4), (24, 8), (40, 4))
"""Briefs and samples."""
DATA_SETS = 5
"""Sets of answers that are drawn for each set of briefs."""
MANY = 2000
"""Answers of a model to a brief that stand for endless ones."""


@dataclass(frozen=True, slots=True)
class PolicyPopulation:
    """A cheap model `a` and a dear one `b`.

    `accepted` are their mean chances of a usable graph, and `alike` how much briefs differ in it: 0
    not at all, 1 each brief fails always or never, else the intraclass correlation. `score_brief`
    and `score_answer` are standard deviations of scores; `usd` and `seconds` those of logarithms
    within a brief. Failures take `slow` times as long; `failing_score` is the correlation of the
    score with failing. `tail` is the shape of the seconds: normal logarithms, Pareto of order 3, or
    one in ten answers six times as slow.
    """

    name: str
    accepted: tuple[float, float] = (0.7, 0.9)
    by_brief: float = 0.2
    score_brief: float = 0.08
    score_answer: float = 0.06
    usd: float = 0.3
    seconds: float = 0.4
    slow: float = 1.0
    failing_score: float = 0.0
    tail: str = "lognormal"
    min_score: float = 0.0


POLICY_POPULATIONS = (
    PolicyPopulation("most accepted, briefs alike", (0.9, 0.95), 0.0),
    PolicyPopulation("half, briefs alike", (0.5, 0.9), 0.0),
    PolicyPopulation("half, briefs differ", (0.5, 0.85), 0.4),
    PolicyPopulation("half of the briefs always fail", (0.5, 0.8), 1.0),
    PolicyPopulation("few accepted", (0.1, 0.7)),
    PolicyPopulation("hardly any accepted", (0.02, 0.5), 0.0),
    PolicyPopulation("rare failures", (0.98, 0.99), 0.0),
    PolicyPopulation("few briefs always fail", (0.95, 0.97), 1.0),
    PolicyPopulation("no failures", (1.0, 1.0), 1.0),
    PolicyPopulation("wide scores", score_brief=0.15, score_answer=0.15),
    PolicyPopulation("scores by brief", score_brief=0.15, score_answer=0.02),
    PolicyPopulation("score and failing", score_answer=0.12, failing_score=0.7),
    PolicyPopulation("least score 0.75", (0.8, 0.95), score_answer=0.1, min_score=0.75),
    PolicyPopulation("skewed costs and seconds", usd=0.9, seconds=0.9),
    PolicyPopulation("slow failures", slow=4.0),
    PolicyPopulation("one in ten is slow", tail="slow ones"),
    PolicyPopulation("Pareto seconds", tail="pareto"),
)


Draw: TypeAlias = Callable[[int], Mapping[str, AnswerArrays]]
"""So many answers of each model to each brief."""


@dataclass(frozen=True, slots=True)
class PolicyCoverage:
    """Shares of intervals that hold the truth, and their mean lengths: of the score, and of dollars
    and the 95th percentile of seconds as a share of the estimate.
    """

    covered: Floats
    length: Floats


def policies_of(samples: int, min_score: float) -> Iterator[PolicySteps]:
    """The policies that so many samples can estimate."""
    steps = {
        "one": [PolicyStep(model="a")],
        "two": [PolicyStep(model="a", tries=2)],
        "all": [PolicyStep(model="a", tries=samples)],
        "best of two": [PolicyStep(model="a", best_of=2)],
        "best of all": [PolicyStep(model="a", best_of=samples)],
        "then b": [PolicyStep(model="a", tries=2), PolicyStep(model="b")],
        "best, then b": [PolicyStep(model="a", best_of=2), PolicyStep(model="b", tries=2)],
    }
    accept: AcceptRule = MinScore(min_score=min_score) if min_score else "usable"
    for name, of_policy in steps.items():
        yield PolicySteps(id=name, accept=accept, steps=tuple(of_policy))


def draw_briefs(population: PolicyPopulation, briefs: int, random: np.random.Generator) -> Draw:
    """Briefs of a population, as a function that draws answers to them."""
    hardness = random.normal(0, 1, briefs)
    chances: dict[str, Floats] = {}
    scores: dict[str, Floats] = {}
    scales: dict[str, Floats] = {}
    for model, accepted in zip("ab", population.accepted, strict=True):
        chances[model] = _chances(accepted, population.by_brief, briefs, random)
        own = random.normal(0, 1, briefs)
        scores[model] = 0.72 + population.score_brief * np.sqrt(0.5) * (hardness + own)
        scales[model] = np.exp(random.normal(0, 0.3, (2, briefs, 1)))

    def draw(samples: int) -> dict[str, AnswerArrays]:
        shape = (briefs, samples)
        drawn: dict[str, AnswerArrays] = {}
        for model, price, wait in (("a", 0.01, 8.0), ("b", 0.04, 20.0)):
            quality, own, size, pace = random.normal(0, 1, (4, *shape))
            correlation = population.failing_score
            failing = correlation * quality + np.sqrt(1 - correlation**2) * own
            thresholds: Floats = np.asarray(ndtri(chances[model]))
            usable = failing < thresholds[:, None]
            score = scores[model][:, None] + population.score_answer * quality
            score = np.where(usable, score.clip(0.05, 1), 0.0)
            usd = price * scales[model][0] * np.exp(population.usd * size)
            seconds = wait * scales[model][1] * _paces(population, 0.7 * size + 0.7 * pace, random)
            seconds = np.where(usable, seconds, population.slow * seconds)
            accepted = usable & (score >= population.min_score)
            drawn[model] = AnswerArrays(accepted, score, usd, seconds)
        return drawn

    return draw


def _chances(mean: float, by_brief: float, briefs: int, random: np.random.Generator) -> Floats:
    if by_brief == 0 or mean == 1:
        return np.full(briefs, mean)
    if by_brief == 1:
        return (random.random(briefs) < mean).astype(float)
    size = 1 / by_brief - 1
    return random.beta(mean * size, (1 - mean) * size, briefs)


def _paces(population: PolicyPopulation, noise: Floats, random: np.random.Generator) -> Floats:
    """How slow answers are beside others to their brief."""
    if population.tail == "pareto":
        return random.pareto(3, noise.shape) + 1
    if population.tail == "slow ones":
        return np.where(random.random(noise.shape) < 0.1, 6.0, 1.0) * np.exp(0.2 * noise)
    return np.exp(population.seconds * noise)


def interval_coverage(population: PolicyPopulation, repetitions: int) -> PolicyCoverage:
    """The coverage over all settings and policies, each as often."""
    random = np.random.default_rng([*population.name.encode()])
    held: list[Floats] = []
    lengths: list[Floats] = []
    for briefs, samples in SETTINGS:
        policies = list(policies_of(samples, population.min_score))
        for number in range(repetitions):
            if number % DATA_SETS == 0:
                draw = draw_briefs(population, briefs, random)
                many = draw(MANY)
                truths = [endless_means(policy, many) for policy in policies]
            answers = stored(draw(samples))
            for policy, truth in zip(policies, truths, strict=True):
                means = estimate_means(policy, answers, random)
                intervals = intervals_given_briefs(policy, answers, means, CONFIDENCE, random)
                is_held, length = covers(truth, means, intervals)
                held.append(is_held)
                lengths.append(length)
    return PolicyCoverage(np.mean(held, axis=0), np.mean(lengths, axis=0))


def endless_means(
    policy: PolicySteps, answers: Mapping[str, AnswerArrays], shuffles: int = 1
) -> RunMeans:
    """The means over runs that draw from many answers to each brief."""
    score, usd = mean_runs(policy, answers)
    most = max(calls_by_model(policy).values())
    count = min(arrays.score.shape[-1] for arrays in answers.values())
    random = np.random.default_rng(count)
    seconds: list[Floats] = []
    for _ in range(shuffles):
        places = random.permutation(count)[: count // most * most].reshape(-1, most)
        in_runs = {model: arrays.take(places) for model, arrays in answers.items()}
        seconds.append(seconds_of_runs(policy, in_runs))
    return RunMeans(float(score.mean()), float(usd.mean()), float(np.quantile(seconds, 0.95)))


def stored(drawn: Mapping[str, AnswerArrays]) -> list[Answers]:
    """The answers to each brief as the reports have them."""
    by_model = {model: _stored_by_brief(arrays) for model, arrays in drawn.items()}
    briefs = zip(*by_model.values(), strict=True)
    return [dict(zip(by_model, answers, strict=True)) for answers in briefs]


def _stored_by_brief(arrays: AnswerArrays) -> list[list[StoredAnswer]]:
    columns = (arrays.score, arrays.usd, arrays.seconds)
    rows = np.stack(columns, axis=-1).tolist()
    return [
        [StoredAnswer(score or None, usd, seconds) for score, usd, seconds in answers]
        for answers in rows
    ]


def estimate_means(
    policy: PolicySteps, briefs: Sequence[Answers], random: np.random.Generator
) -> RunMeans:
    """The means as the report estimates them; all costs and latencies are measured."""
    estimates = [estimate_brief(policy, answers) for answers in briefs]
    seconds = [draw_seconds(policy, answers, random) for answers in briefs]
    return means_of_runs(
        [estimate for estimate in estimates if estimate is not None],
        [drawn for drawn in seconds if drawn is not None],
    )


def covers(truth: RunMeans, means: RunMeans, intervals: RunIntervals) -> tuple[Floats, Floats]:
    """Whether the intervals of score, dollars and seconds hold the truth, 0 or 1; and their
    lengths, those of amounts as a share of the mean.
    """
    held, lengths = [], []
    for mean, true_mean, interval, is_amount in (
        (means.score, truth.score, intervals.score, False),
        (means.usd, truth.usd, intervals.usd, True),
        (means.p95_s, truth.p95_s, intervals.p95_s, True),
    ):
        if mean is None or true_mean is None or interval is None:
            raise ValueError("every cost and latency is measured, and a brief has two answers")
        tolerance = 1e-9
        held.append(interval.low - tolerance <= true_mean <= interval.high + tolerance)
        lengths.append((interval.high - interval.low) / (mean if is_amount else 1.0))
    return np.array(held, dtype=np.float64), np.array(lengths)
