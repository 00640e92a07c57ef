"""Policies with a known truth: do their intervals given the briefs cover the mean of endless runs?"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import ndtri

from stages.contracts.policy import MinScore, PolicyStep, PolicySteps
from stages.policies.estimation import (
    AnswerArrays,
    Answers,
    Floats,
    StoredAnswer,
    calls_by_model,
    estimate_brief,
)
from stages.policies.intervals import (
    RunIntervals,
    RunMeans,
    intervals_given_briefs,
    mean_runs,
    means_of_runs,
)
from stages.policies.latency import draw_seconds, seconds_in_order

CONFIDENCE = 0.95
POLICY_SETTINGS = ((8, 2), (8, 4), (8, 8), (40, 4))
"""Briefs and samples."""
MANY = 500
"""Answers of a model to a brief that stand for endless ones."""
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class PolicyPopulation:
    """A cheap model `a` and a dear one `b`.

    `accepted` are their mean chances of a usable graph, and `by_brief` how much briefs differ in it: 0
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
    PolicyPopulation("half, briefs alike", (0.5, 0.9), 0.0),
    PolicyPopulation("half, briefs differ", (0.5, 0.85), 0.4),
    PolicyPopulation("half of the briefs always fail", (0.5, 0.8), 1.0),
    PolicyPopulation("few accepted", (0.1, 0.7)),
    PolicyPopulation("rare failures", (0.98, 0.99), 0.0),
    PolicyPopulation("few briefs always fail", (0.95, 0.97), 1.0),
    PolicyPopulation("no failures", (1.0, 1.0), 1.0),
    PolicyPopulation("wide scores", score_brief=0.15, score_answer=0.15),
    PolicyPopulation("score and failing", score_answer=0.12, failing_score=0.7),
    PolicyPopulation("least score 0.75", (0.8, 0.95), score_answer=0.1, min_score=0.75),
    PolicyPopulation("skewed costs and seconds", usd=0.9, seconds=0.9),
    PolicyPopulation("slow failures", slow=4.0),
    PolicyPopulation("one in ten is slow", tail="slow ones"),
    PolicyPopulation("Pareto seconds", tail="pareto"),
)


Draw: TypeAlias = Callable[[int], Mapping[str, AnswerArrays]]
"""So many answers of each model to each brief."""


def policies_of(samples: int, min_score: float) -> Iterator[PolicySteps]:
    """The policies that so many samples can estimate."""
    steps = {
        "one": [PolicyStep(model="a")],
        "all": [PolicyStep(model="a", tries=samples)],
        "best of all": [PolicyStep(model="a", best_of=samples)],
        "then b": [PolicyStep(model="a", tries=2), PolicyStep(model="b")],
        "best, then b": [PolicyStep(model="a", best_of=2), PolicyStep(model="b", tries=2)],
    }
    accept = MinScore(min_score=min_score)
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


def interval_coverage(
    population: PolicyPopulation, setting: tuple[int, int], brief_sets: int
) -> Floats:
    """How often the intervals of score, dollars and p95 hold the truth, with new answers for each
    policy.
    """
    briefs, samples = setting
    random = np.random.default_rng([briefs, samples, *population.name.encode()])
    held: list[list[bool]] = []
    for _ in range(brief_sets):
        draw = draw_briefs(population, briefs, random)
        many = draw(MANY)
        for policy in policies_of(samples, population.min_score):
            truth = endless_means(policy, many)
            answers = stored(draw(samples))
            means = estimate_means(policy, answers, random)
            intervals = intervals_given_briefs(policy, answers, means, CONFIDENCE, random)
            held.append(covers(truth, intervals))
    coverage: Floats = np.mean(held, axis=0)
    return coverage


def endless_means(policy: PolicySteps, answers: Mapping[str, AnswerArrays]) -> RunMeans:
    """The means over runs that draw from many answers to each brief."""
    score, usd = mean_runs(policy, answers)
    most = max(calls_by_model(policy).values())
    places = np.arange(MANY // most * most).reshape(-1, most)
    in_runs = {model: arrays.take(places) for model, arrays in answers.items()}
    p95_s = float(np.quantile(seconds_in_order(policy, in_runs), 0.95))
    return RunMeans(float(score.mean()), float(usd.mean()), p95_s)


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


def covers(truth: RunMeans, intervals: RunIntervals) -> list[bool]:
    """Whether the intervals of score, dollars and p95 hold the truth."""
    pairs = (
        (truth.score, intervals.score),
        (truth.usd, intervals.usd),
        (truth.p95_s, intervals.p95_s),
    )
    return [
        value is not None
        and interval is not None
        and interval.low - ROUNDING <= value <= interval.high + ROUNDING
        for value, interval in pairs
    ]
