"""The response of a cell: what its draws came to, what they cost, or why there is no answer."""

from collections.abc import Callable

from stages.contracts.cell import Measured, Usage
from stages.contracts.json_text import JsonValue
from stages.contracts.response import EarlierDraw, Response
from stages.generate.answers.draws import CellState, Draw
from stages.generate.call import Failure
from stages.generate.cost.pricing import Cost
from stages.generate.plan.cell_plan import PlannedCell
from stages.generate.plan.endpoint import address

CostOf = Callable[[PlannedCell, Draw], Cost]
"""What one draw of a cell cost."""


def response_of(planned: PlannedCell, state: CellState, failure: Failure | None, cost_of: CostOf) -> Response:
    """The response of a cell.

    Args:
        planned: The cell.
        state: Its draws.
        failure: Why the draw that it wants was not had in this run; None when it wants none.
        cost_of: What a draw cost; the response's cost covers all of them.
    """
    chosen = state.chosen
    return _unanswered(planned, failure) if chosen is None else _answered(planned, state, chosen, failure, cost_of)


def _answered(
    planned: PlannedCell, state: CellState, chosen: Draw, failure: Failure | None, cost_of: CostOf
) -> Response:
    costs = [cost_of(planned, draw) for draw in state.draws]
    known = [cost.usd for cost in costs if cost.usd is not None]
    warnings = planned.request.warnings
    if failure is not None:
        warnings += (f"draw {state.wanted} has no answer: {failure.status}: {failure.message}",)
    return Response(
        model_id=planned.cell.model_id,
        brief_id=planned.cell.brief_id,
        sample=planned.cell.sample,
        status=chosen.status,
        raw_text=chosen.reading.text,
        parsed_graph=chosen.graph,
        extraction_attempted=chosen.extraction_attempted,
        extraction_method=chosen.method,
        measured=Measured(
            latency_ms=chosen.answer.latency_ms,
            usage=_usage(chosen),
            est_cost_usd=round(sum(known), 12) if len(known) == len(costs) else None,
            pricing_source=costs[-1].source,
            attempts=chosen.answer.attempts,
            draws=len(state.draws),
            simulated=planned.config.provider == "simulated",
            created_at=chosen.answer.arrived_at,
        ),
        service_tier=chosen.service_tier,
        failure_code=chosen.code,
        error_message=chosen.message,
        fingerprint=chosen.answer.fingerprint,
        endpoint=chosen.answer.endpoint,
        answered_model=chosen.reading.model,
        response_id=chosen.reading.response_id,
        request=_request(planned, chosen.number),
        warnings=warnings,
        earlier_draws=tuple(_earlier(draw) for draw in state.draws[:-1]),
    )


def _unanswered(planned: PlannedCell, failure: Failure | None) -> Response:
    return Response(
        model_id=planned.cell.model_id,
        brief_id=planned.cell.brief_id,
        sample=planned.cell.sample,
        status=failure.status if failure else "connection_failed",
        failure_code=failure.code if failure else "not_called",
        error_message=failure.message if failure else "the call was not made",
        fingerprint=planned.fingerprints[0],
        measured=Measured(
            attempts=failure.attempts if failure else 0, simulated=planned.config.provider == "simulated"
        ),
        endpoint=address(planned.request.endpoint),
        request=_request(planned, 1),
        warnings=planned.request.warnings,
    )


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
    return EarlierDraw(
        fingerprint=draw.answer.fingerprint,
        status=draw.status,
        raw_text=draw.reading.text,
        latency_ms=draw.answer.latency_ms,
        usage=_usage(draw),
        service_tier=draw.service_tier,
        failure_code=draw.code,
        error_message=draw.message,
        attempts=draw.answer.attempts,
        created_at=draw.answer.arrived_at,
        endpoint=draw.answer.endpoint,
        answered_model=draw.reading.model,
        response_id=draw.reading.response_id,
    )


def _usage(draw: Draw) -> Usage:
    usage = draw.reading.usage
    return Usage(
        input_tokens=usage.input,
        cached_tokens=usage.cached,
        cache_write_tokens=usage.cache_write,
        output_tokens=usage.output,
        reasoning_tokens=usage.reasoning,
    )
