"""Makes the calls that a run needs, with the real network and signals: to real models over the
network, to simulated ones by a function of this process.

Importing it imports the SDK, which takes half a second.
"""

import asyncio
import os
import random
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from graph_evaluator.generate.batch.collect import BatchRun, in_batches
from graph_evaluator.generate.calls.client import EndpointClient, problems_of_endpoint
from graph_evaluator.generate.calls.faults import Caller, CallFailed, Fault, Reply
from graph_evaluator.generate.calls.runner import CallRunner
from graph_evaluator.generate.calls.work import Progress, Work
from graph_evaluator.generate.ledger.store import PAY_AGAIN, Ledger
from graph_evaluator.generate.plan.call import Call, Endpoint
from graph_evaluator.generate.plan.cells import CellState, CellWork
from graph_evaluator.records.errors import InputError, Interrupted
from graph_evaluator.records.json_text import canonical
from graph_evaluator.records.params import RuntimeParams
from graph_evaluator.records.response import Answer
from graph_evaluator.shell.command import say
from graph_evaluator.shell.process import watch_parent
from graph_evaluator.simulate.answer import SimulatedRequest, answer

LOOK_AGAIN_S = 0.5
"""Time between two looks at what another run is fetching, seconds."""
CLOSING_S = 1.0
"""What closing may take after Ctrl-C, seconds."""
KEPT = "stopped; every answer that had arrived is kept, and the next run calls only what is missing"


@dataclass(kw_only=True)
class AnswerFetcher(Work):
    """Fetches the missing answers of cells, by direct calls and in batches; what another run has
    claimed is waited for. `on_complete` takes each cell that an answer completes.
    """

    cells: CellWork
    on_complete: Callable[[CellState], object] = lambda _state: None
    settings: RuntimeParams
    ledger: Ledger
    variables: Mapping[str, str]

    def fetch(self, missing: Sequence[Call]) -> None:
        """Call what is missing, and what its answers lead to."""
        stored = any(not call.endpoint.simulated for call in missing)
        self.ledger.begin_calls(stored=stored, pay_again=self.variables.get(PAY_AGAIN) == "1")
        self.observe = Progress(len(missing), say).observe
        over = threading.Event()
        if "DVC_ROOT" in os.environ:
            watch_parent(over)
        try:
            asyncio.run(stoppable(self._fetch({call.endpoint for call in missing})))
        finally:
            over.set()
        self.failures = dict(sorted(self.failures.items()))

    async def _fetch(self, endpoints: Collection[Endpoint]) -> None:
        """Fetch every answer that the cells still need, all at these endpoints."""
        async with open_callers(endpoints, self.variables) as callers:
            with self.ledger.claims() as self._claims:
                is_waiting = False
                while missing := self.cells.next_calls(self.failures):
                    ours = self._claims.take([call.fingerprint for call in missing])
                    if ours:
                        await self._call(
                            [call for call in missing if call.fingerprint in ours], callers
                        )
                        self._claims.give_back(self.failures)
                        continue
                    if not is_waiting:
                        say(f"waiting for {len(missing):,} answers that another run is fetching")
                    is_waiting = True
                    await asyncio.sleep(LOOK_AGAIN_S)

    async def _call(self, calls: Sequence[Call], callers: Mapping[Endpoint, Caller]) -> None:
        """Make these calls, directly or in batches."""
        settings, folder = self.settings, self.ledger.file.parent
        batched = in_batches(calls, settings, folder)
        runner = CallRunner(callers=callers, work=self, settings=settings, draw=random.random)
        await runner.run([call for call in calls if call.fingerprint not in batched])
        if batched:
            batches = BatchRun(
                folder=folder,
                settings=settings,
                variables=self.variables,
                work=self,
                say=say,
                calls=batched,
            )
            await batches.run()

    async def keep(self, call: Call, answer: Answer, cost_usd: float | None) -> None:
        """Put an answer into the ledger, with what it counts towards a cap."""
        booked_usd = self.budget.upper_usd(call) if cost_usd is None else cost_usd
        await self.ledger.put(call, answer, self.budget.purpose, booked_usd)

    def go_on(self, call: Call, answer: Answer) -> Call | None:
        """Hand a complete cell over; the next draw of another one, unless another run fetches
        it.
        """
        state = self.cells.state_after(call, answer)
        if state.following is None:
            self.on_complete(state)
            return None
        is_ours = self._claims.take([state.following.fingerprint])
        return state.following if is_ours else None


async def stoppable(work: Coroutine[Any, Any, None]) -> None:
    """Do the work; `Interrupted` when SIGINT or SIGTERM cancelled it and it has ended."""
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
        await task
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


@asynccontextmanager
async def open_callers(
    endpoints: Collection[Endpoint], variables: Mapping[str, str]
) -> AsyncIterator[Mapping[Endpoint, Caller]]:
    """The caller of each endpoint; connections are closed when the block ends.

    Raises:
        InputError: a key of `variables` or `SSL_CERT_FILE` cannot be used.
    """
    real = [endpoint for endpoint in {*endpoints} if not endpoint.simulated]
    problems = [
        problem for endpoint in real for problem in problems_of_endpoint(endpoint, variables)
    ]
    if problems:
        raise InputError(problems)
    callers: dict[Endpoint, Caller] = dict.fromkeys(endpoints, SimulatedModels().call)
    async with AsyncExitStack() as stack:
        for endpoint in real:
            client = EndpointClient(endpoint, variables)
            stack.push_async_callback(client.close)
            callers[endpoint] = client.call
        yield callers


class SimulatedModels:
    """The simulated models; some fail at the first attempt of some calls."""

    def __init__(self) -> None:
        self._failed: set[str] = set()

    async def call(self, call: Call) -> Reply:
        """The reply to a call, at the time that the simulated clock shows."""
        identity = call.identity
        request = SimulatedRequest(
            model=call.model,
            instructions=call.instructions,
            input=call.text,
            draw=f"{identity['round']}/{identity['sample']}/{identity['draw']}",
            max_output_tokens=call.most_output_tokens,
        )
        if call.fingerprint not in self._failed and request.fails_first:
            self._failed.add(call.fingerprint)
            message = "HTTP 503: the simulated model is overloaded"
            raise CallFailed(Fault(status="server_error", code="overloaded", message=message))
        answered = answer(request)
        return Reply(
            body=canonical(answered.body).decode(),
            latency_ms=answered.latency_ms,
            created_at=answered.arrived_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
