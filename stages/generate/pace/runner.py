"""Answers for many calls: all at once within bounds, retried, paced, within the budget, each stored before it counts."""

from collections.abc import Awaitable, Callable, Sequence

from stages.contracts.params import RuntimeParams
from stages.generate.call import Call
from stages.generate.caller import Caller, Price, Result, Store
from stages.generate.pace.budget import Budget
from stages.generate.pace.dispatch import Dispatch, Means
from stages.generate.pace.event import Event
from stages.generate.pace.flight import Flight


def _unseen(_event: Event) -> None:
    """Nobody watches."""


async def run(
    calls: Sequence[Call],
    *,
    call: Caller,
    store: Store,
    price: Price,
    settings: RuntimeParams,
    clock: Callable[[], float],
    sleep: Callable[[float], Awaitable[None]],
    draw: Callable[[], float],
    observe: Callable[[Event], None] = _unseen,
    budget: Budget | None = None,
) -> dict[str, Result]:
    """What became of every call, by fingerprint, in the order of `calls` (further draws directly after the call they follow).

    Bodies are handed to `store` and then forgotten: an `Answered` says only that the answer is stored, so memory does not grow
    with the number of cells. Never raises for what a provider does.

    When cancelled, calls that are out are cut off, answers that have arrived are stored to the end, then `CancelledError` goes on.

    Args:
        calls: one for each answer to be had; fingerprints differ.
        call: makes one call.
        store: makes an answer durable before it counts; returns the cell's next draw, if one is wanted.
        price: what an answer cost.
        settings: the bounds.
        clock: seconds, monotonic.
        sleep: waits for so many seconds of that clock.
        draw: uniform in [0, 1), for the jitter of waits.
        observe: told of everything that happens.
        budget: shared by several runs when one cap holds for all; otherwise one is made from `settings.max_cost_usd`.

    Raises:
        OSError, LedgerError: whatever `store` raises ends the run, after what was out has been stored or cut off.
    """
    means = Means(call=call, store=store, price=price, settings=settings, clock=clock, draw=draw, observe=observe)
    dispatch = Dispatch(calls, means, budget=budget or Budget(settings.max_cost_usd), flight=Flight(sleep))
    await dispatch.run()
    return dispatch.results.by_fingerprint()
