"""What calls are made for: the budget that they share, what failed, and progress."""

import datetime
import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import fsum
from typing import Literal

from graph_evaluator.generate.calls.faults import Fault
from graph_evaluator.generate.ledger.store import Spending
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.records.response import Answer
from graph_evaluator.shell.numbers import count, counted, money

RUN = "run"
LINE_EVERY_S = 10.0
Event = Literal["answered", "retrying", "failed", "further"]
"""What happened to a call; "further": an answer leads to one more draw."""
Observer = Callable[[Event, float | None], None]
"""Takes an event, and the cost of an answer where it is known."""


class Budget:
    """What may still be spent on which purpose: a run's, or that of a command with `--max-usd`;
    `cap_usd` None means no cap.

    Some servers ignore the bound on the output. So once an answer has cost more than its upper
    estimate, that much is reserved for the model's later calls; only calls that were already in
    flight can exceed the cap.
    """

    def __init__(self, cap_usd: float | None, purpose: str = RUN) -> None:
        self.cap_usd = cap_usd
        self.spent_usd = 0.0
        self.purpose = purpose
        self._setting = "runtime.max_cost_usd" if purpose == RUN else "--max-usd"
        self._reserved: dict[str, float] = {}
        self._highest: defaultdict[str, float] = defaultdict(float)

    def count_earlier(self, spending: Iterable[Spending]) -> None:
        """Count what the ledger has of this purpose, whichever process called for it."""
        earlier = [spent for spent in spending if spent.purpose == self.purpose]
        self.spent_usd = max(self.spent_usd, fsum(spent.usd or 0.0 for spent in earlier))
        for spent in earlier:
            self._count_highest(spent.model, spent.highest_usd or 0.0)

    def when_affordable(self, call: Call) -> Literal["now", "later", "never"]:
        """When the call may be made; "later": perhaps once calls in flight have ended."""
        upper_usd = self.upper_usd(call)
        if self.cap_usd is None:
            return "now"
        if upper_usd is None:
            return "never"
        if self.spent_usd + fsum(self._reserved.values()) + upper_usd <= self.cap_usd:
            return "now"
        return "later" if self._reserved else "never"

    def reserve(self, call: Call) -> None:
        """Reserve the most that a call may cost."""
        self._reserved[call.fingerprint] = self.upper_usd(call) or 0.0

    def book(self, call: Call, cost_usd: float | None) -> None:
        """Book what a call cost and release its reservation; None books the most that it may have
        cost, also for a call of an earlier run, which has no reservation.
        """
        self._reserved.pop(call.fingerprint, None)
        if cost_usd is None:
            self.spent_usd += self.upper_usd(call) or 0.0
            return
        self.spent_usd += cost_usd
        self._count_highest(call.model, cost_usd)

    def refusal(self, call: Call) -> Fault:
        """Why a call is not made."""
        upper_usd = self.upper_usd(call)
        code, why = "max_cost_usd", f"it may cost up to {money(upper_usd)}"
        if upper_usd is None:
            code, why = "price_unknown", "the price of this model is not known, give it a pricing"
        cap = f"{self._setting} ({money(self.cap_usd)})"
        message = f"not called: {why}; {money(self.spent_usd)} of {cap} are spent"
        return Fault(status="budget_stopped", code=code, message=message, scope="cell", attempts=0)

    def upper_usd(self, call: Call) -> float | None:
        """The most that a call may cost, by what is known so far; None when no price is known."""
        upper_usd = call.cost_upper_usd
        if upper_usd is None:
            return None
        return max(upper_usd, self._highest[call.model])

    def _count_highest(self, model: str, usd: float) -> None:
        self._highest[model] = max(self._highest[model], usd)


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
        if event == "answered":
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
            counted(self._events["failed"], "call failed", "calls failed"),
            f"{count(self._events['retrying'])} retried",
            f"{money(self._cost_usd)}{self._plus}",
            f"{datetime.timedelta(seconds=round(left_s))} left",
        ]
        self._say(", ".join(parts))


@dataclass(kw_only=True)
class Work(ABC):
    """What answers are fetched for; `failures` say why calls have none, by fingerprint, and
    `paid_usd` is the cost of each answer, None where it is not known.
    """

    budget: Budget
    observe: Observer = lambda _event, _cost_usd: None
    failures: dict[str, Fault] = field(default_factory=dict)
    paid_usd: dict[str, float | None] = field(default_factory=dict)

    @abstractmethod
    async def keep(self, call: Call, answer: Answer, cost_usd: float | None) -> None:
        """Make an answer durable."""

    @abstractmethod
    def go_on(self, call: Call, answer: Answer) -> Call | None:
        """Go on with the cell of an answer that is kept: the call to make next, None where there is
        none.
        """

    async def take(self, call: Call, answer: Answer) -> Call | None:
        """Book and keep an answer, and go on with its cell: the call to make next."""
        cost_usd = call.prices.cost(answer.measured).usd
        self.budget.book(call, cost_usd)
        await self.keep(call, answer, cost_usd)
        self.paid_usd[call.fingerprint] = cost_usd
        following = self.go_on(call, answer)
        if following is not None:
            self.observe("further", None)
        self.observe("answered", cost_usd)
        return following

    def give_up(self, call: Call, fault: Fault) -> None:
        """Count a call that has no answer."""
        self.failures[call.fingerprint] = fault
        self.observe("failed", None)
