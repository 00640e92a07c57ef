"""What a policy gives on one brief, estimated from the stored answers of a run. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from graph_evaluator.analysis.scored_cell import ScoredCell, group
from graph_evaluator.analysis.summary import CellWeights
from graph_evaluator.records.model_config import Policy
from graph_evaluator.records.response import Cell

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
SEED = 20261123
DRAWS = 1000
"""Runs of a policy on each brief that are drawn for the percentiles of its latency."""


@dataclass(frozen=True, slots=True)
class PolicyRuns:
    """A policy on the briefs that its models were asked: the cells that it may call, and how often
    each counts; and the briefs with fewer answers than it may call.

    `seconds` are drawn runs on each brief, empty where a latency is not measured.
    """

    cells: tuple[ScoredCell, ...]
    weights: CellWeights
    missing: tuple[str, ...]
    seconds: Mapping[str, Floats]


def run_policy(policy: Policy, cells: Iterable[ScoredCell]) -> PolicyRuns:
    """Estimate a policy on every brief of the cells of its models; equal cells give equal runs."""
    random = np.random.default_rng(SEED)
    own = sorted(
        (cell for cell in cells if cell.model_id in policy.models), key=lambda cell: cell.cell
    )
    called: dict[Cell, float] = {}
    counted: dict[Cell, float] = {}
    missing: list[str] = []
    seconds: dict[str, Floats] = {}
    for brief, of_brief in group(own, lambda cell: cell.brief_id).items():
        answers = [cell for cell in of_brief if cell.answered]
        estimate = estimate_brief(policy, answers)
        if estimate is None:
            missing.append(brief)
            continue
        ids = [cell.cell for cell in answers]
        called |= zip(ids, estimate[0].tolist(), strict=True)
        counted |= zip(ids, estimate[1].tolist(), strict=True)
        seconds[brief] = draw_seconds(policy, answers, random)
    if any(np.isnan(runs).any() for runs in seconds.values()):
        seconds = {}
    weights = CellWeights(
        called=[called.get(cell.cell, 0.0) for cell in own],
        counted=[counted.get(cell.cell, 0.0) for cell in own],
        latencies_ms=[1000 * run for runs in seconds.values() for run in runs.tolist()],
    )
    return PolicyRuns(tuple(own), weights, tuple(missing), seconds)


def tries_of(policy: Policy) -> list[str]:
    """The model of each try that a run of the policy may make, in order."""
    return [step.model for step in policy.steps for _ in range(step.tries)]


def estimate_brief(policy: Policy, answers: Sequence[ScoredCell]) -> tuple[Floats, Floats] | None:
    """The chances that each answer is called, and that it is the one that counts: the exact means
    over every order in which the answers may be drawn, none of them twice; None with fewer answers
    of a model than the policy may call.

    When a try is reached, all earlier answers were rejected: of n answers of its model, r of them
    rejected by the rule, d were drawn before. Each accepted answer is drawn with the chance
    1 / (n - d), and the try is rejected with the chance (r - d) / (n - d). The product over j tries
    is C(r, j) / C(n, j), the unbiased estimate of 1 - *pass@j*.

    Source: M. Chen et al., Evaluating Large Language Models Trained on Code, arXiv 2107.03374
    (2021).
    """
    models = [cell.model_id for cell in answers]
    if Counter(tries_of(policy)) - Counter(models):
        return None
    accepted = _accepted(policy, answers)
    called, counted = np.zeros(len(answers)), np.zeros(len(answers))
    drawn: Counter[str] = Counter()
    reached = 1.0
    for model in tries_of(policy):
        own = np.array([name == model for name in models])
        rejected = own & ~accepted
        left = int(own.sum()) - drawn[model]
        rejected_left = max(int(rejected.sum()) - drawn[model], 0)
        chance = rejected_left / max(int(rejected.sum()), 1)
        called += reached / left * np.where(rejected, chance, own)
        counted += reached / left * (own & accepted)
        reached *= rejected_left / left
        drawn[model] += 1
    counted += reached * rejected / max(int(rejected.sum()), 1)
    return called, counted


def draw_seconds(
    policy: Policy, answers: Sequence[ScoredCell], random: np.random.Generator
) -> Floats:
    """The seconds of `DRAWS` runs, each over the stored answers, as many of each model as it may
    call at least, in an order that is drawn; NaN where a latency is not measured.
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
    for model in tries_of(policy):
        called = orders[model][:, drawn[model]]
        total += np.where(is_open, seconds[called], 0.0)
        is_open &= ~accepted[called]
        drawn[model] += 1
    return total


def _accepted(policy: Policy, cells: Sequence[ScoredCell]) -> Bools:
    return np.array([policy.accepts(cell.usable, cell.score) for cell in cells])
