"""Calls as the batch tests need them, and what a batch run works with."""

import asyncio
from dataclasses import replace
from typing import Any

from graph_evaluator.generate.batch.collect import BatchRun
from graph_evaluator.generate.calls.booking import Budget, Event, Intake
from graph_evaluator.generate.calls.outcome import Fault
from graph_evaluator.generate.plan.call import Call, Endpoint
from graph_evaluator.records.params import RuntimeParams
from graph_evaluator.records.response import Answer
from tests.generate.calls.examples import call, cells_of


class Clock:
    """A clock that sleeping moves: no test waits. While it is `stopped`, a sleep never ends."""

    def __init__(self):
        self.now = 1_800_000_000.0
        self.stopped = False
        self.asked = False

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds):
        self.asked = True
        if self.stopped:
            await asyncio.Event().wait()
        self.now += seconds
        await asyncio.sleep(0)


class Bench:
    """A server, a folder with a journal, and runs over them; `said` are the sentences printed.

    An answer is stored by its fingerprint; `again` counts second answers to the same call.
    """

    def __init__(self, folder, service):
        self.folder = folder
        self.service = service
        self.endpoint = Endpoint(provider="openai", url=service.url, key_env="KEY")
        self.clock = Clock()
        self.settings: dict[str, Any] = {}
        self.said: list[str] = []
        self.events: list[Event] = []
        self.budget = Budget(None)
        self.answers: dict[str, Answer] = {}
        self.again = 0
        self.further: dict[str, Call] = {}

    def calls(self, count, **changes) -> list[Call]:
        """The calls of the first briefs."""
        return [self.call(f"brief {number}", **changes) for number in range(count)]

    def call(self, name, *, model="m", draw=1) -> Call:
        """The call of a brief; its fingerprint has no name of another model."""
        asked = call(name, endpoint=self.endpoint, model=model, draw=draw)
        return replace(asked, fingerprint=f"{model} {asked.fingerprint}")

    def outcomes(self, calls, *, wait=True) -> list[str]:
        """How each call of a run ended, further draws last: "answered", or its failure's status."""
        failures = self.faults(calls, wait=wait)
        ours = [call.fingerprint for call in (*calls, *self.further.values())]
        return [
            failures[key].status if key in failures else "answered"
            for key in ours
            if key in failures or key in self.answers
        ]

    def faults(self, calls, *, wait=True) -> dict[str, Fault]:
        """The failures of a run."""
        return asyncio.run(self._run(calls, "batch" if wait else "direct"))

    def stop_while_waiting(self, calls):
        """Begin a run, and stop it when it waits for its batches."""
        self.clock.stopped, self.clock.asked = True, False
        asyncio.run(self._stop(calls))
        self.clock.stopped = False

    async def _stop(self, calls):
        task = asyncio.create_task(self._run(calls, "batch"))
        while not self.clock.asked:
            await asyncio.sleep(0.005)
        task.cancel()
        await asyncio.wait([task])

    async def _run(self, calls, mode) -> dict[str, Fault]:
        intake = Intake(
            budget=self.budget,
            keep=self.keep,
            cells=cells_of(calls, self.further),
            observe=lambda event, _usd: self.events.append(event),
        )
        run = BatchRun(
            folder=self.folder / "ledger",
            settings=RuntimeParams.model_validate({"mode": mode} | self.settings),
            variables={"KEY": "sk-canary-000000"},
            intake=intake,
            say=self.said.append,
            calls={call.fingerprint: call for call in calls},
            clock=self.clock,
            sleep=self.clock.sleep,
        )
        await run.run()
        return intake.failures

    async def keep(self, call, answer, _usd):
        self.again += call.fingerprint in self.answers
        self.answers.setdefault(call.fingerprint, answer)
