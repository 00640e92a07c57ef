"""What a policy gives on one brief, estimated from the stored answers of a run. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stages.contracts.policy import PolicySteps
from stages.contracts.response import Cell
from stages.statistics.scored_cell import ScoredCell, group
from stages.statistics.summary import Weights

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
SEED = 20261123
DRAWS = 1000
"""Runs of a policy on each brief that are drawn for the percentiles of its latency."""


Answers: TypeAlias = Mapping[str, Sequence[ScoredCell]]
"""The answered cells of one brief, by model."""


@dataclass(frozen=True, slots=True)
class StepUse:
    """A step of a policy: the chances that it is reached and that its answer counts, the mean
    number of its calls, and what they cost (None: not measured).
    """

    reached: float
    counted: float
    calls: float
    usd: float | None


@dataclass(frozen=True, slots=True)
class BriefEstimate:
    """A policy on one brief: the means over its runs.

    `called` and `counted` have, for each answer of each model, the chance that it is called and
    that it is the one that counts.
    """

    steps: tuple[StepUse, ...]
    called: Mapping[str, Floats]
    counted: Mapping[str, Floats]

    @property
    def usd(self) -> float | None:
        """The mean cost of a run, US dollars; None where an answer that may be called has no
        cost.
        """
        return _total([step.usd for step in self.steps])


@dataclass(frozen=True, slots=True)
class PolicyRuns:
    """A policy on the briefs that its models were asked: the cells that it may call, and how often
    each counts; its estimates by brief, and the briefs with fewer answers than it may call.

    `seconds` are drawn runs on each brief, None where a latency is not measured.
    """

    cells: tuple[ScoredCell, ...]
    weights: Weights
    briefs: Mapping[str, BriefEstimate]
    missing: tuple[str, ...]
    seconds: Mapping[str, Floats] | None


def run_policy(policy: PolicySteps, cells: Iterable[ScoredCell]) -> PolicyRuns:
    """Estimate a policy on every brief of the cells of its models; equal cells give equal runs."""
    random = np.random.default_rng(SEED)
    own = sorted((cell for cell in cells if cell.model_id in policy.models), key=_place)
    called: dict[Cell, float] = {}
    counted: dict[Cell, float] = {}
    briefs: dict[str, BriefEstimate] = {}
    missing: list[str] = []
    seconds: dict[str, Floats] = {}
    for brief, of_brief in group(own, lambda cell: cell.brief_id).items():
        answered = [cell for cell in of_brief if cell.answered]
        answers = group(answered, lambda cell: cell.model_id)
        estimate = estimate_brief(policy, answers)
        if estimate is None:
            missing.append(brief)
            continue
        briefs[brief] = estimate
        for model in policy.models:
            ids = [cell.cell for cell in answers[model]]
            called |= zip(ids, estimate.called[model].tolist(), strict=True)
            counted |= zip(ids, estimate.counted[model].tolist(), strict=True)
        drawn = draw_seconds(policy, answers, random)
        if drawn is not None:
            seconds[brief] = drawn
    has_latency = len(seconds) == len(briefs)
    latencies = [1000 * run for runs in seconds.values() for run in runs.tolist()]
    weights = Weights(
        called=[called.get(cell.cell, 0.0) for cell in own],
        counted=[counted.get(cell.cell, 0.0) for cell in own],
        latencies_ms=latencies if has_latency else (),
    )
    all_seconds = seconds if briefs and has_latency else None
    return PolicyRuns(tuple(own), weights, briefs, tuple(missing), all_seconds)


def _place(cell: ScoredCell) -> tuple[str, str, int]:
    return cell.model_id, cell.brief_id, cell.sample


def tries_by_model(policy: PolicySteps) -> Counter[str]:
    """How many answers of each model a run of the policy takes at most: so many samples it
    needs.
    """
    tries: Counter[str] = Counter()
    for step in policy.steps:
        tries[step.model] += step.tries
    return tries


def has_enough(policy: PolicySteps, answers: Answers) -> bool:
    """Whether a brief has as many answers of each model as the policy may call."""
    tries = tries_by_model(policy)
    return all(len(answers.get(model, ())) >= tries[model] for model in tries)


def estimate_brief(policy: PolicySteps, answers: Answers) -> BriefEstimate | None:
    """The exact means over every order in which the answers may be drawn, none of them twice; None
    with fewer answers of a model than the policy may call.

    When a try is reached, all earlier answers were rejected: of n answers of its model, r of them
    rejected by the rule, d were drawn before. Each accepted answer is drawn with the chance
    1 / (n - d), and the try is rejected with the chance (r - d) / (n - d). The product over j tries
    is C(r, j) / C(n, j), the unbiased estimate of 1 - *pass@j*.

    Source: M. Chen et al., Evaluating Large Language Models Trained on Code, arXiv 2107.03374
    (2021).
    """
    if not has_enough(policy, answers):
        return None
    accepted = {model: _accepted(policy, answers[model]) for model in policy.models}
    called = {model: np.zeros(len(answers[model])) for model in policy.models}
    counted = {model: np.zeros(len(answers[model])) for model in policy.models}
    drawn = dict.fromkeys(policy.models, 0)
    steps: list[StepUse] = []
    reached = 1.0
    for step in policy.steps:
        model = step.model
        run = _run_step(accepted[model], drawn[model], step.tries, reached)
        usd = _sum(run.called, [cell.measured.est_cost_usd for cell in answers[model]])
        ended = reached - run.all_rejected
        steps.append(StepUse(reached, ended, float(run.called.sum()), usd))
        called[model] += run.called
        counted[model] += run.counted
        drawn[model] += step.tries
        reached = run.all_rejected
    rejected = ~accepted[model]
    counted[model] += reached * rejected / max(rejected.sum(), 1)
    steps[-1] = replace(steps[-1], counted=steps[-1].reached)
    return BriefEstimate(steps=tuple(steps), called=called, counted=counted)


def draw_seconds(
    policy: PolicySteps, answers: Answers, random: np.random.Generator
) -> Floats | None:
    """The seconds of `DRAWS` runs, each over the stored answers in an order that is drawn.

    None with fewer answers of a model than it may call, and where a latency is not measured.
    """
    if not has_enough(policy, answers):
        return None
    orders: dict[str, NDArray[np.int64]] = {}
    for model in policy.models:
        order = np.tile(np.arange(len(answers[model])), (DRAWS, 1))
        orders[model] = random.permuted(order, axis=1)
    drawn = dict.fromkeys(policy.models, 0)
    total = np.zeros(DRAWS)
    is_open = np.full(DRAWS, True)
    for step in policy.steps:
        accepted = _accepted(policy, answers[step.model])
        latencies = [cell.measured.latency_ms for cell in answers[step.model]]
        seconds = np.array(latencies, dtype=float) / 1000
        for _ in range(step.tries):
            called = orders[step.model][:, drawn[step.model]]
            total += np.where(is_open, seconds[called], 0.0)
            is_open &= ~accepted[called]
            drawn[step.model] += 1
    return None if np.isnan(total).any() else total


@dataclass(frozen=True, slots=True)
class _StepRun:
    """One step: for each answer of its model the mean number of its calls and the chance that it
    is accepted; and the chance that all answers up to here are rejected.
    """

    called: Floats
    counted: Floats
    all_rejected: float


def _run_step(accepted: Bools, drawn: int, tries: int, reached: float) -> _StepRun:
    """A step that is reached with this chance, after so many answers of its model were drawn."""
    rejected_count = int((~accepted).sum())
    called = np.zeros(len(accepted))
    counted = np.zeros(len(accepted))
    for before in range(drawn, drawn + tries):
        left = len(accepted) - before
        rejected_left = max(rejected_count - before, 0)
        still_there = np.where(accepted, 1.0, rejected_left / max(rejected_count, 1))
        called += reached / left * still_there
        counted += reached / left * accepted
        reached *= rejected_left / left
    return _StepRun(called, counted, reached)


def _accepted(policy: PolicySteps, cells: Sequence[ScoredCell]) -> Bools:
    return np.array([policy.accepts(cell.usable, cell.score) for cell in cells])


def _sum(weights: Floats, values: Sequence[float | None]) -> float | None:
    """The weighted sum; None where a value that has a weight is not measured."""
    return _total(
        [
            None if value is None else float(weight) * value
            for weight, value in zip(weights, values, strict=True)
            if weight > 0
        ]
    )


def _total(values: Sequence[float | None]) -> float | None:
    """The sum; None where a value is not measured."""
    known = [value for value in values if value is not None]
    return math.fsum(known) if len(known) == len(values) else None
