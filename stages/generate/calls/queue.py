"""The calls that are not done yet, and which of them is sent next."""

import math
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import itemgetter

from stages.generate.calls.faults import Fault
from stages.generate.calls.limiter import Limiter
from stages.generate.plan.call import Call, estimated_tokens
from stages.shared.records.params import RuntimeParams

BEGUN_PER_SLOT = 2
"""Calls of a key that are begun and not done, per call in flight: some wait for a retry."""
WARM_FROM_TOKENS = 1_024
"""Providers cache prompts of this length and more."""


@dataclass(slots=True, eq=False)
class Group:
    """The calls of one model config and prompt; those of one endpoint and key share a limiter.

    Until the provider has the prompt in its cache (`warm`), one is sent. `given_up` counts calls
    given up since the last answer; `stopped` says why no more are sent.
    """

    limiter: Limiter
    max_begun: int
    warm: bool
    new: deque["Job"] = field(default_factory=deque)
    retries: list["Job"] = field(default_factory=list)
    sent: int = 0
    given_up: int = 0
    stopped: Fault | None = None

    def next_jobs(self) -> Iterator["Job"]:
        """The jobs of which one may be sent next: the retry that is ready first, and a new one. Of
        a stopped group any, to be given up.
        """
        if self.stopped is not None:
            yield from islice(chain(self.retries, self.new), 1)
            return
        if self.sent and not self.warm:
            return
        if self.retries:
            yield min(self.retries, key=lambda job: job.ready_at)
        if self.new and self.limiter.begun < self.max_begun:
            yield self.new[0]


@dataclass(slots=True, eq=False)
class Job:
    """A call until it has an answer or is given up.

    `attempts` were made since `began_at`; a rate limit refused all but `counted` of them.
    """

    call: Call
    group: Group
    attempts: int = 0
    counted: int = 0
    began_at: float = math.inf
    ready_at: float = -math.inf
    fault: Fault | None = None

    def elapsed_s(self, now: float) -> float:
        """Seconds since the first attempt was sent."""
        return max(now - self.began_at, 0.0)

    def delay_s(self, now: float) -> float:
        """Seconds until it may be sent, or given up."""
        if self.group.stopped is not None:
            return 0.0
        return max(self.ready_at - now, self.group.limiter.delay_s(self.call, now))


class CallQueue:
    """The calls of a run that are not done, in groups that take turns."""

    def __init__(self, calls: Sequence[Call], settings: RuntimeParams) -> None:
        self._settings = settings
        self._limiters = defaultdict[object, Limiter](lambda: Limiter(settings))
        self._groups: dict[object, Group] = {}
        self.left = len(calls)
        for call in calls:
            group = self._group_of(call)
            group.new.append(Job(call, group))

    def next_job(self, now: float) -> tuple[float | None, Job | None]:
        """The job that may be sent first, and in how many seconds; None when another call has to
        end before.
        """
        groups = sorted(self._groups.values(), key=lambda group: group.sent)
        jobs = (job for group in groups for job in group.next_jobs())
        return min(
            ((job.delay_s(now), job) for job in jobs), key=itemgetter(0), default=(None, None)
        )

    def begin(self, job: Job, now: float) -> None:
        """Take out a job that is sent now."""
        self.remove(job)
        job.group.sent += 1
        if job.attempts == 0:
            job.group.limiter.begun += 1
            job.began_at = now
        job.attempts += 1

    def remove(self, job: Job) -> None:
        """Take out a job."""
        if job in job.group.retries:
            job.group.retries.remove(job)
        else:
            job.group.new.remove(job)

    def finish(self, job: Job) -> None:
        """Count a job that has its answer or is given up."""
        self.left -= 1
        if job.attempts:
            job.group.limiter.begun -= 1

    def add(self, call: Call, group: Group) -> None:
        """Queue one more call, before the others of its group."""
        group.new.appendleft(Job(call, group))
        self.left += 1

    def retry(self, job: Job, ready_at: float) -> None:
        """Queue a job again."""
        job.ready_at = ready_at
        job.group.retries.append(job)

    def groups_of(self, limiter: Limiter) -> list[Group]:
        """The groups of an endpoint and key."""
        return [group for group in self._groups.values() if group.limiter is limiter]

    def _group_of(self, call: Call) -> Group:
        endpoint = call.endpoint
        address = (endpoint.provider, endpoint.url, endpoint.service)
        account = (*address, endpoint.key_env, endpoint.headers_env)
        name = (account, call.cell.model_id, call.instructions_sha256)
        if name not in self._groups:
            max_begun = BEGUN_PER_SLOT * self._settings.max_concurrency
            is_short = estimated_tokens(call.instructions) < WARM_FROM_TOKENS
            warm = is_short or not self._settings.warm_prompt_cache
            self._groups[name] = Group(self._limiters[account], max_begun, warm)
        return self._groups[name]
