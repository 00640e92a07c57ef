"""How many cells there are and what became of them: what stands beside every mean."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from stages.contracts.response import ANSWERED, STATUSES, Status
from stages.report.cells import CellResult


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a set of cells. `scored` have a valid graph; `invalid` an answer whose graph is structurally invalid."""

    cells: int
    answered: int
    scored: int
    invalid: int
    by_status: tuple[tuple[Status, int], ...]
    """Every status that occurs, in the order of `STATUSES`."""

    @property
    def valid_share(self) -> float | None:
        """The share of cells with a valid graph, 0..1."""
        return self.scored / self.cells if self.cells else None

    @property
    def answered_share(self) -> float | None:
        """The share of cells with an answer, usable or not, 0..1."""
        return self.answered / self.cells if self.cells else None

    @property
    def unanswered(self) -> int:
        """How many cells have no answer: the next run calls them again."""
        return self.cells - self.answered

    def of(self, status: Status) -> int:
        """How many cells ended with a status."""
        return dict(self.by_status).get(status, 0)


def count_cells(cells: Iterable[CellResult]) -> Counts:
    """What became of the cells; an empty set counts zero of everything."""
    by_status: Counter[Status] = Counter()
    scored = 0
    for cell in cells:
        by_status[cell.status] += 1
        scored += cell.scored
    return Counts(
        cells=by_status.total(),
        answered=sum(number for status, number in by_status.items() if status in ANSWERED),
        scored=scored,
        invalid=by_status["success"] - scored,
        by_status=tuple((status, by_status[status]) for status in STATUSES if by_status[status]),
    )
