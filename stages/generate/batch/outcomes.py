"""What became of the calls of a batch run so far: each result once, told to whoever watches, booked with the budget."""

from collections.abc import Callable, Iterable, Sequence

from stages.generate.batch.collection import failed
from stages.generate.call import Call, Failure
from stages.generate.caller import Fault, Result
from stages.generate.pace.budget import Budget
from stages.generate.pace.event import Event


class Outcomes:
    """The results of a run, by fingerprint.

    Args:
        budget: Shared by all runs under one cap; None when there is none.
        observe: Told what happens to calls.
    """

    def __init__(self, budget: Budget | None, observe: Callable[[Event], None]) -> None:
        self._budget = budget or Budget(None)
        self._observe = observe
        self._reserved: dict[str, float | None] = {}
        self.results: dict[str, Result] = {}

    def affordable(self, calls: Sequence[Call]) -> list[Call]:
        """Those of the calls that the budget allows, with their upper cost set aside; the others fail."""
        return [call for call in calls if self._reserve(call)]

    def sent(self, calls: Iterable[Call]) -> None:
        """The calls went up in a batch."""
        for call in calls:
            self._observe(Event(kind="sent", call=call))

    def further(self, call: Call) -> None:
        """An answer led to one more call."""
        self._observe(Event(kind="further", call=call))

    def fail(self, calls: Iterable[Call], fault: Fault, *, attempts: int = 1) -> None:
        """The calls are given up for this run."""
        for call in calls:
            self.settle(call, failed(call.fingerprint, fault, attempts=attempts))

    def settle(self, call: Call, result: Result) -> None:
        """The call has its result."""
        self.results[call.fingerprint] = result
        if isinstance(result, Failure):
            self._book(call, 0.0)
            told = Event(kind="failed", call=call, status=result.status, code=result.code, message=result.message)
        else:
            self._book(call, result.cost_usd)
            told = Event(kind="answered", call=call, cost_usd=result.cost_usd)
        self._observe(told)

    def _reserve(self, call: Call) -> bool:
        if self._budget.reserve(call.cost_upper_usd) == "reserved":
            self._reserved[call.fingerprint] = call.cost_upper_usd
            return True
        message = self._budget.refusal(call.cost_upper_usd)
        self.fail([call], Fault(status="budget_stopped", code="max_cost_usd", message=message), attempts=0)
        return False

    def _book(self, call: Call, cost_usd: float | None) -> None:
        if call.fingerprint in self._reserved:
            self._budget.settle(self._reserved.pop(call.fingerprint), cost_usd)
        elif cost_usd:
            self._budget.settle(None, cost_usd)
