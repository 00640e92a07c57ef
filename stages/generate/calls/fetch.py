"""Fetches all missing answers of a run: claims those that no other run is fetching, has them called, waits for the others."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from stages.generate.answers.api_answer import PaidAnswer
from stages.generate.calls.faults import Fault
from stages.generate.calls.runner import Store
from stages.generate.ledger.claims import Claims
from stages.generate.ledger.rows import LedgerEntry
from stages.generate.plan.cells import Call, PlannedCell
from stages.generate.plan.draws import AnswerStore, needed, read_draw

LOOK_AGAIN_S = 0.5
"""Time between two looks at what another run is fetching, seconds."""


class Keeper(AnswerStore, Protocol):
    """The ledger, or a store in memory."""

    async def put(self, entry: LedgerEntry, /) -> None:
        """Return when the answer is durable."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What the calls of a run brought: the fingerprints that were answered, and why the others were not."""

    answered: frozenset[str] = frozenset()
    failures: Mapping[str, Fault] = field(default_factory=dict)


async def fetch(
    cells: Sequence[PlannedCell],
    *,
    ledger: Keeper,
    claims: Claims | None,
    call_of: Callable[[PlannedCell, int], Call],
    run: Callable[[Sequence[Call], Store], Awaitable[Mapping[str, Fault]]],
    say: Callable[[str], None],
) -> Fetched:
    """Fetch every answer that the cells still need; each is durable in the ledger before it counts.

    `call_of` makes the call for a draw of a cell; `run` makes calls, stores their answers, and gives those that failed, by
    fingerprint. What another run is fetching is waited for; without `claims` there is no other run.
    """
    failures: dict[str, Fault] = {}
    answered: set[str] = set()
    waiting = False

    def take(missing: Sequence[tuple[PlannedCell, int]]) -> list[Call]:
        keys = [planned.fingerprints[draw - 1] for planned, draw in missing]
        ours = claims.take(keys) if claims else keys
        return [call_of(planned, draw) for planned, draw in missing if planned.fingerprints[draw - 1] in ours]

    async def store(call: Call, answer: PaidAnswer) -> Call | None:
        planned, draw = call.planned, call.draw
        entry = LedgerEntry(answer=answer, model=planned.request.model, request=planned.canonical(draw))
        await ledger.put(entry)
        answered.add(answer.fingerprint)
        if draw == len(planned.fingerprints) or read_draw(planned, draw, answer).status == "success":
            return None
        return next(iter(take([(planned, draw + 1)])), None)

    while missing := needed(cells, ledger, failures):
        if calls := take(missing):
            failed = await run(calls, store)
            if claims:
                claims.give_back(list(failed))
            failures |= failed
            continue
        if not waiting:
            say(f"waiting for {len(missing):,} answers that another run is fetching")
            waiting = True
        await asyncio.sleep(LOOK_AGAIN_S)
    return Fetched(frozenset(answered), failures)
