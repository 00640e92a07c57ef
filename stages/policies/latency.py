"""How long a policy takes on one brief. Pure."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from stages.contracts.policy import PolicySteps
from stages.policies.estimation import Answers, Bools, Floats, has_enough

SEED = 20261123
DRAWS = 1000
"""Runs of a policy that are drawn on each brief."""


def draw_seconds(
    policy: PolicySteps, answers: Answers, random: np.random.Generator
) -> Floats | None:
    """The seconds of `DRAWS` runs, each over the stored answers in an order that is drawn.

    None with fewer answers of a model than it may call, and where a latency is not measured.
    """
    if not has_enough(policy, answers):
        return None
    orders = {model: _orders(len(answers[model]), random) for model in policy.models}
    accepted = {model: _accepted(policy, answers, model)[orders[model]] for model in orders}
    seconds = {model: _seconds(answers, model)[orders[model]] for model in orders}
    total = seconds_in_order(policy, accepted, seconds)
    return None if np.isnan(total).any() else total


def seconds_in_order(
    policy: PolicySteps, accepted: Mapping[str, Bools], seconds: Mapping[str, Floats]
) -> Floats:
    """The seconds of runs that take the answers of each model in the order of the last axis.

    The calls of a round are made at once, and the slowest counts; rounds add up.
    """
    drawn = dict.fromkeys(policy.models, 0)
    total = np.zeros(seconds[policy.steps[0].model].shape[:-1])
    is_open = np.full(total.shape, True)
    for step in policy.steps:
        for calls in step.rounds:
            first = drawn[step.model]
            called = slice(first, first + calls)
            total += np.where(is_open, seconds[step.model][..., called].max(axis=-1), 0.0)
            is_open &= ~accepted[step.model][..., called].any(axis=-1)
            drawn[step.model] += calls
    return total


def _orders(answers: int, random: np.random.Generator) -> NDArray[np.int64]:
    return random.permuted(np.tile(np.arange(answers), (DRAWS, 1)), axis=1)


def _accepted(policy: PolicySteps, answers: Answers, model: str) -> Bools:
    return np.array(
        [policy.accepts(answer.score is not None, answer.score or 0.0) for answer in answers[model]]
    )


def _seconds(answers: Answers, model: str) -> Floats:
    """NaN where it is not measured."""
    return np.array(
        [np.nan if answer.seconds is None else answer.seconds for answer in answers[model]]
    )
