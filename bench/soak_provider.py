"""A provider for the soak: fails in every known way at random, gives each answer a number, and books what it sent whole."""

import asyncio
import json
import random
import threading
import time
from collections import defaultdict
from typing import NamedTuple

from tests.generate.faulty_server import PASSING, FaultyServer, answer, faulty_server, http

FAULTS = (*PASSING, "drip", "silence", "silent body")
SLOW_SHARE = 0.02


class Sent(NamedTuple):
    """An answer that went out whole: its number, and when."""

    number: int
    at: float


class Provider(FaultyServer):
    """`sent` holds, by model and input, every answer that was sent to its last byte. Runs in a thread of its own."""

    def __init__(self, seed: int, share: float, latency_s: float) -> None:
        super().__init__(latency_s=latency_s)
        self.sent: defaultdict[tuple[str, str], list[Sent]] = defaultdict(list)
        self._draw = random.Random(seed)
        self._share = share
        self._ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True).start()
        self._ready.wait()

    async def _run(self) -> None:
        async with faulty_server(self):
            self._ready.set()
            await asyncio.Event().wait()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        asked = json.loads(await reader.readexactly(length))
        cell = (str(asked["model"]), str(asked["input"]))
        self.calls["all"] += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.latency_s * (0.5 + self._draw.random()))
            fault = self._fault()
            self.faults[fault or "none"] += 1
            if fault is not None:
                return await self._send("x", fault, writer)
            number = self.calls["numbered"]
            self.calls["numbered"] += 1
            body = json.loads(answer(str(number)))
            body["output"][0]["content"][0]["text"] = json.dumps(
                {"nodes": [], "edges": [], "number": number}
            )
            writer.write(
                http(200, json.dumps(body).encode(), None, content_type="application/json")
            )
            await writer.drain()
            if not writer.transport.is_closing():
                self.sent[cell].append(Sent(number, time.monotonic()))
            return True
        finally:
            self.in_flight -= 1

    def _fault(self) -> str | None:
        chance = self._draw.random()
        if chance < self._share * SLOW_SHARE:
            return self._draw.choice(("drip", "silence", "silent body"))
        return self._draw.choice(PASSING) if chance < self._share else None
