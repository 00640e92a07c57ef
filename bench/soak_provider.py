"""A provider for the soak: fails in every known way at random, gives each answer a number, and books what it sent whole."""

import json
import random
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from tests.builders.faulty_replies import FAULTS, PASSING, SLOW_FAULTS, answer
from tests.builders.provider import FakeProvider, Reply, Request

SLOW_SHARE = 0.02


class Sent(NamedTuple):
    """An answer that went out whole: its number, and when."""

    number: int
    at: float


@dataclass(frozen=True)
class NumberedReply(Reply):
    """An answer with a number of its own."""

    number: int = 0


class Provider(FakeProvider):
    """`sent` holds, by model and input, every answer that was sent to its last byte. Runs in a thread of its own."""

    def __init__(self, seed: int, share: float, latency_s: float) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.sent: defaultdict[tuple[str, str], list[Sent]] = defaultdict(list)
        self._draw = random.Random(seed)
        self._share = share
        self._latency_s = latency_s
        self.__enter__()

    def reply(self, request: Request) -> Reply:
        """A fault, or an answer with the next number."""
        time.sleep(self._latency_s * (0.5 + self._draw.random()))
        with self.lock:
            self.requests.clear()  # a soak makes too many to keep
            self.calls["all"] += 1
            fault = self._fault()
            self.faults[fault or "none"] += 1
            if fault is not None:
                return (FAULTS | SLOW_FAULTS)[fault]
            number = self.calls["numbered"]
            self.calls["numbered"] += 1
            body = json.loads(answer(str(number)))
            body["id"] = f"resp_{number}"
            graph = {"nodes": [], "edges": [], "number": number}
            body["output"][0]["content"][0]["text"] = json.dumps(graph)
            return NumberedReply(json.dumps(body).encode(), number=number)

    def was_sent(self, request: Request, reply: Reply) -> None:
        """Book an answer that went out whole."""
        if isinstance(reply, NumberedReply):
            cell = (str(request.body["model"]), str(request.body["input"]))
            with self.lock:
                self.sent[cell].append(Sent(reply.number, time.monotonic()))

    def _fault(self) -> str | None:
        chance = self._draw.random()
        if chance < self._share * SLOW_SHARE:
            return self._draw.choice(tuple(SLOW_FAULTS))
        return self._draw.choice(PASSING) if chance < self._share else None
