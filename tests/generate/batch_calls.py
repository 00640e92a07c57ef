"""Calls as the batch tests need them, and the pieces that a batch run works with."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

from stages.generate.call import Answer, Call, Endpoint
from stages.generate.caller import Result

from stages.contracts.cell import Cell
from stages.contracts.json_text import JsonValue
from stages.contracts.params import RuntimeParams
from stages.generate.batch.client import BatchClient
from stages.generate.batch.journal import BatchJournal
from stages.generate.batch.runner import BatchRun
from stages.generate.batch.submission import Tools


def call(number: int, endpoint: Endpoint, *, model: str = "m", draw: int = 1, **changes: Any) -> Call:
    """The call of brief `number`."""
    settings: dict[str, JsonValue] = {"max_output_tokens": 100}
    fields: dict[str, Any] = {
        "fingerprint": hashlib.sha256(f"{model} {number} {draw}".encode()).hexdigest(),
        "cell": Cell(model, f"brief-{number}", 1),
        "round": 1,
        "draw": draw,
        "endpoint": endpoint,
        "model": model,
        "instructions": "the prompt",
        "instructions_sha256": "0" * 64,
        "input": f"brief {number}",
        "settings": settings,
        "timeout_s": 10.0,
        "input_tokens_estimate": 10,
        "output_tokens_upper": 100,
        "cost_upper_usd": 0.02,
    }
    return Call(**{**fields, **changes})


class Shelf:
    """Stored answers by fingerprint; a second answer to the same call is counted."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.again = 0
        self.further: dict[str, Call] = {}

    async def store(self, answer: Answer) -> Call | None:
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
    """A folder with a journal, and runs over it."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.shelf = Shelf()
        self.clock = Clock()
        self.settings = RuntimeParams.model_validate({"mode": "batch", **settings})
        self.keys = 0

    def key(self) -> str:
        self.keys += 1
        return f"key-{self.keys}-{len(list(self.folder.rglob('*')))}"

    async def run(self, calls: list[Call], *, wait: bool = True, **options: Any) -> dict[str, Result]:
        journal = BatchJournal(self.folder / "ledger")
        clients: dict[Endpoint, BatchClient] = {}

        def service(endpoint: Endpoint) -> BatchClient:
            if endpoint not in clients:
                clients[endpoint] = BatchClient(endpoint, {"KEY": "sk-canary-000000"})
            return clients[endpoint]

        tools = Tools(
            journal=journal,
            settings=self.settings,
            clock=self.clock,
            sleep=self.clock.sleep,
            draw=lambda: 0.5,
            new_key=self.key,
        )
        try:
            return await BatchRun(
                calls,
                service=service,
                tools=tools,
                store=self.shelf.store,
                price=lambda _call, _body: 0.001,
                arrived_at=lambda: "2026-01-01T00:00:00Z",
                **options,
            ).run(wait=wait)
        finally:
            for client in clients.values():
                await client.close()
            journal.close()
