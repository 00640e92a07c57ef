"""What became of each call, kept in the order of the calls and told to whoever watches."""

from collections.abc import Callable, Iterable

from stages.contracts.response import Status
from stages.generate.call import Failure
from stages.generate.caller import Answered, Fault, Result
from stages.generate.pace.event import Event
from stages.generate.pace.lane import Job


class Results:
    """The results of a run of `count` calls; the results of further draws stand behind that of the call they follow."""

    def __init__(self, count: int, observe: Callable[[Event], None]) -> None:
        self._by_order: dict[int, list[Result]] = {order: [] for order in range(count)}
        self._observe = observe

    def by_fingerprint(self) -> dict[str, Result]:
        """All results, in order."""
        return {result.fingerprint: result for results in self._by_order.values() for result in results}

    def answered(self, job: Job, cost_usd: float | None) -> None:
        """The job's answer is stored."""
        done = Answered(fingerprint=job.call.fingerprint, attempts=job.attempts, cost_usd=cost_usd)
        self._by_order[job.order].append(done)
        self._observe(Event(kind="answered", call=job.call, cost_usd=cost_usd))

    def failed(self, job: Job, status: Status, code: str, message: str) -> None:
        """The job is given up."""
        failure = Failure(
            fingerprint=job.call.fingerprint, status=status, code=code, message=message, attempts=job.attempts
        )
        self._by_order[job.order].append(failure)
        self._observe(Event(kind="failed", call=job.call, status=status, code=code, message=message))

    def stopped(self, jobs: Iterable[Job], fault: Fault) -> None:
        """The jobs are given up because of what happened to others."""
        whose = "a call with the same key" if fault.scope == "key" else "this model's last calls"
        for job in jobs:
            did = "given up" if job.attempts else "not called"
            self.failed(job, fault.status, fault.code, f"{did}, because {whose} failed: {fault.message}")

    def retrying(self, job: Job, fault: Fault, wait_s: float) -> None:
        """The job failed and is tried again."""
        event = Event(
            kind="retrying", call=job.call, status=fault.status, code=fault.code, message=fault.message, wait_s=wait_s
        )
        self._observe(event)
