"""What may still be spent: the budget that all calls of a run share."""

from collections import defaultdict
from collections.abc import Iterable
from math import fsum
from typing import Literal

from graph_evaluator.generate.calls.faults import Fault
from graph_evaluator.generate.ledger.store import Spending
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.shell.numbers import money

RUN = "run"
"""The purpose of the calls of `generate`."""


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
        earlier = list(spending)
        self.spent_usd = max(self.spent_usd, fsum(spent.usd for spent in earlier))
        for spent in earlier:
            self._count_highest(spent.model, spent.highest_usd)

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
