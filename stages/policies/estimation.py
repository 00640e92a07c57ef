"""What a policy gives on one brief, exactly: every order in which its models' stored answers may
be drawn, none of them twice, is equally likely. Pure.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from stages.contracts.policy import PolicyStep, PolicySteps
from stages.statistics.estimates import BriefScore

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One stored answer to a brief: its overall score, None without a usable graph; what it cost
    and how long it took, None where that is not measured; a repaired one takes two `calls`.
    `lacks_repair`: a policy that sends answers back needs a repair of it, and none is stored.
    """

    score: float | None
    usd: float | None = None
    seconds: float | None = None
    calls: int = 1
    lacks_repair: bool = False


Answers: TypeAlias = Mapping[str, Sequence[StoredAnswer]]
"""The answers to one brief, by model."""


@dataclass(frozen=True, slots=True)
class AnswerArrays:
    """Answers of a model: whether each is accepted, its score (0 without a usable graph), dollars
    and seconds (NaN where they are not measured), all of one shape; the last axis is answers.
    """

    accepted: Bools
    score: Floats
    usd: Floats
    seconds: Floats

    def take(self, places: NDArray[np.int64]) -> "AnswerArrays":
        """The answers at these places of the last axis, in the shape of the places."""
        return AnswerArrays(
            self.accepted[..., places],
            self.score[..., places],
            self.usd[..., places],
            self.seconds[..., places],
        )


def arrays_of(policy: PolicySteps, answers: Sequence[StoredAnswer]) -> AnswerArrays:
    """Stored answers of a model, one at least, as arrays of one axis."""
    accepted = [policy.accepts(item.score is not None, item.score or 0.0) for item in answers]
    values = [(item.score or 0.0, item.usd, item.seconds) for item in answers]
    return AnswerArrays(np.array(accepted), *np.array(values, dtype=float).T)


@dataclass(frozen=True, slots=True)
class StepUse:
    """A step of a policy: the chances that it is called and that its answer counts, the mean number
    of its calls, and what they cost (None: not measured).
    """

    reached: float
    counted: float
    calls: float
    usd: float | None


@dataclass(frozen=True, slots=True)
class BriefEstimate:
    """A policy on one brief: means over its runs.

    `called` and `counted` have, for each answer of each model, the chance that it is called and
    that it is the one that counts.
    """

    score: BriefScore
    usd: float | None
    steps: tuple[StepUse, ...]
    called: Mapping[str, Floats]
    counted: Mapping[str, Floats]


def calls_by_model(policy: PolicySteps) -> Counter[str]:
    """How many answers of each model a run of the policy takes at most: so many samples it
    needs.
    """
    calls: Counter[str] = Counter()
    for step in policy.steps:
        calls[step.model] += step.calls
    return calls


def has_enough(policy: PolicySteps, answers: Answers) -> bool:
    """Whether a brief has as many answers of each model as the policy may call, and every repair
    that it may ask for.
    """
    calls = calls_by_model(policy)
    sent_back = [answer for model in policy.repaired_models for answer in answers.get(model, ())]
    if any(answer.lacks_repair for answer in sent_back):
        return False
    return all(len(answers.get(model, ())) >= calls[model] for model in calls)


def estimate_brief(policy: PolicySteps, answers: Answers) -> BriefEstimate | None:
    """The means of a policy on one brief; None with fewer answers of a model than it may call.

    A round is one try, or `best_of` calls at once. When a round is reached, all earlier answers
    were rejected: of n answers of its model, v of them accepted, it draws j out of N = n - d, d
    being drawn before. All are rejected with the chance C(N - v, j) / C(N, j) (the unbiased
    estimate of *pass@k*), and the accepted answer with b lower ones in reach is the best with the
    chance C(b, j - 1) / C(N, j) (a U-statistic over subsets). Means follow by the law of total
    expectation over the rounds.

    Sources: M. Chen et al., Evaluating Large Language Models Trained on Code, arXiv 2107.03374
    (2021); W. Hoeffding, A Class of Statistics with Asymptotically Normal Distribution, Annals of
    Mathematical Statistics 19 (1948) 293-325.
    """
    if not has_enough(policy, answers):
        return None
    arrays = {model: arrays_of(policy, answers[model]) for model in policy.models}
    return _combine(policy, answers, run_steps(policy, arrays))


