"""Writes the response of every cell of a run: of those answered in it at once, then the others."""

from collections.abc import Mapping, Sequence

from stages.contracts.response import Cell, Response
from stages.generate.answers.answer import Answer
from stages.generate.calls.faults import Fault
from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.work import AnswerReader, next_call
from stages.generate.responses.files import ResponseFolder
from stages.generate.responses.response import response_of, responses_of
from stages.generate.responses.summary import CellResult, result_of


class ResponseWriter:
    """Prepares the responses of a run in a folder."""

    def __init__(self, cells: Sequence[PlannedCell], folder: ResponseFolder) -> None:
        self._cells = cells
        self._folder = folder
        self._results: dict[Cell, CellResult] = {}
        self._cell_of_fingerprint = {planned.fingerprints[0]: planned for planned in cells}

    def write_answer(self, call: Call, answer: Answer) -> None:
        """Write the response of a cell that its first draw completes, while calls are in flight."""
        planned = self._cell_of_fingerprint.get(call.fingerprint)
        if planned is None:
            return
        draw = planned.read_draw(1, answer)
        if next_call(planned, [draw]) is None:
            self._write(response_of(planned, [draw], None))

    def write_others(
        self, store: AnswerReader, failures: Mapping[str, Fault]
    ) -> tuple[CellResult, ...]:
        """Write the responses that are not written yet; what the summary needs of all, in order.

        `failures` says why calls of this run failed.
        """
        others = [planned for planned in self._cells if planned.cell not in self._results]
        for response in responses_of(others, store, failures):
            self._write(response)
        return tuple(self._results[planned.cell] for planned in self._cells)

    def _write(self, response: Response) -> None:
        self._folder.write(response)
        self._results[response.cell] = result_of(response)
