"""Calls, settings and runs for the tests of calling."""

import asyncio
import random
from dataclasses import replace

from graph_evaluator.generate.calls.booking import Budget, Intake
from graph_evaluator.generate.calls.callers import open_callers
from graph_evaluator.generate.calls.outcome import CallFailed, Fault, Reply
from graph_evaluator.generate.calls.runner import CallRunner
from graph_evaluator.generate.plan.call import Call, Endpoint
from graph_evaluator.generate.plan.cells import PlannedCell
from graph_evaluator.records.brief import Prompt
from graph_evaluator.records.params import RuntimeParams
from graph_evaluator.records.response import Cell
from tests.generate.asking import config, planned_model


def settings(**changed) -> RuntimeParams:
    """The runtime's settings with some changed."""
    return RuntimeParams.model_validate({"warm_prompt_cache": False, **changed})


def call(
    name="a",
    *,
    url=None,
    endpoint=None,
    model="m",
    draw=1,
    instructions="Draw a graph.",
    sent=None,
    input_tokens=10,
    output_tokens=100,
    cost_upper_usd=0.01,
    cost_usd=0.001,
    timeout_s=10.0,
) -> Call:
    """A call whose input and fingerprint are its name; its second draw has
    the fingerprint `name/2`.

    An answer of 100 tokens costs `cost_usd`.
    """
    pricing = {"input_per_1m": 0.0, "output_per_1m": cost_usd * 1e4, "source": "a test"}
    priced = config(model, params={"max_output_tokens": output_tokens}, pricing=pricing)
    planned = replace(
        planned_model(priced),
        endpoint=endpoint or Endpoint(provider="openai", url=url),
        settings=sent or {},
    )
    made = Call(
        cell=Cell(model, name, 1),
        planned=planned,
        prompt=Prompt("p", instructions),
        text=name,
        identity={"input": name, "draw": draw},
        fingerprint=name if draw == 1 else f"{name}/{draw}",
        draw=draw,
        input_tokens=input_tokens,
        timeout_s=timeout_s,
    )
    vars(made)["cost_upper_usd"] = cost_upper_usd
    return made


def limited(wait_s=None, message="x") -> Fault:
    """A refusal by a rate limit, which may say how long to wait."""
    return Fault(status="rate_limited", code="x", message=message, wait_s=wait_s)


def attempt(one, **variables) -> Reply | Fault:
    """What one attempt to make a call brings."""
    return asyncio.run(_attempt(one, variables))


async def _attempt(one, variables) -> Reply | Fault:
    async with open_callers([one.endpoint], variables) as callers:
        try:
            return await callers[one.endpoint](one)
        except CallFailed as failed:
            return failed.fault


def cells_of(calls, further=None) -> dict[str, PlannedCell]:
    """The cells of calls by fingerprint; `further` has the second draw of some."""
    cells: dict[str, PlannedCell] = {}
    for one in calls:
        second = (further or {}).get(one.fingerprint)
        draws = (one,) if second is None else (one, second)
        cells[one.fingerprint] = PlannedCell(draws)
    return cells


async def run_calls(
    calls,
    caller,
    store=lambda _call, _answer: None,
    *,
    further=None,
    budget=None,
    observe=lambda _event, _cost_usd: None,
    **changed,
) -> dict[str, Fault]:
    """The failures of a run; `store` takes the answers."""

    async def keep(call, answer, _usd):
        store(call, answer)

    runtime = settings(**changed)
    intake = Intake(
        budget=budget or Budget(runtime.max_cost_usd),
        keep=keep,
        cells=cells_of(calls, further),
        observe=observe,
    )
    runner = CallRunner(
        callers={call.endpoint: caller for call in calls},
        intake=intake,
        settings=runtime,
        jitter=random.Random(1).random,
        max_in_flight=runtime.max_concurrency,
    )
    await runner.run(calls)
    return dict(sorted(intake.failures.items()))
