"""The response of a cell: its answer and what that cost, or why there is none; and the writing of
all responses of a run, those of answers that arrive at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from stages.generate.calls.faults import Fault
from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.endpoint import address
from stages.generate.plan.work import AnswerReader, CellState, cell_states
from stages.generate.prices import Cost
from stages.generate.responses.files import ResponseFolder
from stages.generate.responses.summary import RunSummary
from stages.shared.records.errors import GraphEvaluatorError
from stages.shared.records.json_text import JsonObject
from stages.shared.records.response import Answer, Cell, Response

NOT_CALLED = Fault(
    status="connection_failed", code="not_called", message="the call was not made", attempts=0
)


def responses_of(
    cells: Sequence[PlannedCell], store: AnswerReader, failures: Mapping[str, Fault]
) -> Iterator[Response]:
    """The response of every cell, in order; `failures` are those of this run, by fingerprint."""
    for state in cell_states(cells, store):
        yield response_of(state, _failure_of(state, failures))


def _failure_of(state: CellState, failures: Mapping[str, Fault]) -> Fault | None:
    """Why the call that a cell still needs failed."""
    return failures.get(state.following.fingerprint) if state.following else None


def response_of(state: CellState, failure: Fault | None = None) -> Response:
    """The response of a cell: its answers, with the cost of all of them.

    `failure` is that of the call that the cell still needs.
    """
    planned, answers = state.planned, state.answers
    model, first = planned.model, planned.calls[0]
    costs = [model.prices.cost(answer) for answer in answers]
    request: JsonObject = {
        "api": first.endpoint.api,
        "model": first.model,
        "instructions_sha256": first.instructions_sha256,
        "settings": first.settings,
        "round": first.identity["round"],
        "draw": max(len(answers), 1),
    }
    if model.config.prompt is not None:
        request |= {"instructions_sha256": None, "prompt": model.config.prompt}
    last = answers[-1] if answers else _in_place_of_an_answer(first, failure or NOT_CALLED)
    warnings = [*model.warnings, *last.warnings]
    if answers and failure is not None and state.following is not None:
        call = f"draw {state.following.draw}"
        warnings.append(f"{call} has no answer: {failure.status}: {failure.message}")
    return Response(
        cell=first.cell,
        answer=last,
        earlier_draws=answers[:-1],
        request=request,
        est_cost_usd=_total_usd(costs) if answers else None,
        pricing_source=costs[-1].source if answers else None,
        simulated=model.simulated,
        warnings=tuple(warnings),
    )


def _in_place_of_an_answer(call: Call, failure: Fault) -> Answer:
    """What a response says where the first call of its cell has no answer."""
    return Answer(
        fingerprint=call.fingerprint,
        status=failure.status,
        failure_code=failure.code,
        error_message=failure.message,
        attempts=failure.attempts,
        endpoint=address(call.endpoint),
    )


def _total_usd(costs: Sequence[Cost]) -> float | None:
    """The sum of costs, US dollars; None when one is not known."""
    known_usd = [cost.usd for cost in costs if cost.usd is not None]
    return round(sum(known_usd), 12) if len(known_usd) == len(costs) else None


class ResponseWriter:
    """Prepares the responses of a run in a folder, and counts them."""

    def __init__(self, folder: ResponseFolder) -> None:
        self._folder = folder
        self._written: set[Cell] = set()
        self.summary = RunSummary()

    def write_complete(self, state: CellState) -> None:
        """Write the response of a complete cell, while calls are in flight.

        What cannot be written is tried again, and reported, once all calls have ended.
        """
        with suppress(GraphEvaluatorError):
            self._write(state)

    def write_others(
        self, cells: Sequence[PlannedCell], store: AnswerReader, failures: Mapping[str, Fault]
    ) -> None:
        """Write the responses of those cells that have none yet; `failures` says why calls of this
        run failed.
        """
        others = [planned for planned in cells if planned.cell not in self._written]
        for state in cell_states(others, store):
            self._write(state, _failure_of(state, failures))

    def _write(self, state: CellState, failure: Fault | None = None) -> None:
        response = response_of(state, failure)
        self._folder.write(response)
        self._written.add(state.planned.cell)
        self.summary.count(response, is_complete=state.following is None)
