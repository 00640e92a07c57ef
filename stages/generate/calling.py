"""Makes the calls that a run needs, with the real clock, network, randomness and signals."""

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence

from stages.contracts.params import RuntimeParams
from stages.generate.budget import Budget
from stages.generate.call import Answer, Call
from stages.generate.caller import Price, Result, Store
from stages.generate.callers import open_all
from stages.generate.campaign import Fetched, fetch
from stages.generate.cell_plan import PlannedCell, by_fingerprint
from stages.generate.costing import Costing
from stages.generate.forecaster import Forecaster
from stages.generate.ledger import Ledger
from stages.generate.runner import run
from stages.generate.stoppable import run_stoppable


def call_missing(
    cells: Sequence[PlannedCell],
    *,
    ledger: Ledger,
    forecaster: Forecaster,
    costing: Costing,
    settings: RuntimeParams,
    variables: Mapping[str, str],
    say: Callable[[str], None],
) -> Fetched:
    """Get every answer that the cells still need; everything that arrives is in the ledger before this returns.

    Raises:
        Interrupted: Ctrl-C or SIGTERM.
        LedgerError: an answer could not be stored.
    """
    ledger.begin_writing()
    budget = Budget(settings.max_cost_usd)
    price = _price(cells, costing)

    async def work() -> Fetched:
        async with open_all({planned.request.endpoint for planned in cells}, variables) as caller:

            async def run_calls(calls: Sequence[Call], store: Store) -> Mapping[str, Result]:
                return await run(
                    calls,
                    call=caller,
                    store=store,
                    price=price,
                    settings=settings,
                    clock=time.monotonic,
                    sleep=asyncio.sleep,
                    draw=random.random,
                    budget=budget,
                )

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

    return run_stoppable(work())


def _price(cells: Sequence[PlannedCell], costing: Costing) -> Price:
    index = by_fingerprint(cells)
    today = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def price(call: Call, body: str) -> float | None:
        planned, _ = index[call.fingerprint]
        answer = Answer(
            fingerprint=call.fingerprint, body=body, latency_ms=0.0, attempts=1, arrived_at=today, endpoint=""
        )
        return costing.of_answer(planned, answer).usd

    return price
