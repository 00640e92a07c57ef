"""Fetches all missing answers of a run: claims those that no other run is fetching, has them called, waits for the others."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from stages.generate.answers.api_answer import PaidAnswer
from stages.generate.calls.faults import CallFailure
from stages.generate.calls.workers import Store
from stages.generate.plan.cells import Call, PlannedCell
from stages.generate.plan.draws import AnswerStore, needed, next_call, read_draw

LOOK_AGAIN_S = 0.5
"""Time between two looks at what another run is fetching, seconds."""


class Keeper(AnswerStore, Protocol):
    """The ledger, or a store in memory."""

    async def put(self, answer: PaidAnswer, /) -> None:
        """Return when the answer is durable."""


class Claimed(Protocol):
    """The claims of this run."""

    def take(self, fingerprints: Sequence[str], /) -> Collection[str]:
        """Claim what no other run is fetching; returns what is ours."""

    def give_back(self, fingerprints: Sequence[str], /) -> None:
        """Let others try."""


CallRunner = Callable[[Sequence[Call], Store], Awaitable[Mapping[str, CallFailure]]]
"""Makes calls and stores their answers; gives those that failed, by fingerprint."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What the calls of a run brought: the fingerprints that were answered, and why the others were not."""

    answered: frozenset[str] = frozenset()
    failures: Mapping[str, CallFailure] = field(default_factory=dict)


async def fetch(
    cells: Sequence[PlannedCell],
    *,
    ledger: Keeper,
    claims: Claimed,
    run: CallRunner,
    say: Callable[[str], None],
) -> Fetched:
    """Fetch every answer that the cells still need; each is durable in the ledger before it counts.

    `run` makes the calls; what another run is fetching is waited for.
    """
    failures: dict[str, CallFailure] = {}
    answered: set[str] = set()
    waiting = False

    async def store(call: Call, answer: PaidAnswer) -> Call | None:
        await ledger.put(answer)
        answered.add(answer.fingerprint)
        following = next_call(call.planned, [read_draw(call.planned, call.draw, answer)])
        return following if following and claims.take([following.fingerprint]) else None

    while missing := needed(cells, ledger, failures):
        ours = claims.take([call.fingerprint for call in missing])
        calls = [call for call in missing if call.fingerprint in ours]
        if not calls:
            if not waiting:
                say(f"waiting for {len(missing):,} answers that another run is fetching")
                waiting = True
            await asyncio.sleep(LOOK_AGAIN_S)
            continue
        failed = await run(calls, store)
        claims.give_back(list(failed))
        failures |= failed
    return Fetched(frozenset(answered), failures)
