"""The response of a cell: its answer and what that cost, or why there is none; and the writing of
all responses of a run, those of answers that arrive at once.
"""

from collections.abc import Iterator, Mapping, Sequence

from stages.contracts.json_text import JsonValue
from stages.contracts.response import Cell, Response
from stages.generate.answers.answer import Answer
from stages.generate.answers.draws import Draw, record_of_draw
from stages.generate.answers.extraction import departure
from stages.generate.calls.faults import Fault
from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.endpoint import address
from stages.generate.plan.work import AnswerReader, draws_of_cells, next_call
from stages.generate.responses.files import ResponseFolder
from stages.generate.responses.summary import CellResult, result_of

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
    for planned, draws in draws_of_cells(cells, store):
        following = next_call(planned, draws)
        failure = failures.get(following.fingerprint) if following else None
        yield response_of(planned, draws, failure)


def response_of(planned: PlannedCell, draws: Sequence[Draw], failure: Fault | None) -> Response:
    """The response of a cell: its last draw, with the cost of all of them.

    `failure` is that of the draw that the cell still needs.
    """
    fields = _fields_of_failure(planned, failure or NOT_CALLED)
    if draws:
        fields = _fields_of_draws(planned, draws, failure)
    request: dict[str, JsonValue] = {
        "api": planned.model.endpoint.api,
        "model": planned.model.config.model,
        "instructions_sha256": planned.prompt.sha256,
        "settings": planned.model.settings,
        "round": planned.round_number,
        "draw": draws[-1].number if draws else 1,
    }
    if planned.model.config.prompt is not None:
        request |= {"instructions_sha256": None, "prompt": planned.model.config.prompt}
    about = {
        "model_id": planned.cell.model_id,
        "brief_id": planned.cell.brief_id,
        "sample": planned.cell.sample,
        "draws": len(draws),
        "simulated": planned.model.simulated,
        "request": request,
    }
    return Response.read(about | fields)


def _fields_of_draws(
    planned: PlannedCell, draws: Sequence[Draw], failure: Fault | None
) -> dict[str, object]:
    model, last = planned.model, draws[-1]
    costs = [model.prices.cost(draw.answer) for draw in draws]
    known_usd = [cost.usd for cost in costs if cost.usd is not None]
    warnings = [*model.warnings, *_warnings(planned, last)]
    if failure is not None:
        reason = f"{failure.status}: {failure.message}"
        warnings.append(f"draw {len(draws) + 1} has no answer: {reason}")
    extraction = last.extraction
    return {
        **dict(record_of_draw(last)),
        "parsed_graph": last.graph,
        "extraction_attempted": extraction is not None and extraction.attempted,
        "extraction_method": extraction.method if extraction else None,
        "est_cost_usd": round(sum(known_usd), 12) if len(known_usd) == len(costs) else None,
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
        "fingerprint": planned.fingerprints[0],
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
