"""What happens to the answers of a run when they arrive: booked, made durable, counted; and how the
run gets on.
"""

import datetime
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from graph_evaluator.generate.calls.budget import Budget
from graph_evaluator.generate.calls.faults import Fault
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.generate.plan.cells import PlannedCell
from graph_evaluator.records.response import Answer
from graph_evaluator.shell.numbers import count, counted, money

LINE_EVERY_S = 10.0
Event = Literal["answered", "unusable", "retrying", "failed", "further"]
"""What happened to a call; "further": an answer leads to one more draw."""
Observer = Callable[[Event, float | None], None]
"""Takes an event, and the cost of a reply where it is known."""
Keep = Callable[[Call, Answer, float | None], Awaitable[None]]
"""Makes an answer durable, or what a reply that was paid for has in its place, with what counts for
it towards a cap, US dollars.
"""


class Progress:
    """Counts what happens to calls, and prints it every ten seconds and at the end."""

    def __init__(self, total: int, say: Callable[[str], None]) -> None:
        self._total = total
        self._say = say
        self._events = Counter[Event]()
        self._cost_usd = 0.0
        self._plus = ""
        self._began_at = self._said_at = time.monotonic()

    def observe(self, event: Event, cost_usd: float | None) -> None:
        """Take one event into account."""
        self._events[event] += 1
        if event in ("answered", "unusable"):
            self._cost_usd += cost_usd or 0.0
            self._plus = self._plus if cost_usd is not None else "+"
        done = self._events["answered"] + self._events["failed"]
        left, now = self._total + self._events["further"] - done, time.monotonic()
        if left and now - self._said_at < LINE_EVERY_S:
            return
        self._said_at = now
        left_s = left * (now - self._began_at) / max(done, 1)
        parts = [
            f"{count(done)} of {count(done + left)} done",
            counted(self._events["retrying"], "retry", "retries"),
            counted(self._events["failed"], "call failed", "calls failed"),
            f"{money(self._cost_usd)}{self._plus}",
            f"{datetime.timedelta(seconds=round(left_s))} left",
        ]
        self._say(", ".join(parts))


@dataclass(kw_only=True)
class Intake:
    """Takes in the answers of a run.

    `cells` has the cell of each call that may be made, by its fingerprint; `on_complete` takes
    each cell that an answer completes. `failures` say why calls have no answer, and `paid_usd` is
    the cost of each answer, None where it is not known, `unusable_usd` that of each reply that was
    probably paid for and cannot be used.
    """

    budget: Budget
    keep: Keep
    cells: dict[str, PlannedCell]
    on_complete: Callable[[PlannedCell], object] = lambda _cell: None
    observe: Observer = lambda _event, _cost_usd: None
    failures: dict[str, Fault] = field(default_factory=dict)
    paid_usd: dict[str, float | None] = field(default_factory=dict)
    unusable_usd: list[float | None] = field(default_factory=list)

    async def take(self, call: Call, answer: Answer) -> PlannedCell:
        """Book an answer and keep it; its cell then."""
        cost_usd = call.planned.prices.cost(answer.measured).usd
        await self.keep(call, answer, self.budget.counted_usd(call, cost_usd))
        self.budget.book(call, cost_usd, kept=True)
        self.paid_usd[call.fingerprint] = cost_usd
        planned = self.cells.pop(call.fingerprint).with_answer(answer)
        following = planned.next_call
        if following is None:
            self.on_complete(planned)
        else:
            self.cells[following.fingerprint] = planned
            self.observe("further", None)
        self.observe("answered", cost_usd)
        return planned

    async def take_fault(self, call: Call, fault: Fault) -> None:
        """Book a call that failed, and keep its reply if it was probably paid for."""
        cost_usd = fault.cost_usd(call)
        is_kept = fault.scope == "once"
        if is_kept:
            self.unusable_usd.append(cost_usd)
            self.observe("unusable", cost_usd)
            counted_usd = self.budget.counted_usd(call, cost_usd)
            await self.keep(call, fault.in_place_of_answer(call), counted_usd)
        self.budget.book(call, cost_usd, kept=is_kept)

    def give_up(self, call: Call, fault: Fault) -> None:
        """Count a call that has no answer."""
        self.failures[call.fingerprint] = fault
        self.observe("failed", None)
