"""Evidence: all that is known of one cell, read when its page is made so that big runs need not be held in memory."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, TypeVar

from stages.contracts.cell import Cell
from stages.contracts.response import Response
from stages.contracts.scorecard import Scorecard


class Evidence(NamedTuple):
    """A cell's scorecard and its response; None when the response's file is not there."""

    card: Scorecard
    response: Response | None


Find = Callable[[Cell], Evidence]
"""Reads a cell's evidence; passed in, so that making pages touches no file."""

Page = tuple[str, bytes]
"""A path below the site's folder, with `/` between its parts, and the file's content."""


Job = TypeVar("Job")


class Each(Protocol):
    """Applies a function to every job, results in the order of the jobs: `map`, or a pool of processes."""

    def __call__(self, function: Callable[[Job], Page], jobs: Iterable[Job], /) -> Iterable[Page]:
        """The pages of all jobs."""
        ...


def one_by_one(function: Callable[[Job], Page], jobs: Iterable[Job], /) -> Iterator[Page]:
    """The plain way: every page in this process."""
    return map(function, jobs)
