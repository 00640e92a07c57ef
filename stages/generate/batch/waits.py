"""How long a batch run has waited for what, by a clock that nobody sets."""

from collections.abc import Callable

from stages.generate.calls.faults import Fault
from stages.generate.plan.endpoint import Endpoint


class Waits:
    """The waits of one process; `clock` gives seconds from any moment on, and never goes back."""

    def __init__(self, clock: Callable[[], float], max_hold_s: float) -> None:
        self._clock = clock
        self._max_hold_s = max_hold_s
        self._held_until: dict[Endpoint, float] = {}
        self._failing_since: dict[str, float] = {}
        self._looked_since: dict[str, float] = {}

    def hold(self, endpoint: Endpoint, fault: Fault) -> None:
        """Ask an endpoint nothing for as long as it said, within `max_hold_s`."""
        until = self._clock() + min(fault.wait_s or 0.0, self._max_hold_s)
        self._held_until[endpoint] = max(until, self._held_until.get(endpoint, until))

    def is_held(self, endpoint: Endpoint) -> bool:
        """Whether an endpoint asked for a wait that is not over."""
        return self._clock() < self._held_until.get(endpoint, 0.0)

    def fail(self, step: str) -> float:
        """Count a failure of a step; the seconds since its first one after a success."""
        return self._clock() - self._failing_since.setdefault(step, self._clock())

    def succeed(self, step: str) -> None:
        """Forget the failures of a step."""
        self._failing_since.pop(step, None)

    def look(self, key: str) -> float:
        """Count a look at a batch; the seconds since the first one."""
        return self._clock() - self._looked_since.setdefault(key, self._clock())
