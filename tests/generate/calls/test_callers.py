"""Simulated models are called through the same seam as real ones."""

import asyncio
import json
from dataclasses import replace

from graph_evaluator.generate.calls.callers import open_callers
from graph_evaluator.generate.calls.outcome import CallFailed, Reply
from tests.generate.asking import cell, config


def call(model="sim-careful", text="Tea or coffee?", *, draw=1):
    of = config("m", provider="simulated", model=model)
    return replace(cell(of, body=text, draws=2).calls[draw - 1], timeout_s=5.0)


def replies(*calls):
    """The replies to calls made one after the other, or the status of their fault."""

    async def run():
        results: list[Reply | str] = []
        async with open_callers([one.endpoint for one in calls], {}) as callers:
            for one in calls:
                try:
                    results.append(await callers[one.endpoint](one))
                except CallFailed as failed:
                    results.append(failed.fault.status)
        return results

    return asyncio.run(run())


def test_a_reply_has_the_simulated_time_and_address():
    (reply,) = replies(call())
    assert isinstance(reply, Reply)
    assert reply.created_at.startswith("2026-01-05T")
    assert json.loads(reply.body)["model"] == "sim-careful"


def test_the_flaky_model_answers_the_second_call():
    flaky = [call("sim-flaky", f"brief {number}") for number in range(20)]
    first = replies(*flaky)
    failing = [one for one, reply in zip(flaky, first, strict=True) if reply == "server_error"]
    assert 0 < len(failing) < 20
    _, second = replies(failing[0], failing[0])
    assert isinstance(second, Reply)
