"""Which answers a run still needs: the next draw of every cell that has none, or none of use yet."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from stages.generate.answers.draws import CellState, state_of
from stages.generate.call import Answer
from stages.generate.plan.cell_plan import PlannedCell

CHUNK = 500
"""Cells whose answers are in memory at the same time."""


Wanted = Sequence[tuple[PlannedCell, int]]
"""Draws to be had: a cell and the number of its draw, from 1."""


class AnswerStore(Protocol):
    """What is asked of the ledger."""

    def present(self, fingerprints: Sequence[str], /) -> frozenset[str]:
        """Which of these have an answer."""

    def read(self, fingerprints: Sequence[str], /) -> dict[str, Answer]:
        """The answers to these, where there are any."""


def kept(cells: Sequence[PlannedCell], store: AnswerStore) -> Iterator[tuple[PlannedCell, Mapping[str, Answer]]]:
    """Every cell with its answers, among others, by fingerprint, in the order of the cells; read a chunk at a time."""
    for start in range(0, len(cells), CHUNK):
        chunk = cells[start : start + CHUNK]
        answers = store.read([key for planned in chunk for key in planned.fingerprints])
        for planned in chunk:
            yield planned, answers


def states(cells: Sequence[PlannedCell], store: AnswerStore) -> Iterator[tuple[PlannedCell, CellState]]:
    """Every cell with what its answers amount to, in the order of the cells."""
    for planned, answers in kept(cells, store):
        yield planned, state_of(planned, answers)


def needed(
    cells: Sequence[PlannedCell], store: AnswerStore, given_up: Collection[str] = ()
) -> list[tuple[PlannedCell, int]]:
    """The draw that each cell wants next, where it wants one that was not given up; each answer once.

    Where a cell takes one draw at most, nothing is read but which answers are there.
    """
    wanted: list[tuple[PlannedCell, int]] = []
    if all(len(planned.fingerprints) == 1 for planned in cells):
        present = store.present([planned.fingerprints[0] for planned in cells])
        wanted = [(planned, 1) for planned in cells if planned.fingerprints[0] not in present]
    else:
        wanted = [(planned, state.wanted) for planned, state in states(cells, store) if state.wanted is not None]
    return list(_once(wanted, set(given_up)))


def _once(wanted: Iterable[tuple[PlannedCell, int]], seen: set[str]) -> Iterator[tuple[PlannedCell, int]]:
    for planned, draw in wanted:
        fingerprint = planned.fingerprints[draw - 1]
        if fingerprint not in seen:
            seen.add(fingerprint)
            yield planned, draw
