"""What a run still has to do: the draws that its cells have, and the calls that they need next."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell
from stages.shared.records.response import Answer

_CELLS_READ_AT_ONCE = 500


class AnswerReader(Protocol):
    """A store of answers, or a file of recorded ones."""

    def read(self, calls: Sequence[Call], /) -> Mapping[str, Answer]:
        """The answers to calls by fingerprint, where there are any."""


class AnswerStore(AnswerReader, Protocol):
    """The ledger, or a store in memory."""

    def present(self, fingerprints: Sequence[str], /) -> frozenset[str]:
        """The fingerprints that have an answer."""


@dataclass(frozen=True, slots=True)
class CellState:
    """A cell, its answers (the last one counts), and the call that it needs next; None once it is
    complete.
    """

    planned: PlannedCell
    answers: tuple[Answer, ...]
    following: Call | None


def next_call(planned: PlannedCell, call: Call, answer: Answer) -> Call | None:
    """The call that a cell needs after the answer to one; None when it needs none.

    Draws go on until a success, `unparsed_draws` of them at most.
    """
    if answer.status == "success" or call.draw == len(planned.calls):
        return None
    return planned.calls[call.draw]


def state_of(planned: PlannedCell, answers: Mapping[str, Answer]) -> CellState:
    """The state of a cell by the available answers."""
    own: list[Answer] = []
    call: Call | None = planned.calls[0]
    while call is not None and call.fingerprint in answers:
        own.append(answers[call.fingerprint])
        call = next_call(planned, call, own[-1])
    return CellState(planned, tuple(own), call)


def cell_states(cells: Sequence[PlannedCell], store: AnswerReader) -> Iterator[CellState]:
    """The state of every cell, in order; a few hundred cells are read at a time."""
    for start in range(0, len(cells), _CELLS_READ_AT_ONCE):
        chunk = cells[start : start + _CELLS_READ_AT_ONCE]
        answers = store.read([call for planned in chunk for call in planned.calls])
        for planned in chunk:
            yield state_of(planned, answers)


def needed(
    cells: Sequence[PlannedCell], store: AnswerStore, given_up: Collection[str] = ()
) -> list[Call]:
    """The call that each cell needs next, except those whose fingerprint was given up; each
    fingerprint once.
    """
    present = store.present([key for planned in cells for key in planned.fingerprints])
    to_read = [planned for planned in cells if not present.issuperset(planned.fingerprints)]
    calls_by_fingerprint: dict[str, Call] = {}
    for state in cell_states(to_read, store):
        call = state.following
        if call is not None and call.fingerprint not in given_up:
            calls_by_fingerprint.setdefault(call.fingerprint, call)
    return list(calls_by_fingerprint.values())


def _ignore(_state: CellState) -> None:
    """Do nothing with a complete cell."""


class CellWork:
    """What is to be fetched for the cells of a run, as `fetch` asks for it.

    `on_complete` is called with each cell that its first answer completes.
    """

    def __init__(
        self,
        cells: Sequence[PlannedCell],
        store: AnswerStore,
        on_complete: Callable[[CellState], None] = _ignore,
    ) -> None:
        self._cells = cells
        self._store = store
        self._on_complete = on_complete
        self._complete: set[str] = set()
        """The first fingerprints of cells whose last answer has been read and was usable."""
        self._cell_of_fingerprint = {
            key: planned for planned in reversed(cells) for key in planned.fingerprints
        }

    def needed(self, given_up: Collection[str]) -> list[Call]:
        """The call that each cell needs next, except those whose fingerprint was given up."""
        open_cells = [
            planned for planned in self._cells if planned.fingerprints[0] not in self._complete
        ]
        return needed(open_cells, self._store, given_up)

    def following(self, call: Call, answer: Answer) -> Call | None:
        """The next draw of the cell that an answer is of; None when it needs none."""
        planned = self._cell_of_fingerprint[call.fingerprint]
        following = next_call(planned, call, answer)
        if following is None:
            self._complete.add(planned.fingerprints[0])
        if following is None and call.draw == 1:
            self._on_complete(CellState(planned, (answer,), None))
        return following
