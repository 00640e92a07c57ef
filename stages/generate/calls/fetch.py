"""Fetches all missing answers of a run.

Claims those that no other run is fetching, has them called, waits for the others.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from stages.generate.answers.answer import Answer
from stages.generate.calls.faults import Fault
from stages.generate.calls.runner import Store
from stages.generate.ledger.locked_files import Claims
from stages.generate.ledger.store import Ledger
from stages.generate.plan.call import Call
from stages.generate.plan.work import CellWork

LOOK_AGAIN_S = 0.5
"""Time between two looks at what another run is fetching, seconds."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What the calls of a run brought, by fingerprint.

    The cost of answers, and why others failed.
    """

    paid_usd: Mapping[str, float | None] = field(default_factory=dict)
    failures: Mapping[str, Fault] = field(default_factory=dict)


async def fetch(
    work: CellWork,
    *,
    ledger: Ledger,
    claims: Claims,
    run: Callable[[Sequence[Call], Store], Awaitable[Mapping[str, Fault]]],
    say: Callable[[str], None],
) -> Fetched:
    """Fetch every answer that the work still needs; each is durable in the ledger before it counts.

    `run` makes calls, stores their answers, and gives those that failed. What another run has
    claimed is waited for.
    """
    failures: dict[str, Fault] = {}
    paid_usd: dict[str, float | None] = {}
    waiting = False

    def take(calls: Sequence[Call]) -> list[Call]:
        ours = claims.take([call.fingerprint for call in calls])
        return [call for call in calls if call.fingerprint in ours]

    async def store(call: Call, answer: Answer, cost_usd: float | None) -> Call | None:
        await ledger.put(answer)
        paid_usd[answer.fingerprint] = cost_usd
        following = work.following(call, answer)
        if following is None or not take([following]):
            return None
        return following

    while missing := work.needed(failures):
        if calls := take(missing):
            failed = await run(calls, store)
            claims.give_back(failed)
            failures |= failed
            continue
        if not waiting:
            say(f"waiting for {len(missing):,} answers that another run is fetching")
            waiting = True
        await asyncio.sleep(LOOK_AGAIN_S)
    return Fetched(paid_usd, failures)
