"""How long a policy takes on one brief. Pure."""

from collections.abc import Mapping

import numpy as np

from stages.contracts.policy import PolicySteps
from stages.policies.estimation import AnswerArrays, Answers, Floats, arrays_of, has_enough

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
    drawn: dict[str, AnswerArrays] = {}
    for model in policy.models:
        order = np.tile(np.arange(len(answers[model])), (DRAWS, 1))
        drawn[model] = arrays_of(policy, answers[model]).take(random.permuted(order, axis=1))
    total = seconds_in_order(policy, drawn)
    return None if np.isnan(total).any() else total


def seconds_in_order(policy: PolicySteps, answers: Mapping[str, AnswerArrays]) -> Floats:
    """The seconds of runs that take the answers of each model in the order of the last axis.

    The calls of a round are made at once, and the slowest counts; rounds add up.
    """
    drawn = dict.fromkeys(policy.models, 0)
    total = np.zeros(answers[policy.steps[0].model].seconds.shape[:-1])
    is_open = np.full(total.shape, True)
    for step in policy.steps:
        for calls in step.rounds:
            first = drawn[step.model]
            called = slice(first, first + calls)
            total += np.where(is_open, answers[step.model].seconds[..., called].max(axis=-1), 0.0)
            is_open &= ~answers[step.model].accepted[..., called].any(axis=-1)
            drawn[step.model] += calls
    return total
