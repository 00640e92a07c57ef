"""Policies with a known truth: do their intervals given the briefs cover the mean of endless runs?"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.special import ndtri

from stages.contracts.policy import AcceptRule, MinScore, PolicyStep, PolicySteps
from stages.policies.estimation import (
    Answers,
    Bools,
    Floats,
    StoredAnswer,
    calls_by_model,
    estimate_brief,
    run_steps,
)
from stages.policies.intervals import RunMeans, intervals_given_briefs
from stages.policies.latency import draw_seconds, seconds_in_order

CONFIDENCE = 0.95
SETTINGS = ((8, 2), (8, 4), (16, 3), (16, 4), (24, 8), (40, 4))
"""Briefs and samples."""
DATA_SETS = 5
"""Sets of answers that are drawn for each set of briefs."""
TRUE_ANSWERS = 2000
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


@dataclass(frozen=True, slots=True)
class Drawn:
    """Answers of a model, those to a brief in a row: whether each is accepted, its score (0 without
    a usable graph), dollars and seconds.
    """

    accepted: Bools
    score: Floats
    usd: Floats
    seconds: Floats


Draw: TypeAlias = Callable[[int], Mapping[str, Drawn]]
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


def draw_briefs(population: PolicyPopulation, briefs: int, generator: np.random.Generator) -> Draw:
    """Briefs of a population, as a function that draws answers to them."""
    hardness = generator.normal(0, 1, briefs)
    chances: dict[str, Floats] = {}
    scores: dict[str, Floats] = {}
    scales: dict[str, Floats] = {}
    for model, accepted in zip("ab", population.accepted, strict=True):
        chances[model] = _chances(accepted, population.by_brief, briefs, generator)
        own = generator.normal(0, 1, briefs)
        scores[model] = 0.72 + population.score_brief * np.sqrt(0.5) * (hardness + own)
        scales[model] = np.exp(generator.normal(0, 0.3, (2, briefs, 1)))

    def draw(samples: int) -> dict[str, Drawn]:
        shape = (briefs, samples)
        drawn: dict[str, Drawn] = {}
        for model, price, wait in (("a", 0.01, 8.0), ("b", 0.04, 20.0)):
            quality, own, size, pace = generator.normal(0, 1, (4, *shape))
            correlation = population.failing_score
            failing = correlation * quality + np.sqrt(1 - correlation**2) * own
            usable = failing < ndtri(chances[model])[:, None]
            score = scores[model][:, None] + population.score_answer * quality
            score = np.where(usable, score.clip(0.05, 1), 0.0)
            usd = price * scales[model][0] * np.exp(population.usd * size)
            seconds = (
                wait * scales[model][1] * _paces(population, 0.7 * size + 0.7 * pace, generator)
            )
            seconds = np.where(usable, seconds, population.slow * seconds)
            drawn[model] = Drawn(usable & (score >= population.min_score), score, usd, seconds)
        return drawn

    return draw


def _chances(mean: float, by_brief: float, briefs: int, generator: np.random.Generator) -> Floats:
    if by_brief == 0 or mean == 1:
        return np.full(briefs, mean)
    if by_brief == 1:
        return (generator.random(briefs) < mean).astype(float)
    size = 1 / by_brief - 1
    return generator.beta(mean * size, (1 - mean) * size, briefs)


def _paces(population: PolicyPopulation, noise: Floats, generator: np.random.Generator) -> Floats:
    """How slow answers are beside others to their brief."""
    if population.tail == "pareto":
        return generator.pareto(3, noise.shape) + 1
    if population.tail == "slow ones":
        return np.where(generator.random(noise.shape) < 0.1, 6.0, 1.0) * np.exp(0.2 * noise)
    return np.exp(population.seconds * noise)


def interval_coverage(population: PolicyPopulation, repetitions: int) -> PolicyCoverage:
    """The coverage over all settings and policies, each as often."""
    generator = np.random.default_rng([*population.name.encode()])
    rows = []
    for briefs, samples in SETTINGS:
        policies = list(policies_of(samples, population.min_score))
        for number in range(repetitions):
            if number % DATA_SETS == 0:
                draw = draw_briefs(population, briefs, generator)
                many = draw(TRUE_ANSWERS)
                truths = [true_means(policy, many) for policy in policies]
            answers = answers_by_brief(draw(samples))
            for policy, truth in zip(policies, truths, strict=True):
                rows.append(_held(policy, answers, truth, generator))
    held = np.array(rows).mean(axis=0)
    return PolicyCoverage(held[0], held[1])


def true_means(policy: PolicySteps, answers: Mapping[str, Drawn]) -> RunMeans:
    """The means over runs that draw from many answers."""
    accepted = {model: of_model.accepted for model, of_model in answers.items()}
    ranks = {model: of_model.score for model, of_model in answers.items()}
    score = usd = 0.0
    for step, run in zip(policy.steps, run_steps(policy, accepted, ranks), strict=True):
        score += float((run.counted * answers[step.model].score).sum(axis=-1).mean())
        usd += float((run.called * answers[step.model].usd).sum(axis=-1).mean())
    most = max(calls_by_model(policy).values())
    seconds = {model: of_model.seconds for model, of_model in answers.items()}
    runs = seconds_in_order(policy, _cut(accepted, most), _cut(seconds, most))
    return RunMeans(score, usd, float(np.quantile(runs, 0.95)))


def _cut(answers: Mapping[str, Any], length: int) -> dict[str, Any]:
    """The answers of each brief, in rows of one length."""
    return {
        model: rows[:, : rows.shape[1] // length * length].reshape(len(rows), -1, length)
        for model, rows in answers.items()
    }


def answers_by_brief(drawn: Mapping[str, Drawn]) -> list[Answers]:
    """The answers as the reports store them."""
    briefs = range(len(drawn["a"].score))
    return [
        {
            model: [
                StoredAnswer(score or None, usd, seconds)
                for score, usd, seconds in zip(
                    rows.score[brief].tolist(),
                    rows.usd[brief].tolist(),
                    rows.seconds[brief].tolist(),
                    strict=True,
                )
            ]
            for model, rows in drawn.items()
        }
        for brief in briefs
    ]


def estimated_means(
    policy: PolicySteps, briefs: Sequence[Answers], generator: np.random.Generator
) -> RunMeans:
    """The means as the report estimates them; every cost and latency is measured."""
    estimates = [estimate for answers in briefs if (estimate := estimate_brief(policy, answers))]
    seconds = [draw_seconds(policy, answers, generator) for answers in briefs]
    return RunMeans(
        float(np.mean([estimate.score.expected for estimate in estimates])),
        float(np.mean([estimate.usd or 0.0 for estimate in estimates])),
        float(np.quantile([drawn for drawn in seconds if drawn is not None], 0.95)),
    )


def _held(
    policy: PolicySteps, briefs: Sequence[Answers], truth: RunMeans, generator: np.random.Generator
) -> Floats:
    """Whether each interval holds the truth, and its length."""
    means = estimated_means(policy, briefs, generator)
    found = intervals_given_briefs(policy, briefs, means, CONFIDENCE, generator)
    assert found and found.usd and found.p95_s and means.usd and means.p95_s
    return np.array(
        [
            [
                found.score.low <= truth.score <= found.score.high,
                found.usd.low <= (truth.usd or 0) <= found.usd.high,
                found.p95_s.low <= (truth.p95_s or 0) <= found.p95_s.high,
            ],
            [
                found.score.high - found.score.low,
                (found.usd.high - found.usd.low) / means.usd,
                (found.p95_s.high - found.p95_s.low) / means.p95_s,
            ],
        ],
        dtype=float,
    )
