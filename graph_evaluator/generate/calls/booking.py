"""Books what calls cost: within the caps that all calls of a run share, and all processes that use
the ledger; makes answers durable when they arrive, counts them, and shows how the run gets on.
"""

import datetime
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from math import fsum
from typing import Literal

from graph_evaluator.generate.calls.outcome import Fault
from graph_evaluator.generate.ledger.locks import Reservations, Reserved
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.generate.plan.cells import PlannedCell
from graph_evaluator.records.response import Answer
from graph_evaluator.shell.numbers import count, counted, money

RUN = "run"
"""The purpose of the calls of `generate`."""
MONTH_CAP = "runtime.max_cost_usd_month"
LINE_EVERY_S = 10.0
Event = Literal["answered", "unusable", "retrying", "failed", "further"]
"""What happened to a call; "further": an answer leads to one more draw."""


class Budget:
    """What may still be spent on which purpose: a run's, or that of a command with `--max-usd`, and
    in a month of the ledger; None means no cap.

    Some servers ignore the bound on the output. So once an answer has cost more than its upper
    estimate, that much is reserved for the model's later calls; only calls that were already in
    flight can exceed the cap.
    """

    def __init__(
        self, cap_usd: float | None, purpose: str = RUN, month_cap_usd: float | None = None
    ) -> None:
        self.purpose = purpose
        self._setting = "runtime.max_cost_usd" if purpose == RUN else "--max-usd"
        caps = {self._setting: cap_usd, MONTH_CAP: month_cap_usd}
        self._caps = {name: cap for name, cap in caps.items() if cap is not None}
        self._spent = dict.fromkeys(caps, 0.0)
        self._others = dict.fromkeys(caps, 0.0)
        self._reserved: dict[str, float] = {}
        self._highest: defaultdict[str, float] = defaultdict(float)
        self._unkept_usd = 0.0
        self._ledger: Ledger | None = None
        self._reservations: Reservations | None = None
        self._read_row = self._after_row = 0

    def count(self, ledger: Ledger, runs_since: Iterable[int] = ()) -> None:
        """Count what the ledger has, whichever process called for it: of this month, and of the
        purpose; of that of a run, what is stored from now on, or since other runs began.
        """
        if not self._caps:
            return
        self._ledger, self._read_row = ledger, 0
        self._after_row = min([ledger.last_row(), *runs_since]) if self.purpose == RUN else 0
        self._spent = dict.fromkeys(self._spent, 0.0)
        self._read_ledger()

    @contextmanager
    def shared(self, ledger: Ledger) -> Iterator[None]:
        """A block in which the caps hold for all processes that use the ledger: a run counts the
        answers of those that run at the same time.
        """
        if not self._caps:
            yield
            return
        with closing(Reservations(ledger.file.with_name("budgets"))) as self._reservations:
            with self._alone() as others:
                self.count(ledger, [other.after_row for other in others if other.purpose == RUN])
            yield
        self._reservations = None

    @contextmanager
    def _alone(self) -> Iterator[list[Reserved]]:
        """A block in which no other process reserves anything: it begins with what they have spent
        and reserved, and they then see what this one has.
        """
        if self._reservations is None:
            yield []
            return
        with self._reservations.alone():
            # Before the ledger is read, which has what they release.
            others = self._reservations.others()
            same = [other.usd for other in others if other.purpose == self.purpose]
            all_usd = fsum(other.usd for other in others)
            self._others = {self._setting: fsum(same), MONTH_CAP: all_usd}
            self._read_ledger()
            yield others
            usd = fsum(self._reserved.values()) + self._unkept_usd
            self._reservations.note(Reserved(self.purpose, self._after_row, usd))

    def when_affordable(self, call: Call) -> Literal["now", "later", "never"]:
        """When the call may be made; "later": perhaps once calls in flight have ended."""
        upper_usd = self.upper_usd(call)
        if self._caps and upper_usd is None:
            return "never"
        name = self._exceeded(upper_usd or 0.0)
        if name is not None:
            with self._alone():
                name = self._exceeded(upper_usd or 0.0)
        if name is None:
            return "now"
        return "later" if self._reserved or self._others[name] else "never"

    def _exceeded(self, upper_usd: float) -> str | None:
        """The cap that a call of this cost would exceed; None if there is none."""
        reserved = fsum(self._reserved.values()) + self._unkept_usd + upper_usd
        for name, cap in self._caps.items():
            if self._spent[name] + self._others[name] + reserved > cap:
                return name
        return None

    def reserve(self, call: Call) -> bool:
        """Reserve the most that a call may cost; False where another process was faster."""
        upper_usd = self.upper_usd(call) or 0.0
        with self._alone():
            fits = self._exceeded(upper_usd) is None
            if fits:
                self._reserved[call.fingerprint] = upper_usd
        return fits

    def book(self, call: Call, cost_usd: float | None, *, kept: bool = False) -> None:
        """Book what a call cost and release its reservation; None books the most that it may have
        cost, also for a call of an earlier run, which has no reservation. What is `kept` is in the
        ledger.
        """
        usd = self.counted_usd(call, cost_usd) or 0.0
        with self._alone():
            self._reserved.pop(call.fingerprint, None)
            if not kept or self._ledger is None:
                self._unkept_usd += usd
        if cost_usd is not None:
            self._highest[call.model] = max(self._highest[call.model], cost_usd)

    def counted_usd(self, call: Call, cost_usd: float | None) -> float | None:
        """The amount that a call counts towards a cap."""
        return self.upper_usd(call) if cost_usd is None else cost_usd

    def refusal(self, call: Call) -> Fault:
        """Why a call is not made."""
        upper_usd = self.upper_usd(call)
        name = self._exceeded(upper_usd or 0.0) or next(iter(self._caps))
        code, why = "max_cost_usd", f"it may cost up to {money(upper_usd)}"
        if upper_usd is None:
            code, why = "price_unknown", "the price of the model is unknown: add `pricing` to it"
        message = f"{money(self.spent_usd(name))} of {name} ({money(self._caps[name])}) are spent"
        return Fault(
            status="budget_stopped",
            code=code,
            message=f"not called: {why}; {message}",
            scope="cell",
            attempts=0,
        )

    def spent_usd(self, name: str) -> float:
        """The amount spent of a cap."""
        return self._spent[name] + self._unkept_usd

    def left(self) -> list[str]:
        """The amount left of each cap, in a sentence."""
        return [
            f"{money(max(cap - self.spent_usd(name), 0.0))} of {name} ({money(cap)}) are left"
            for name, cap in self._caps.items()
        ]

    def upper_usd(self, call: Call) -> float | None:
        """The most that a call may cost, by what is known so far; None when no price is known."""
        upper_usd = call.cost_upper_usd
        return None if upper_usd is None else max(upper_usd, self._highest[call.model])

    def _read_ledger(self) -> None:
        """Count the answers that the ledger has got since the last look."""
        if self._ledger is None:
            return
        for row in self._ledger.booked(self._read_row):
            self._read_row, usd = row["row"], row["booked_usd"]
            self._spent[MONTH_CAP] += usd * row["is_of_month"]
            if row["purpose"] == self.purpose and self._read_row > self._after_row:
                self._spent[self._setting] += usd
                self._highest[row["model"]] = max(self._highest[row["model"]], usd)


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

    `keep` makes an answer durable, or what a reply that was paid for has in its place, with what
    counts for it towards a cap, US dollars. `cells` has the cell of each call that may be made, by
    its fingerprint; `on_complete` takes each cell that an answer completes, `observe` each event
    with the cost of a reply where it is known. `failures` say why calls have no answer, and
    `paid_usd` is the cost of each answer, None where it is not known, `unusable_usd` that of each
    reply that was probably paid for and cannot be used.
    """

    budget: Budget
    keep: Callable[[Call, Answer, float | None], Awaitable[None]]
    cells: dict[str, PlannedCell]
    on_complete: Callable[[PlannedCell], object] = lambda _cell: None
    observe: Callable[[Event, float | None], None] = lambda _event, _cost_usd: None
    failures: dict[str, Fault] = field(default_factory=dict)
    paid_usd: dict[str, float | None] = field(default_factory=dict)
    unusable_usd: list[float | None] = field(default_factory=list)

    async def take(self, call: Call, answer: Answer) -> Call | None:
        """Book an answer and keep it; the call that it leads to."""
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
        return following

    async def take_fault(self, call: Call, fault: Fault) -> None:
        """Book a call that failed, and keep its reply if it was probably paid for."""
        cost_usd = fault.cost_usd(call)
        is_kept = fault.scope == "once" or bool(fault.body)
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
