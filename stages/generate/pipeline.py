"""Makes the calls that a run needs, with the real network and signals.

Importing it imports the SDK, which takes half a second.
"""

import asyncio
import os
import random
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import Any

from stages.contracts.errors import InputError, Interrupted
from stages.generate.answers.answer import Answer
from stages.generate.batch.collect import BatchRun
from stages.generate.batch.submit import in_batches
from stages.generate.calls.budget import Budget
from stages.generate.calls.client import open_caller
from stages.generate.calls.faults import Caller, Fault, Reply
from stages.generate.calls.fetch import Fetched, fetch
from stages.generate.calls.progress import CallEvent, show_progress
from stages.generate.calls.runner import CallRunner, Store
from stages.generate.ledger.store import PAY_AGAIN, Ledger
from stages.generate.missing import announce, missing_keys, say
from stages.generate.plan.call import Call
from stages.generate.plan.cells import RunPlan
from stages.generate.plan.endpoint import Endpoint
from stages.generate.plan.work import CellWork
from stages.generate.simulated_client import open_simulated_caller
from stages.shell.process import watch_parent

CLOSING_S = 1.0
"""What closing may take after Ctrl-C, seconds."""
KEPT = "stopped; every answer that had arrived is kept, and the next run calls only what is missing"


def fetch_answers(
    plan: RunPlan,
    missing: Sequence[Call],
    ledger: Ledger,
    variables: Mapping[str, str],
    budget: Budget | None = None,
    on_answer: Callable[[Call, Answer], None] = lambda _call, _answer: None,
) -> Fetched:
    """Call what is missing; an answer that arrives is in the ledger, then passed to `on_answer`.

    Without a budget `runtime.max_cost_usd` is the cap.
    """
    if problems := missing_keys(missing, variables):
        raise InputError(problems)
    announce(plan, missing, ledger, say)
    ledger.begin_calls(pay_again=variables.get(PAY_AGAIN) == "1")
    settings, folder = plan.params.runtime, ledger.file.parent
    budget = budget or Budget(settings.max_cost_usd)

    async def call_missing(observe: Callable[[CallEvent], None]) -> Fetched:
        async with _open_callers({model.endpoint for model in plan.models}, variables) as call:

            async def run(calls: Sequence[Call], store_answer: Store) -> Mapping[str, Fault]:
                async def store(call: Call, answer: Answer) -> Call | None:
                    following = await store_answer(call, answer)
                    on_answer(call, answer)
                    return following

                batched = {one.fingerprint: one for one in in_batches(calls, settings, folder)}
                runner = CallRunner(
                    call=call,
                    store=store,
                    settings=settings,
                    budget=budget,
                    observe=observe,
                    draw=random.random,
                )
                failures = await runner.run(
                    [one for one in calls if one.fingerprint not in batched]
                )
                if batched:
                    failures |= await BatchRun(
                        folder=folder,
                        settings=settings,
                        variables=variables,
                        budget=budget,
                        store=store,
                        observe=observe,
                        say=say,
                        calls=batched,
                    ).run()
                return failures

            work = CellWork(plan.cells, ledger)
            with ledger.claims() as claims:
                return await fetch(work, ledger=ledger, claims=claims, run=run, say=say)

    over = threading.Event()
    if "DVC_ROOT" in os.environ:
        watch_parent(over)
    try:
        with show_progress(len(missing)) as observe:
            return asyncio.run(stoppable(call_missing(observe)))
    finally:
        over.set()


@asynccontextmanager
async def _open_callers(
    endpoints: set[Endpoint], variables: Mapping[str, str]
) -> AsyncIterator[Caller]:
    simulated = {endpoint for endpoint in endpoints if endpoint.provider == "simulated"}
    async with (
        open_caller(endpoints - simulated, variables) as call_real,
        open_simulated_caller() if simulated else nullcontext(call_real) as call_simulated,
    ):

        async def call(one: Call, /) -> Reply:
            return await (call_simulated if one.endpoint.provider == "simulated" else call_real)(
                one
            )

        yield call


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
