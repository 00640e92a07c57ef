"""The response of a cell: its answer and what that cost, or why there is none; and the writing of
all responses of a run, those of answers that arrive at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict

from stages.generate.answers.draws import Draw, record_of_draw
from stages.generate.answers.extraction import departure
from stages.generate.calls.faults import Fault
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.endpoint import address
from stages.generate.plan.work import AnswerReader, CellState, cell_states
from stages.generate.prices import Cost
from stages.generate.responses.files import ResponseFolder
from stages.generate.responses.summary import RunSummary
from stages.shared.records.errors import GraphEvaluatorError
from stages.shared.records.json_text import JsonValue
from stages.shared.records.response import Cell, Response

NOT_CALLED = Fault(
    status="connection_failed", code="not_called", message="the call was not made", attempts=0
)
REASONING_IN_TEXT = (
    "the text holds the model's reasoning (<think>): turn on the server's reasoning parser "
    "(vLLM and SGLang: --reasoning-parser; llama.cpp: --reasoning-format deepseek)"
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
    """The response of a cell: its last draw, with the cost of all of them.

    `failure` is that of the call that the cell still needs.
    """
    planned, draws = state.planned, state.draws
    first = planned.calls[0]
    fields = _fields_of_failure(planned, failure or NOT_CALLED)
    if draws:
        fields = _fields_of_draws(state, failure)
    request: dict[str, JsonValue] = {
        "api": first.endpoint.api,
        "model": first.model,
        "instructions_sha256": first.instructions_sha256,
        "settings": first.settings,
        "round": first.identity["round"],
        "draw": draws[-1].number if draws else 1,
    }
    if planned.model.config.prompt is not None:
        request |= {"instructions_sha256": None, "prompt": planned.model.config.prompt}
    about = {
        **asdict(first.cell),
        "draws": len(draws),
        "simulated": planned.model.simulated,
        "request": request,
    }
    return Response.read(about | fields)


def _fields_of_draws(state: CellState, failure: Fault | None) -> dict[str, object]:
    planned, draws, last = state.planned, state.draws, state.draws[-1]
    costs = [planned.model.prices.cost(draw.answer) for draw in draws]
    warnings = [*planned.model.warnings, *_warnings(planned, last)]
    if failure is not None and state.following is not None:
        call = f"draw {state.following.draw}"
        warnings.append(f"{call} has no answer: {failure.status}: {failure.message}")
    extraction = last.extraction
    return {
        **dict(record_of_draw(last)),
        "parsed_graph": last.graph,
        "extraction_attempted": extraction is not None and extraction.attempted,
        "extraction_method": extraction.method if extraction else None,
        "est_cost_usd": _total_usd(costs),
        "pricing_source": costs[-1].source,
        "warnings": warnings,
        "earlier_draws": [record_of_draw(draw) for draw in draws[:-1]],
    }


def _fields_of_failure(planned: PlannedCell, failure: Fault) -> dict[str, object]:
    return {
        "status": failure.status,
        "attempts": failure.attempts,
        "failure_code": failure.code,
        "error_message": failure.message,
        "fingerprint": planned.calls[0].fingerprint,
        "endpoint": address(planned.model.endpoint),
        "warnings": planned.model.warnings,
    }


def _warnings(planned: PlannedCell, draw: Draw) -> Iterator[str]:
    """What is odd about an answer: reasoning in its text, a form that its schema does not allow."""
    text, schema, extraction = draw.answer.content.raw_text, planned.model.schema, draw.extraction
    whole = extraction is not None and extraction.method == "direct"
    if text.lstrip().startswith("<think") or (not whole and "</think" in text):
        yield REASONING_IN_TEXT
    if draw.status != "success" or schema is None or extraction is None:
        return
    place = departure(extraction.parsed, schema)
    if place is not None:
        yield f"the answer does not follow the schema that was sent, first at {place}"


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
