"""Makes the calls that a run needs, with the real network and signals.

Importing it imports the SDK, which takes half a second.
"""

import asyncio
import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from stages.generate.answers.answer import Answer
from stages.generate.batch.collect import BatchRun
from stages.generate.batch.submit import in_batches
from stages.generate.callers import open_caller
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import Caller, Fault
from stages.generate.calls.progress import CallEvent, show_progress
from stages.generate.calls.runner import CallRunner, Store
from stages.generate.ledger.locked_files import Claims
from stages.generate.ledger.store import PAY_AGAIN, Ledger
from stages.generate.missing import announce, missing_keys, say
from stages.generate.plan.call import Call
from stages.generate.plan.cells import RunPlan
from stages.generate.plan.endpoint import Endpoint
from stages.generate.plan.work import CellWork
from stages.generate.responses.summary import Fetched
from stages.shared.records.errors import InputError, Interrupted
from stages.shared.records.params import RuntimeParams
from stages.shared.shell.process import watch_parent

LOOK_AGAIN_S = 0.5
"""Time between two looks at what another run is fetching, seconds."""
CLOSING_S = 1.0
"""What closing may take after Ctrl-C, seconds."""
KEPT = "stopped; every answer that had arrived is kept, and the next run calls only what is missing"


def fetch_answers(
    plan: RunPlan,
    missing: Sequence[Call],
    work: CellWork,
    ledger: Ledger,
    variables: Mapping[str, str],
    budget: Budget | None = None,
) -> Fetched:
    """Announce and call what a run lacks; without a budget `runtime.max_cost_usd` is the cap."""
    if problems := missing_keys(missing, variables):
        raise InputError(problems)
    announce(plan, missing, ledger, say)
    settings = plan.params.runtime
    budget = budget or Budget(settings.max_cost_usd)
    return fetch_work(work, missing, settings, ledger, variables, budget)


def fetch_work(
    work: CellWork,
    missing: Sequence[Call],
    settings: RuntimeParams,
    ledger: Ledger,
    variables: Mapping[str, str],
    budget: Budget,
) -> Fetched:
    """Call what is missing of any work, and what its answers lead to."""
    stored = any(not call.endpoint.simulated for call in missing)
    ledger.begin_calls(stored=stored, pay_again=variables.get(PAY_AGAIN) == "1")
    over = threading.Event()
    if "DVC_ROOT" in os.environ:
        watch_parent(over)
    endpoints = {call.endpoint for call in missing}
    try:
        with show_progress(len(missing)) as observe:
            fetcher = AnswerFetcher(work, settings, ledger, variables, budget, observe)
            return asyncio.run(stoppable(fetcher.fetch(endpoints)))
    finally:
        over.set()


@dataclass(slots=True)
class AnswerFetcher:
    """Fetches the missing answers of some work: by direct calls, and in batches.

    What another run has claimed is waited for.
    """

    work: CellWork
    settings: RuntimeParams
    ledger: Ledger
    variables: Mapping[str, str]
    budget: Budget
    observe: Callable[[CallEvent], None]
    _paid_usd: dict[str, float | None] = field(default_factory=dict)
    _failures: dict[str, Fault] = field(default_factory=dict)

    async def fetch(self, endpoints: set[Endpoint]) -> Fetched:
        """Fetch every answer that the work still needs, all at these endpoints; each is durable in
        the ledger before it counts.
        """
        async with open_caller(endpoints, self.variables) as caller:
            with self.ledger.claims() as claims:
                await self._fetch_claimed(caller, claims)
        return Fetched(self._paid_usd, self._failures)

    async def _fetch_claimed(self, caller: Caller, claims: Claims) -> None:
        store = partial(self._store, claims)
        waiting = False
        while missing := self.work.needed(self._failures):
            ours = claims.take([call.fingerprint for call in missing])
            if ours:
                calls = [call for call in missing if call.fingerprint in ours]
                failed = await self._run(caller, calls, store)
                claims.give_back(failed)
                self._failures |= failed
                continue
            if not waiting:
                say(f"waiting for {len(missing):,} answers that another run is fetching")
                waiting = True
            await asyncio.sleep(LOOK_AGAIN_S)

    async def _store(
        self, claims: Claims, call: Call, answer: Answer, cost_usd: float | None
    ) -> Call | None:
        booked_usd = self.budget.upper_usd(call) if cost_usd is None else cost_usd
        await self.ledger.put(answer, self.budget.purpose, booked_usd)
        self._paid_usd[answer.fingerprint] = cost_usd
        following = self.work.following(call, answer)
        if following is None or not claims.take([following.fingerprint]):
            return None
        return following

    async def _run(
        self, caller: Caller, calls: Sequence[Call], store: Store
    ) -> Mapping[str, Fault]:
        """Make these calls; why some have no answer, by fingerprint."""
        settings, folder = self.settings, self.ledger.file.parent
        batched = {call.fingerprint: call for call in in_batches(calls, settings, folder)}
        runner = CallRunner(
            call=caller,
            store=store,
            settings=settings,
            budget=self.budget,
            observe=self.observe,
            draw=random.random,
        )
        direct = [call for call in calls if call.fingerprint not in batched]
        failures = await runner.run(direct)
        if not batched:
            return failures
        batches = BatchRun(
            folder=folder,
            settings=settings,
            variables=self.variables,
            budget=self.budget,
            store=store,
            observe=self.observe,
            say=say,
            calls=batched,
        )
        return failures | await batches.run()


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
