"""Twelve policies on the simulated models: what is estimated from a run, and what fresh answers
give.
"""

import asyncio
import itertools
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from bench.calibration.policies import CONFIDENCE, covers, estimate_means
from stages.contracts.brief import Brief
from stages.contracts.json_text import canonical
from stages.contracts.params import GenerateParams, RuntimeParams
from stages.contracts.policy import MinScore, PolicyStep, PolicySteps
from stages.generate import Call, RepairRules, Reply, generate
from stages.generate.callers import DRAW_KEY, by_simulated_clock, draw_of
from stages.policies.estimation import Answers, Floats, StoredAnswer
from stages.policies.intervals import RunMeans, intervals_given_briefs
from stages.policies.stored import stored_answer
from stages.score import Scorer
from stages.shell import inputs, paths
from stages.simulate.reply import answered
from stages.simulate.request import RESPONSES, read_request

SAMPLES = 4
CAREFUL, CHATTY, DEEP, SLOPPY = "sim-careful", "sim-chatty", "sim-deep", "sim-sloppy"
REPAIRS, STUCK = "drill-repairs", "drill-stuck"


def _policy(name: str, *steps: PolicyStep, min_score: float = 0.0) -> PolicySteps:
    return PolicySteps(id=name, accept=MinScore(min_score=min_score), steps=steps)


def _step(model: str, tries: int = 1, *, repair: bool = False) -> PolicyStep:
    return PolicyStep(model=model, tries=tries, repair=repair)


POLICIES = (
    _policy("chatty", _step(CHATTY)),
    _policy("chatty, 4 tries", _step(CHATTY, 4)),
    _policy("sloppy, 3 tries", _step(SLOPPY, 3)),
    _policy("sloppy, best of 4", PolicyStep(model=SLOPPY, best_of=4)),
    _policy("sloppy, 2 tries, then careful", _step(SLOPPY, 2), _step(CAREFUL)),
    _policy("chatty, then deep", _step(CHATTY), _step(DEEP)),
    _policy("deep, 2 tries", _step(DEEP, 2)),
    _policy("chatty to 0.8, then careful", _step(CHATTY, 2), _step(CAREFUL), min_score=0.8),
    _policy("fails by brief, 4 tries", _step(STUCK, 4)),
    _policy("fails by brief, then chatty", _step(STUCK, 2), _step(CHATTY, 2)),
    _policy("repair", _step(REPAIRS, repair=True)),
    _policy("sloppy with repair, then deep", _step(SLOPPY, repair=True), _step(DEEP)),
)
MODELS = sorted({model for policy in POLICIES for model in policy.models})


@dataclass(frozen=True, slots=True)
class DrawnRun:
    """The answers of one run to each brief, as they came first and after their repair."""

    first: Sequence[Answers]
    repaired: Sequence[Answers]


@dataclass(frozen=True, slots=True)
class LivePolicy:
    """A policy: its live means, its estimates in each repetition (score, dollars, p95), and whether
    their intervals hold the live means.
    """

    policy: PolicySteps
    live: RunMeans
    estimates: Floats
    held: Floats


def run_live(briefs: Sequence[Brief], repetitions: int) -> list[LivePolicy]:
    """Every policy, estimated from each of so many runs on the briefs, and run live once on the
    answers of the run after it.
    """
    with ProcessPoolExecutor() as pool:
        runs = list(pool.map(partial(draw_run, briefs), range(1, repetitions + 2)))
        answers = [[_answers(policy, run) for run in runs] for policy in POLICIES]
        return list(pool.map(_beside_live, POLICIES, answers))


def draw_run(briefs: Sequence[Brief], number: int) -> DrawnRun:
    """The run of a number: fresh answers, with their repairs, from all models to the briefs."""
    params = inputs.load_params()
    prompt = inputs.load_prompt(params.prompt)
    drawn = asyncio.run(
        generate(
            prompt.text,
            inputs.load_models(MODELS),
            briefs,
            call=_call,
            settings=GenerateParams(samples=SAMPLES, round=number, repair=1),
            runtime=RuntimeParams.model_validate({}),
            repair=RepairRules(paths.REPAIR_TEMPLATE.read_text("utf-8"), params.score.limits),
        )
    )
    scorer = Scorer(params.score, briefs, prompt)
    first, repaired = (
        {brief.id: {model: list[StoredAnswer]() for model in MODELS} for brief in briefs}
        for _ in range(2)
    )
    for response in drawn.responses:
        card = scorer.score(response)
        brief, model = card.brief_id, card.model_id
        repaired[brief][model].append(stored_answer(card))
        first[brief][model].append(stored_answer(card.first_answer))
    return DrawnRun(list(first.values()), list(repaired.values()))


async def _call(call: Call) -> Reply:
    """The reply of a simulated model, without a server between."""
    body = call.body() | {"metadata": {DRAW_KEY: draw_of(call)}}
    reply = answered(read_request(canonical(body), RESPONSES), RESPONSES)
    text = canonical(reply.body).decode()
    return by_simulated_clock(Reply(body=text, latency_ms=0.0, created_at="", endpoint=""))


def _answers(policy: PolicySteps, run: DrawnRun) -> list[Answers]:
    """The answers to each brief as the policy gets them."""
    return [
        {
            model: repaired[model] if model in policy.repaired_models else first[model]
            for model in policy.models
        }
        for first, repaired in zip(run.first, run.repaired, strict=True)
    ]


def _beside_live(policy: PolicySteps, runs: Sequence[Sequence[Answers]]) -> LivePolicy:
    random = np.random.default_rng(0)
    scores, usd, seconds = np.array(
        [[live_run(policy, answers) for answers in run] for run in runs[1:]]
    ).transpose(2, 0, 1)
    live = RunMeans(float(scores.mean()), float(usd.mean()), float(np.quantile(seconds, 0.95)))
    estimates: list[tuple[float | None, ...]] = []
    held: list[list[bool]] = []
    for run in runs[:-1]:
        means = estimate_means(policy, run, random)
        intervals = intervals_given_briefs(policy, run, means, CONFIDENCE, random)
        estimates.append((means.score, means.usd, means.p95_s))
        held.append(covers(live, intervals))
    return LivePolicy(policy, live, np.array(estimates, dtype=float), np.array(held, dtype=float))


def live_run(policy: PolicySteps, answers: Answers) -> tuple[float, float, float]:
    """Score, dollars and seconds of a policy on one brief: it calls one answer after another."""
    unseen = {model: iter(of_model) for model, of_model in answers.items()}
    usd = seconds = 0.0
    for step in policy.steps:
        for calls in step.rounds:
            called = list(itertools.islice(unseen[step.model], calls))
            usd += sum(answer.usd or 0.0 for answer in called)
            seconds += max(answer.seconds or 0.0 for answer in called)
            best = max(called, key=lambda answer: answer.score or 0.0)
            if policy.accepts(best.score is not None, best.score or 0.0):
                return best.score or 0.0, usd, seconds
    return best.score or 0.0, usd, seconds


def regrets(policies: Sequence[LivePolicy]) -> Floats:
    """By how much the live score of the policy that each run estimates to be best is below the
    best live score.
    """
    live = np.array([policy.live.score for policy in policies])
    chosen = np.argmax([policy.estimates[:, 0] for policy in policies], axis=0)
    below: Floats = live.max() - live[chosen]
    return below
