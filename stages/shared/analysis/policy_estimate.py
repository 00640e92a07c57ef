"""What a policy gives on one brief, estimated from the stored answers of a run. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stages.shared.analysis.scored_cell import ScoredCell, group
from stages.shared.analysis.summary import Weights
from stages.shared.records.model_config import PolicySteps
from stages.shared.records.response import Cell

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
SEED = 20261123
DRAWS = 1000
"""Runs of a policy on each brief that are drawn for the percentiles of its latency."""


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
    """A policy on one brief, in the mean over its runs: the chances that each answer is called, and
    that it is the one that counts.
    """

    steps: tuple[StepUse, ...]
    called: Floats
    counted: Floats

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
        answers = [cell for cell in of_brief if cell.answered]
        estimate = estimate_brief(policy, answers)
        if estimate is None:
            missing.append(brief)
            continue
        briefs[brief] = estimate
        ids = [cell.cell for cell in answers]
        called |= zip(ids, estimate.called.tolist(), strict=True)
        counted |= zip(ids, estimate.counted.tolist(), strict=True)
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


def estimate_brief(policy: PolicySteps, answers: Sequence[ScoredCell]) -> BriefEstimate | None:
    """The exact means over every order in which the answers may be drawn, none of them twice; None
    with fewer answers of a model than the policy may call.

    When a try is reached, all earlier answers were rejected: of n answers of its model, r of them
    rejected by the rule, d were drawn before. Each accepted answer is drawn with the chance
    1 / (n - d), and the try is rejected with the chance (r - d) / (n - d). The product over j tries
    is C(r, j) / C(n, j), the unbiased estimate of 1 - *pass@j*.

    Source: M. Chen et al., Evaluating Large Language Models Trained on Code, arXiv 2107.03374
    (2021).
    """
    models = [cell.model_id for cell in answers]
    if tries_by_model(policy) - Counter(models):
        return None
    accepted = _accepted(policy, answers)
    called, counted = np.zeros(len(answers)), np.zeros(len(answers))
    drawn: Counter[str] = Counter()
    steps: list[StepUse] = []
    reached = 1.0
    for step in policy.steps:
        own = np.array([model == step.model for model in models])
        rejected = own & ~accepted
        begun, calls = reached, np.zeros(len(answers))
        for before in range(drawn[step.model], drawn[step.model] + step.tries):
            left = int(own.sum()) - before
            rejected_left = max(int(rejected.sum()) - before, 0)
            chance = rejected_left / max(int(rejected.sum()), 1)
            calls += reached / left * np.where(rejected, chance, own)
            counted += reached / left * (own & accepted)
            reached *= rejected_left / left
        usd = _weighted_total(calls, [cell.measured.est_cost_usd for cell in answers])
        steps.append(StepUse(begun, begun - reached, float(calls.sum()), usd))
        called += calls
        drawn[step.model] += step.tries
    counted += reached * rejected / max(int(rejected.sum()), 1)
    steps[-1] = replace(steps[-1], counted=steps[-1].reached)
    return BriefEstimate(tuple(steps), called, counted)


def draw_seconds(
    policy: PolicySteps, answers: Sequence[ScoredCell], random: np.random.Generator
) -> Floats | None:
    """The seconds of `DRAWS` runs, each over the stored answers, as many of each model as it may
    call at least, in an order that is drawn; None where a latency is not measured.
    """
    accepted = _accepted(policy, answers)
    latencies = [cell.measured.latency_ms for cell in answers]
    seconds = np.array(latencies, dtype=float) / 1000
    orders: dict[str, NDArray[np.int64]] = {}
    for model in policy.models:
        places = [place for place, cell in enumerate(answers) if cell.model_id == model]
        orders[model] = random.permuted(np.tile(places, (DRAWS, 1)), axis=1)
    drawn: Counter[str] = Counter()
    total = np.zeros(DRAWS)
    is_open = np.full(DRAWS, True)
    for model in [step.model for step in policy.steps for _ in range(step.tries)]:
        called = orders[model][:, drawn[model]]
        total += np.where(is_open, seconds[called], 0.0)
        is_open &= ~accepted[called]
        drawn[model] += 1
    return None if np.isnan(total).any() else total


def _accepted(policy: PolicySteps, cells: Sequence[ScoredCell]) -> Bools:
    return np.array([policy.accepts(cell.usable, cell.score) for cell in cells])


def _weighted_total(weights: Floats, values: Sequence[float | None]) -> float | None:
    """The weighted sum; None where a value that has a weight is not measured."""
    pairs = [pair for pair in zip(weights.tolist(), values, strict=True) if pair[0] > 0]
    return _total([None if value is None else weight * value for weight, value in pairs])


def _total(values: Sequence[float | None]) -> float | None:
    """The sum; None where a value is not measured."""
    known = [value for value in values if value is not None]
    return math.fsum(known) if len(known) == len(values) else None
