"""The response of a cell: its answer and what that cost, or why there is no answer."""

import re

from stages.contracts.cell import Measured
from stages.contracts.json_text import JsonValue
from stages.contracts.response import EarlierDraw, Response
from stages.generate.answers.structured import departure
from stages.generate.calls.faults import CallFailure
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.draws import CellState, Draw
from stages.generate.plan.endpoint import address
from stages.generate.prices import Prices

_THOUGHT = re.compile(r"\s*<think(?:ing)?>|</think(?:ing)?>")
"""What a model's reasoning looks like that the server has left in the text."""


def response_of(planned: PlannedCell, state: CellState, failure: CallFailure | None, prices: Prices) -> Response:
    """The response of a cell.

    Args:
        planned: The cell.
        state: Its draws.
        failure: Why the draw that it needs was not received in this run; None when it needs none.
        prices: Of the models; the response's cost covers all draws.
    """
    chosen = state.chosen
    return _unanswered(planned, failure) if chosen is None else _answered(planned, state, chosen, failure, prices)


def _answered(
    planned: PlannedCell, state: CellState, chosen: Draw, failure: CallFailure | None, prices: Prices
) -> Response:
    costs = [prices.cost(planned, draw.answer) for draw in state.draws]
    known = [cost.usd for cost in costs if cost.usd is not None]
    warnings = [*planned.request.warnings, *_warnings(planned, chosen)]
    if failure is not None:
        warnings.append(f"draw {state.needed} has no answer: {failure.status}: {failure.message}")
    answer = chosen.answer
    return Response(
        model_id=planned.cell.model_id,
        brief_id=planned.cell.brief_id,
        sample=planned.cell.sample,
        status=chosen.status,
        raw_text=answer.content.text,
        parsed_graph=chosen.graph,
        extraction_attempted=chosen.extraction_attempted,
        extraction_method=chosen.method,
        measured=Measured(
            latency_ms=answer.latency_ms,
            usage=answer.content.usage,
            est_cost_usd=round(sum(known), 12) if len(known) == len(costs) else None,
            pricing_source=costs[-1].source,
            attempts=answer.attempts,
            draws=len(state.draws),
            simulated=planned.config.provider == "simulated",
            created_at=answer.arrived_at,
        ),
        service_tier=answer.service_tier,
        failure_code=chosen.code,
        error_message=chosen.message,
        fingerprint=answer.fingerprint,
        endpoint=answer.endpoint,
        answered_model=answer.content.model,
        response_id=answer.content.response_id,
        request=_request(planned, chosen.number),
        warnings=tuple(warnings),
        earlier_draws=tuple(_earlier(draw) for draw in state.draws[:-1]),
    )


def _unanswered(planned: PlannedCell, failure: CallFailure | None) -> Response:
    return Response(
        model_id=planned.cell.model_id,
        brief_id=planned.cell.brief_id,
        sample=planned.cell.sample,
        status=failure.status if failure else "connection_failed",
        measured=Measured(
            attempts=failure.attempts if failure else 0, simulated=planned.config.provider == "simulated"
        ),
        failure_code=failure.code if failure else "not_called",
        error_message=failure.message if failure else "the call was not made",
        fingerprint=planned.fingerprints[0],
        endpoint=address(planned.request.endpoint),
        request=_request(planned, 1),
        warnings=planned.request.warnings,
    )


def _warnings(planned: PlannedCell, draw: Draw) -> list[str]:
    found: list[str] = []
    if _THOUGHT.match(draw.answer.content.text):
        found.append(
            "the text begins with the model's reasoning (<think>): turn on the server's reasoning parser "
            "(vLLM and SGLang: --reasoning-parser; llama.cpp: --reasoning-format deepseek)"
        )
    schema = planned.request.schema
    place = departure(draw.extracted, schema) if schema is not None and draw.status == "success" else None
    if place is not None:
        found.append(f"the answer does not follow the schema that was sent, first at {place}")
    return found


def _request(planned: PlannedCell, draw: int) -> dict[str, JsonValue]:
    request = planned.request
    return {
        "api": request.endpoint.api,
        "model": request.model,
        "instructions_sha256": request.instructions_sha256,
        "settings": request.lasting_settings,
        "round": planned.round_number,
        "draw": draw,
    }


def _earlier(draw: Draw) -> EarlierDraw:
    answer = draw.answer
    return EarlierDraw(
        fingerprint=answer.fingerprint,
        status=draw.status,
        raw_text=answer.content.text,
        latency_ms=answer.latency_ms,
        usage=answer.content.usage,
        service_tier=answer.service_tier,
        failure_code=draw.code,
        error_message=draw.message,
        attempts=answer.attempts,
        created_at=answer.arrived_at,
        endpoint=answer.endpoint,
        answered_model=answer.content.model,
        response_id=answer.content.response_id,
    )
