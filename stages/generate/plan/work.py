"""What a run still has to do: the draws that its cells have, and the calls that they need next."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from stages.generate.answers.answer import Answer
from stages.generate.answers.draws import Draw
from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell

_CELLS_READ_AT_ONCE = 500


class AnswerReader(Protocol):
    """A store of answers, or a file of recorded ones."""

    def read(self, fingerprints: Sequence[str], /) -> Mapping[str, Answer]:
        """The answers to these, where there are any."""


class AnswerStore(AnswerReader, Protocol):
    """The ledger, or a store in memory."""

    def present(self, fingerprints: Sequence[str], /) -> frozenset[str]:
        """The fingerprints that have an answer."""

    async def put(self, answer: Answer, /) -> None:
        """Return when the answer is durable."""


def next_call(planned: PlannedCell, draws: Sequence[Draw]) -> Call | None:
    """The call that a cell needs after its last draw; None when it needs none."""
    number = draws[-1].number if draws else 0
    if number == len(planned.fingerprints) or (draws and draws[-1].status == "success"):
        return None
    return planned.call(number + 1)


def draws_of_cells(
    cells: Sequence[PlannedCell], store: AnswerReader
) -> Iterator[tuple[PlannedCell, tuple[Draw, ...]]]:
    """Every cell, in order, with its draws; a few hundred cells are read at a time."""
    for start in range(0, len(cells), _CELLS_READ_AT_ONCE):
        chunk = cells[start : start + _CELLS_READ_AT_ONCE]
        answers = store.read([key for planned in chunk for key in planned.fingerprints])
        for planned in chunk:
            yield planned, draws_of(planned, answers)


def draws_of(planned: PlannedCell, answers: Mapping[str, Answer]) -> tuple[Draw, ...]:
    """The draws of a cell among the available answers, up to the first success or `unparsed_draws`
    of them; the last one counts.
    """
    draws: list[Draw] = []
    for number, fingerprint in enumerate(planned.fingerprints, start=1):
        if fingerprint not in answers or (draws and draws[-1].status == "success"):
            break
        draws.append(planned.read_draw(number, answers[fingerprint]))
    return tuple(draws)


def needed(
    cells: Sequence[PlannedCell], store: AnswerStore, given_up: Collection[str] = ()
) -> list[Call]:
    """The call that each cell needs next, except those whose fingerprint was given up; each
    fingerprint once.
    """
    present = store.present([key for planned in cells for key in planned.fingerprints])
    incomplete = [planned for planned in cells if not present.issuperset(planned.fingerprints)]
    calls = (next_call(planned, draws) for planned, draws in draws_of_cells(incomplete, store))
    calls_by_fingerprint: dict[str, Call] = {}
    for call in calls:
        if call is not None and call.fingerprint not in given_up:
            calls_by_fingerprint.setdefault(call.fingerprint, call)
    return list(calls_by_fingerprint.values())


class CellWork:
    """What is to be fetched for the cells of a run, as `fetch` asks for it."""

    def __init__(self, cells: Sequence[PlannedCell], store: AnswerStore) -> None:
        self._cells = cells
        self._store = store
        self._complete: set[str] = set()
        """The first fingerprints of cells whose last answer has been read and was usable."""
        self._cell_of_fingerprint = {
            fingerprint: planned
            for planned in reversed(cells)
            for fingerprint in planned.fingerprints[:-1]
        }

    def needed(self, given_up: Collection[str], /) -> list[Call]:
        """The call that each cell needs next, except those whose fingerprint was given up."""
        open_cells = [
            planned for planned in self._cells if planned.fingerprints[0] not in self._complete
        ]
        return needed(open_cells, self._store, given_up)

    def following(self, call: Call, answer: Answer, /) -> Call | None:
        """The next draw of the cell that an answer is of; an answer to the last one is not read."""
        planned = self._cell_of_fingerprint.get(call.fingerprint)
        if planned is None:
            return None
        following = next_call(planned, [planned.read_draw(call.draw, answer)])
        if following is None:
            self._complete.add(planned.fingerprints[0])
        return following