@dataclass(slots=True)
class StepRun:
    """One step: for each answer of its model the mean number of its calls and the chance that it
    counts; the chance that all answers up to here are rejected, and then, for each answer, that it
    is the best of the last round.
    """

    called: Floats
    counted: Floats
    all_rejected: Floats
    best_rejected: Floats


def run_steps(policy: PolicySteps, answers: Mapping[str, AnswerArrays]) -> list[StepRun]:
    """What each step does with the answers of the models, those to one brief along the last axis;
    axes before it are briefs or sets of answers. Of two answers the one of the higher score is the
    better one, and an accepted one is better than one that is not.
    """
    pools = {model: _Pool(answers[model]) for model in policy.models}
    reached = np.ones(answers[policy.steps[0].model].accepted.shape[:-1])
    runs: list[StepRun] = []
    for step in policy.steps:
        run = pools[step.model].run(step, reached)
        reached = run.all_rejected
        runs.append(run)
    runs[-1].counted += reached[..., None] * runs[-1].best_rejected
    return runs


class _Pool:
    """The answers of one model, of which a policy draws."""

    def __init__(self, answers: AnswerArrays) -> None:
        accepted = answers.accepted
        places = (answers.score + accepted).argsort(kind="stable").argsort(kind="stable")
        self._accepted = accepted
        self._rejected_count = (~accepted).sum(axis=-1, keepdims=True)
        self._accepted_count = accepted.shape[-1] - self._rejected_count
        self._below = places - self._rejected_count * accepted
        self._drawn = 0

    def run(self, step: PolicyStep, reached: Floats) -> StepRun:
        """The step, reached with this chance, after all that the model answered so far was
        rejected.
        """
        reached = reached[..., None]
        called = np.zeros(self._below.shape)
        counted = np.zeros(self._below.shape)
        rejected = ~self._accepted
        for calls in step.rounds:
            left = np.maximum(self._rejected_count - self._drawn, 0)
            pool = left + self._accepted_count
            still_there = np.where(rejected, left / np.maximum(self._rejected_count, 1), 1.0)
            best = comb(self._below + left, calls - 1) / comb(pool, calls)
            called += reached * calls / pool * still_there
            counted += reached * np.where(rejected, 0.0, best)
            reached = reached * comb(left, calls) / comb(pool, calls)
            self._drawn += calls
        subsets = np.maximum(comb(self._rejected_count, calls), 1)
        best_rejected = np.where(rejected, comb(self._below, calls - 1) / subsets, 0.0)
        return StepRun(called, counted, reached[..., 0], best_rejected)


def _combine(policy: PolicySteps, answers: Answers, runs: Sequence[StepRun]) -> BriefEstimate:
    called = {model: np.zeros(len(answers[model])) for model in policy.models}
    counted = {model: np.zeros(len(answers[model])) for model in policy.models}
    steps: list[StepUse] = []
    reached = 1.0
    for step, run in zip(policy.steps, runs, strict=True):
        called[step.model] += run.called
        counted[step.model] += run.counted
        usd = _sum(run.called, [answer.usd for answer in answers[step.model]])
        calls = float(run.called @ [answer.calls for answer in answers[step.model]])
        steps.append(StepUse(reached, float(run.counted.sum()), calls, usd))
        reached = float(run.all_rejected)
    costs = [step.usd for step in steps]
    known = [cost for cost in costs if cost is not None]
    usd = math.fsum(known) if len(known) == len(costs) else None
    return BriefEstimate(_score(answers, counted), usd, tuple(steps), called, counted)


def _sum(weights: Floats, values: Sequence[float | None]) -> float | None:
    """The weighted sum; None where a value that has a weight is not measured."""
    terms: list[float] = []
    for weight, value in zip(weights, values, strict=True):
        if weight > 0:
            if value is None:
                return None
            terms.append(float(weight) * value)
    return math.fsum(terms)


def _score(answers: Answers, counted: Mapping[str, Floats]) -> BriefScore:
    pairs = [
        (answer.score, float(weight))
        for model, weights in counted.items()
        for answer, weight in zip(answers[model], weights, strict=True)
    ]
    usable = math.fsum(weight for score, weight in pairs if score is not None)
    expected = math.fsum(weight * score for score, weight in pairs if score is not None)
    return BriefScore(expected, min(usable, 1.0), expected / usable if usable else None)
