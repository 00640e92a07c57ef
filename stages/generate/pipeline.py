"""Makes the calls that a run needs, with the real network and signals.

Importing it imports the SDK, which takes half a second.
"""

import asyncio
import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stages.generate.batch.collect import BatchRun
from stages.generate.batch.submit import in_batches
from stages.generate.callers import open_callers
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import Caller, Fault
from stages.generate.calls.progress import CallEvent, show_progress
from stages.generate.calls.runner import CallRunner
from stages.generate.ledger.locked_files import Claims
from stages.generate.ledger.store import PAY_AGAIN, Ledger
from stages.generate.missing import say
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint
from stages.generate.plan.work import CellWork
from stages.generate.responses.summary import Fetched
from stages.shared.records.errors import Interrupted
from stages.shared.records.params import RuntimeParams
from stages.shared.records.response import Answer
from stages.shared.shell.process import watch_parent

LOOK_AGAIN_S = 0.5
"""Time between two looks at what another run is fetching, seconds."""
CLOSING_S = 1.0
"""What closing may take after Ctrl-C, seconds."""
KEPT = "stopped; every answer that had arrived is kept, and the next run calls only what is missing"


def fetch_answers(
    cells: CellWork,
    missing: Sequence[Call],
    settings: RuntimeParams,
    ledger: Ledger,
    variables: Mapping[str, str],
    budget: Budget,
) -> Fetched:
    """Call what is missing for cells, and what its answers lead to."""
    stored = any(not call.endpoint.simulated for call in missing)
    ledger.begin_calls(stored=stored, pay_again=variables.get(PAY_AGAIN) == "1")
    over = threading.Event()
    if "DVC_ROOT" in os.environ:
        watch_parent(over)
    try:
        with show_progress(len(missing)) as observe:
            fetcher = AnswerFetcher(cells, settings, ledger, variables, budget, observe)
            return asyncio.run(stoppable(fetcher.fetch({call.endpoint for call in missing})))
    finally:
        over.set()


@dataclass(slots=True)
class AnswerFetcher:
    """Fetches the missing answers of cells, by direct calls and in batches; what another run has
    claimed is waited for.
    """

    cells: CellWork
    settings: RuntimeParams
    ledger: Ledger
    variables: Mapping[str, str]
    budget: Budget
    observe: Callable[[CallEvent], None]
    _claims: Claims = field(init=False)
    _paid_usd: dict[str, float | None] = field(default_factory=dict)
    _failures: dict[str, Fault] = field(default_factory=dict)

    async def fetch(self, endpoints: Collection[Endpoint]) -> Fetched:
        """Fetch every answer that the cells still need, all at these endpoints."""
        async with open_callers(endpoints, self.variables) as callers:
            with self.ledger.claims() as self._claims:
                is_waiting = False
                while missing := self.cells.needed(self._failures):
                    ours = self._claims.take([call.fingerprint for call in missing])
                    if ours:
                        calls = [call for call in missing if call.fingerprint in ours]
                        failures = await self._call(calls, callers)
                        self._claims.give_back(failures)
                        self._failures |= failures
                        continue
                    if not is_waiting:
                        say(f"waiting for {len(missing):,} answers that another run is fetching")
                    is_waiting = True
                    await asyncio.sleep(LOOK_AGAIN_S)
        return Fetched(self._paid_usd, self._failures)

    async def _call(
        self, calls: Sequence[Call], callers: Mapping[Endpoint, Caller]
    ) -> dict[str, Fault]:
        """Make these calls; why some have no answer, by fingerprint."""
        folder = self.ledger.file.parent
        batched = in_batches(calls, self.settings, folder)
        runner = CallRunner(
            callers=callers,
            work=self,
            settings=self.settings,
            budget=self.budget,
            observe=self.observe,
            draw=random.random,
        )
        failures = await runner.run([call for call in calls if call.fingerprint not in batched])
        if batched:
            batches = BatchRun(
                folder=folder,
                settings=self.settings,
                variables=self.variables,
                budget=self.budget,
                work=self,
                observe=self.observe,
                say=say,
                calls=batched,
            )
            failures |= await batches.run()
        return failures

    async def keep(self, call: Call, answer: Answer, cost_usd: float | None) -> None:
        """Put an answer into the ledger, with what it counts towards a cap."""
        booked_usd = self.budget.upper_usd(call) if cost_usd is None else cost_usd
        await self.ledger.put(call, answer, self.budget.purpose, booked_usd)
        self._paid_usd[call.fingerprint] = cost_usd

    def following(self, call: Call, answer: Answer) -> Call | None:
        """The next draw of the cell that an answer is of; None where none is needed, or another
        run fetches it.
        """
        following = self.cells.following(call, answer)
        if following is None or not self._claims.take([following.fingerprint]):
            return None
        return following


async def stoppable(work: Coroutine[Any, Any, Fetched]) -> Fetched:
    """The result of the work.

    `Interrupted` when SIGINT or SIGTERM was received and the work, cancelled, has ended.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    signals: list[signal.Signals] = []

    def stop(which: signal.Signals) -> None:
        if not signals:
            task.cancel()
        signals.append(which)

    for which in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(which, stop, which)
    try:
        return await task
    except asyncio.CancelledError:
        if signals:
            timer = threading.Timer(CLOSING_S, _end)  # by now every answer is stored
            timer.daemon = True
            timer.start()
            raise Interrupted(KEPT) from None
        raise


def _end() -> None:
    """End the process even if a thread of it waits for ever, for instance for a DNS server."""
    print(f"error: {KEPT}", file=sys.stderr, flush=True)
    os._exit(Interrupted.exit_code)
