"""Adapter: makes the pages of many cells in several processes, in order, with a bounded number of them in memory."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

from stages.contracts.response import Cell
from stages.report.site.evidence import Page

WORTH_IT = 400
"""Cells from which starting processes costs less than it saves."""
_AT_ONCE = 256
_function: Callable[[Cell], Page] | None = None


def each(function: Callable[[Cell], Page], cells: Iterable[Cell], /) -> Iterator[Page]:
    """The page of every cell, in the order of the cells; the function must be picklable where processes do not fork."""
    rest = list(cells)
    workers = min(os.cpu_count() or 1, 8)
    if workers == 1 or len(rest) < WORTH_IT:
        yield from map(function, rest)
        return
    with ProcessPoolExecutor(workers, initializer=_take, initargs=(function,)) as pool:
        waiting = iter(rest)
        while batch := list(islice(waiting, _AT_ONCE)):
            yield from pool.map(_page, batch, chunksize=16)


def _take(function: Callable[[Cell], Page]) -> None:
    global _function
    _function = function


def _page(cell: Cell) -> Page:
    if _function is None:
        raise RuntimeError("the process was started without the function")
    return _function(cell)
