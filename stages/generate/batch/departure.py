"""Which calls go up now, which wait for room in the provider's queue, and which keys are no use any more."""

from collections.abc import Callable, Collection, Sequence

from stages.generate.batch.outcomes import Outcomes
from stages.generate.batch.plan import BatchLimits, BatchPart, parts_of
from stages.generate.batch.service import BatchService
from stages.generate.batch.submission import Tools, submit
from stages.generate.call import Call, Endpoint
from stages.generate.caller import CallFailed, Fault

Line = tuple[Endpoint, str]
"""An endpoint and a model: what shares one queue at the provider."""


class Departure:
    """Sends calls up. Whoever uses it holds the lock that says so.

    Args:
        service: The Batch API of an endpoint.
        tools: Journal, settings, clock.
        outcomes: Where calls that cannot go up fail.
        limits: What one input file may hold.
    """

    def __init__(
        self, service: Callable[[Endpoint], BatchService], tools: Tools, outcomes: Outcomes, limits: BatchLimits
    ) -> None:
        self._service, self._tools, self._outcomes, self._limits = service, tools, outcomes, limits
        self._useless: dict[tuple[str | None, str | None], Fault] = {}
        self._held: list[BatchPart] = []

    async def send(self, calls: Sequence[Call]) -> None:
        """Send up what has no result yet and the budget allows."""
        unsettled = [call for call in calls if call.fingerprint not in self._outcomes.results]
        for part in parts_of(self._outcomes.affordable(unsettled), self._limits):
            await self._send(part)

    def hold(self, part: BatchPart, busy: Collection[Line], fault: Fault) -> None:
        """The provider's queue had no room for a part: it waits for the batches that are in it, or else goes up in halves.

        A single call that has the queue for itself and does not fit in is given up.
        """
        if (part.endpoint, part.model) in busy:
            self._held.append(part)
        elif len(part.calls) > 1:
            self._held += part.halves()
        else:
            self._outcomes.fail(part.calls, fault)

    @property
    def holds(self) -> bool:
        """True while parts wait for room."""
        return bool(self._held)

    async def send_held(self, busy: Collection[Line]) -> None:
        """Send up one part for each queue that has become empty."""
        taken = set(busy)
        for part in list(self._held):
            if (part.endpoint, part.model) not in taken:
                taken.add((part.endpoint, part.model))
                self._held.remove(part)
                await self._send(part)

    async def _send(self, part: BatchPart) -> None:
        account = (part.endpoint.url, part.endpoint.key_env)
        refused = self._useless.get(account)
        if refused is not None:
            self._outcomes.fail(part.calls, refused)
            return
        try:
            await submit(part, self._service(part.endpoint), self._tools)
        except CallFailed as failure:
            if failure.fault.scope == "key":
                self._useless[account] = failure.fault
            self._outcomes.fail(part.calls, failure.fault)
            return
        self._outcomes.sent(part.calls)
