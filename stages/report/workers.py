"""Adapter: makes many pages in several processes, in order, with a bounded number of them in memory."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from typing import Any

from stages.report.site.evidence import Job, Page

WORTH_IT = 400
"""Pages from which starting processes costs less than it saves."""
_AT_ONCE = 256
_function: Callable[[Any], Page] | None = None


def each(function: Callable[[Job], Page], jobs: Iterable[Job], /) -> Iterator[Page]:
    """The page of every job, in the order of the jobs; the function must be picklable where processes do not fork."""
    rest = list(jobs)
    workers = min(os.cpu_count() or 1, 8)
    if workers == 1 or len(rest) < WORTH_IT:
        yield from map(function, rest)
        return
    with ProcessPoolExecutor(workers, initializer=_take, initargs=(function,)) as pool:
        waiting = iter(rest)
        while batch := list(islice(waiting, _AT_ONCE)):
            yield from pool.map(_page, batch, chunksize=16)


def _take(function: Callable[[Any], Page]) -> None:
    global _function
    _function = function


def _page(job: object) -> Page:
    if _function is None:
        raise RuntimeError("the process was started without the function")
    return _function(job)
