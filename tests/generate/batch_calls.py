"""Calls as the batch tests need them, and what a batch run works with."""

import asyncio
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from stages.contracts.json_text import JsonValue
from stages.contracts.params import RuntimeParams
from stages.generate.answers.answer import Answer
from stages.generate.batch.collect import BatchRun
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import Fault
from stages.generate.calls.progress import CallEvent
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint
from tests.generate.calls.examples import call as example_call

SENT: dict[str, JsonValue] = {"max_output_tokens": 100}


def call(
    number: int,
    endpoint: Endpoint,
    *,
    model: str = "m",
    draw: int = 1,
    text: str | None = None,
    sent: dict[str, JsonValue] = SENT,
) -> Call:
    """The call of brief `number`, which may take two draws."""
    fingerprint = hashlib.sha256(f"{model} {number} {draw}".encode()).hexdigest()
    example = example_call(
        f"brief {number}" if text is None else text,
        endpoint=endpoint,
        model=model,
        draw=draw,
        sent=sent,
        instructions="the prompt",
        cost_upper_usd=0.02,
        cost_usd=0.0012,
    )
    return replace(example, fingerprint=fingerprint)


class Shelf:
    """Stored answers by fingerprint; a second answer to the same call is counted."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.again = 0
        self.further: dict[str, Call] = {}

    async def store(self, _call: Call, answer: Answer, _usd: float | None) -> Call | None:
        self.again += answer.fingerprint in self.answers
        self.answers.setdefault(answer.fingerprint, answer)
        return self.further.get(answer.fingerprint)


class Clock:
    """A clock that sleeping moves, so that no test waits; while `stopped`, a sleep never ends and `asked` is set."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.stopped = False
        self.asked = asyncio.Event()

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        if self.stopped:
            self.asked.set()
            await asyncio.Event().wait()
        self.now += seconds
        await asyncio.sleep(0)


class Bench:
    """A folder with a journal, and runs over it; `said` are the sentences printed."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.shelf = Shelf()
        self.clock = Clock()
        self.settings = settings
        self.budget = Budget(None)
        self.said: list[str] = []
        self.events: list[CallEvent] = []

    async def run(self, calls: list[Call], *, wait: bool = True, **options: Any) -> dict[str, str]:
        """The outcome of each call: "answered", or the status of its failure."""
        failures = await self.failures(calls, wait=wait, **options)
        ours = [
            *(one.fingerprint for one in calls),
            *(one.fingerprint for one in self.shelf.further.values()),
        ]
        return {
            key: failures[key].status if key in failures else "answered"
            for key in ours
            if key in failures or key in self.shelf.answers
        }

    async def failures(
        self, calls: list[Call], *, wait: bool = True, **options: Any
    ) -> dict[str, Fault]:
        run = BatchRun(
            folder=self.folder / "ledger",
            settings=RuntimeParams.model_validate(
                {"mode": "batch" if wait else "direct", **self.settings}
            ),
            variables={"KEY": "sk-canary-000000"},
            budget=self.budget,
            store=self.shelf.store,
            observe=self.events.append,
            say=self.say,
            calls={one.fingerprint: one for one in calls},
            clock=self.clock,
            sleep=self.clock.sleep,
            **options,
        )
        return await run.run()

    def say(self, text: str) -> None:
        self.said.append(text)
