"""Adapter: batches with the real clock, network, journal and randomness; which calls of a run go in batches at all."""

import asyncio
import random
import time
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from stages.contracts.params import RuntimeParams
from stages.generate.batch.client import BatchClient
from stages.generate.batch.journal import FILE, BatchJournal, fingerprints_out
from stages.generate.batch.runner import BatchRun, BatchSeen
from stages.generate.batch.submission import Tools
from stages.generate.call import Call, Endpoint
from stages.generate.caller import CallFailed, Price, Result, Store
from stages.generate.pace.budget import Budget
from stages.generate.pace.event import Event

LOCK = "batches.lock"
_LOOK_AGAIN_S = 0.2


class Batches:
    """The batches of a ledger folder: those that earlier runs sent up, and those that this run sends up.

    Args:
        folder: The ledger's folder.
        settings: The mode, the bounds, the time between two looks.
        variables: The environment.
        price: What an answer costs in a batch.
        budget: Shared with the calls that are made one by one.
        say: Told, in a sentence, how batches get on.
    """

    def __init__(
        self,
        folder: Path,
        *,
        settings: RuntimeParams,
        variables: Mapping[str, str],
        price: Price,
        budget: Budget,
        say: Callable[[str], None],
    ) -> None:
        self._folder, self._settings, self._variables = folder, settings, variables
        self._price, self._budget, self._say = price, budget, say
        self._clients: dict[Endpoint, BatchClient] = {}
        self._shown: dict[str, str] = {}

    def share(self, calls: Sequence[Call]) -> list[Call]:
        """Those of `calls` that are the batches' to answer.

        In batch mode all but those of simulated models; in direct mode those that an earlier run sent up and nobody has fetched.
        """
        if self._settings.mode == "batch":
            return [call for call in calls if call.endpoint.provider != "simulated"]
        out = fingerprints_out(self._folder)
        return [call for call in calls if call.fingerprint in out]

    async def run(self, calls: Sequence[Call], store: Store, observe: Callable[[Event], None]) -> Mapping[str, Result]:
        """What became of the calls; `observe` is told. In direct mode nothing is sent up and nothing is waited for."""
        journal = BatchJournal(self._folder)
        try:
            return await BatchRun(
                calls,
                service=self._service,
                tools=Tools(
                    journal=journal,
                    settings=self._settings,
                    clock=time.time,
                    sleep=asyncio.sleep,
                    draw=random.random,
                    new_key=lambda: uuid.uuid4().hex,
                ),
                store=store,
                price=self._price,
                arrived_at=lambda: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                budget=self._budget,
                observe=observe,
                seen=self._tell,
                note=self._say,
                lock=lambda: _held(self._folder / LOCK),
            ).run(wait=self._settings.mode == "batch")
        except asyncio.CancelledError:
            if journal.open_batches():
                self._say("batches that were sent up go on at the service; the next run fetches them")
            raise
        finally:
            journal.close()
            for client in self._clients.values():
                await client.close()
            self._clients.clear()

    def _service(self, endpoint: Endpoint) -> BatchClient:
        if endpoint not in self._clients:
            self._clients[endpoint] = BatchClient(endpoint, self._variables)
        return self._clients[endpoint]

    def _tell(self, seen: BatchSeen) -> None:
        batch = seen.batch
        failed = f", {batch.failed:,} failed" if batch.failed else ""
        text = f"batch {batch.id} ({seen.model}): {batch.status}, {batch.completed:,} of {batch.total:,} done{failed}"
        if self._shown.get(batch.id) != text:
            self._shown[batch.id] = text
            self._say(text)


def cancel_all(folder: Path, variables: Mapping[str, str], say: Callable[[str], None]) -> int:
    """Ask for the end of every batch that is out; the next run fetches what they had finished.

    Returns:
        How many could not be asked.
    """
    if not (folder / FILE).exists():
        say("no batch is out")
        return 0
    return asyncio.run(_cancel_all(folder, variables, say))


async def _cancel_all(folder: Path, variables: Mapping[str, str], say: Callable[[str], None]) -> int:
    journal = BatchJournal(folder)
    refused = 0
    try:
        records = [record for record in journal.open_batches() if record.batch_id is not None]
        for record in records:
            client = BatchClient(record.endpoint, variables)
            try:
                batch = await client.cancel(record.batch_id or "")
                say(f"batch {batch.id} ({record.model}): {batch.status}")
            except CallFailed as failure:
                refused += 1
                say(f"batch {record.batch_id} ({record.model}) could not be cancelled: {failure.fault.message}")
            finally:
                await client.close()
        if not records:
            say("no batch is out")
    finally:
        journal.close()
    return refused


@asynccontextmanager
async def _held(file: Path) -> AsyncIterator[None]:
    """The lock that says that somebody is sending batches up; the system gives it back when its holder dies."""
    lock = FileLock(file)
    while True:
        try:
            lock.acquire(timeout=0)
            break
        except Timeout:
            await asyncio.sleep(_LOOK_AGAIN_S)
    try:
        yield
    finally:
        lock.release()
