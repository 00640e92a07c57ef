"""Makes the calls that a run needs, with the real clock, network, randomness and signals."""

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Literal

from stages.contracts.params import RuntimeParams
from stages.generate.batch.batching import Batches
from stages.generate.call import Answer, Call
from stages.generate.caller import Price, Result, Store
from stages.generate.campaign import Fetched, fetch
from stages.generate.client.callers import open_all
from stages.generate.cost.costing import Costing
from stages.generate.cost.forecaster import Forecaster
from stages.generate.ledger.store import Ledger
from stages.generate.pace.budget import Budget
from stages.generate.pace.event import Event
from stages.generate.pace.progress import show_progress
from stages.generate.pace.runner import run
from stages.generate.plan.cell_plan import PlannedCell, by_fingerprint
from stages.generate.stoppable import run_stoppable


def call_missing(
    cells: Sequence[PlannedCell],
    *,
    expected: int,
    ledger: Ledger,
    forecaster: Forecaster,
    costing: Costing,
    settings: RuntimeParams,
    variables: Mapping[str, str],
    say: Callable[[str], None],
) -> Fetched:
    """Get every answer that the cells still need; everything that arrives is in the ledger before this returns.

    Args:
        cells: All cells of the run.
        expected: How many answers they need, for the progress that is shown.
        ledger: Where answers are kept.
        forecaster: Makes the calls.
        costing: Prices.
        settings: Bounds.
        variables: The environment, for keys.
        say: Told, in a sentence, what else there is to know.

    Raises:
        Interrupted: Ctrl-C or SIGTERM.
        LedgerError: an answer could not be stored.
    """
    import_module("stages.generate.client.sdk")  # takes half a second, and Ctrl-C ends it only outside the event loop
    ledger.begin_writing()
    budget = Budget(settings.max_cost_usd)
    price = _price(cells, costing)
    batches = Batches(
        ledger.file.parent,
        settings=settings,
        variables=variables,
        price=_price(cells, costing, source="batch"),
        budget=budget,
        say=say,
    )

    async def work(observe: Callable[[Event], None]) -> Fetched:
        async with open_all({planned.request.endpoint for planned in cells}, variables) as caller:

            async def run_calls(calls: Sequence[Call], store: Store) -> Mapping[str, Result]:
                in_batches = batches.share(calls)
                theirs = {call.fingerprint for call in in_batches}
                results = await run(
                    [call for call in calls if call.fingerprint not in theirs],
                    call=caller,
                    store=store,
                    price=price,
                    settings=settings,
                    clock=time.monotonic,
                    sleep=asyncio.sleep,
                    draw=random.random,
                    budget=budget,
                    observe=observe,
                )
                if in_batches:
                    results |= await batches.run(in_batches, store, observe)
                return results

            with ledger.claims() as claims:
                return await fetch(
                    cells,
                    ledger=ledger,
                    claims=claims,
                    call_of=forecaster.call,
                    run_calls=run_calls,
                    sleep=asyncio.sleep,
                    waiting=lambda count: say(f"waiting for {count:,} answers that another run is fetching"),
                )

    with show_progress(expected) as observe:
        return run_stoppable(work(observe))


def _price(cells: Sequence[PlannedCell], costing: Costing, *, source: Literal["call", "batch"] = "call") -> Price:
    index = by_fingerprint(cells)
    today = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def price(call: Call, body: str) -> float | None:
        planned, _ = index[call.fingerprint]
        answer = Answer(
            fingerprint=call.fingerprint,
            body=body,
            latency_ms=None,
            attempts=1,
            arrived_at=today,
            endpoint="",
            source=source,
        )
        return costing.of_answer(planned, answer).usd

    return price
