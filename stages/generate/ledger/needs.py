"""Which answers a run still needs: the next draw of every cell that has no answer, or no usable one yet."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from stages.generate.answers.api_answer import PaidAnswer
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.draws import state_of

Needed = tuple[PlannedCell, int]
"""A cell and the number of the draw that it needs, from 1."""
_CHUNK = 500


class AnswerStore(Protocol):
    """The ledger, or a store in memory."""

    def present(self, fingerprints: Sequence[str], /) -> frozenset[str]:
        """The fingerprints that have an answer."""

    def read(self, fingerprints: Sequence[str], /) -> Mapping[str, PaidAnswer]:
        """The answers to these, where there are any."""


def stored(cells: Sequence[PlannedCell], store: AnswerStore) -> Iterator[tuple[PlannedCell, Mapping[str, PaidAnswer]]]:
    """Every cell, in order, with a mapping that holds its answers by fingerprint; a few hundred cells are read at a time."""
    for start in range(0, len(cells), _CHUNK):
        chunk = cells[start : start + _CHUNK]
        answers = store.read([key for planned in chunk for key in planned.fingerprints])
        for planned in chunk:
            yield planned, answers


def needed(cells: Sequence[PlannedCell], store: AnswerStore, given_up: Collection[str] = ()) -> list[Needed]:
    """The draw that each cell needs next, except those whose fingerprint was given up; each answer once."""
    found: dict[str, Needed] = {}
    for planned, draw in _wanted(cells, store):
        fingerprint = planned.fingerprints[draw - 1]
        if fingerprint not in given_up:
            found.setdefault(fingerprint, (planned, draw))
    return list(found.values())


def _wanted(cells: Sequence[PlannedCell], store: AnswerStore) -> Iterator[Needed]:
    if all(len(planned.fingerprints) == 1 for planned in cells):
        present = store.present([planned.fingerprints[0] for planned in cells])
        yield from ((planned, 1) for planned in cells if planned.fingerprints[0] not in present)
        return
    for planned, answers in stored(cells, store):
        draw = state_of(planned, answers).needed
        if draw is not None:
            yield planned, draw
