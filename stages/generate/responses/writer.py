"""Writes the response of every cell of a run: of those answered in it at once, then the others."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from stages.contracts.errors import GraphEvaluatorError
from stages.contracts.response import Cell, Response
from stages.generate.answers.api_answer import PaidAnswer
from stages.generate.calls.faults import Fault
from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.draws import AnswerStore, next_call, read_draw
from stages.generate.responses.files import ResponseFolder
from stages.generate.responses.response import Outcome, response_of, responses_of


class ResponseWriter:
    """Prepares the responses of a run in a folder, and counts them."""

    def __init__(self, cells: Sequence[PlannedCell], folder: ResponseFolder) -> None:
        self.outcome = Outcome()
        self._cells = cells
        self._folder = folder
        self._written: set[Cell] = set()
        self._cell_of_fingerprint = {planned.fingerprints[0]: planned for planned in cells}

    def write_answer(self, call: Call, answer: PaidAnswer) -> None:
        """Write the response of a cell while other calls are in flight, if its first draw does."""
        planned = self._cell_of_fingerprint.get(call.fingerprint)
        if planned is None:
            return
        draw = read_draw(planned, call.draw, answer)
        if next_call(planned, [draw]) is None:
            with suppress(GraphEvaluatorError):  # it is written with the others
                self._write(response_of(planned, [draw], None))

    def write_others(self, store: AnswerStore, failures: Mapping[str, Fault]) -> None:
        """Write the responses that are not written yet; `failures` says why calls failed."""
        others = [planned for planned in self._cells if planned.cell not in self._written]
        for response in responses_of(others, store, failures):
            self._write(response)

    def _write(self, response: Response) -> None:
        self._folder.write(response)
        self._written.add(response.cell)
        self.outcome.count(response)
