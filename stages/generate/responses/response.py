"""The response of a cell: its answer and what that cost, or why there is none; and the sentences about all of them."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from stages.contracts.json_text import JsonValue
from stages.contracts.response import ANSWERED, EarlierDraw, Response, Status
from stages.generate.answers.extraction import departure
from stages.generate.calls.faults import Fault
from stages.generate.forecast import SIMULATED
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.draws import AnswerStore, Draw, draws_of_cells, next_call
from stages.generate.plan.endpoint import address
from stages.shell.numbers import count, counted, money
from stages.shell.text import visible


class Outcome:
    """The outcome of a run: counts its responses, so that they need not all be in memory."""

    def __init__(self) -> None:
        self._statuses: Counter[Status] = Counter()
        self._messages: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._simulated = False

    def count(self, response: Response) -> None:
        """Take the response of one cell into account."""
        self._statuses[response.status] += 1
        self._simulated |= response.measured.simulated
        if not response.answered:
            self._messages[response.model_id][response.error_message or ""] += 1

    @property
    def answered(self) -> int:
        """Cells that have an answer."""
        return sum(number for status, number in self._statuses.items() if status in ANSWERED)

    def lines(self, costs_usd: Mapping[str, float | None]) -> list[str]:
        """The closing sentences; `costs_usd` are the costs of the answers that were fetched."""
        missing = self._statuses.total() - self.answered
        order = sorted(
            self._statuses,
            key=lambda status: (status not in ANSWERED, -self._statuses[status], status),
        )
        named = ", ".join(f"{count(self._statuses[status])} {status}" for status in order)
        lines = [
            f"{counted(self._statuses.total(), 'cell')}: {named}; {_spent(costs_usd, missing)}"
        ]
        if missing:
            have, those = ("has", "it") if missing == 1 else ("have", "those")
            lines.append(
                f"{counted(missing, 'cell')} {have} no answer: `dvc repro -f` calls just {those}"
            )
        return [*lines, *([SIMULATED] if self._simulated else [])]

    def commonest_messages(self) -> list[str]:
        """For each model, the message that most of its cells without an answer have."""
        return [
            f"{model_id}: {visible(message)} ({counted(number, 'cell')})"
            for model_id, messages in sorted(self._messages.items())
            for message, number in messages.most_common(1)
        ]


def responses_of(
    cells: Sequence[PlannedCell], store: AnswerStore, failures: Mapping[str, Fault]
) -> Iterator[Response]:
    """The response of every cell, in order; `failures` says why calls have no answer."""
    for planned, draws in draws_of_cells(cells, store):
        following = next_call(planned, draws)
        failure = failures.get(following.fingerprint) if following else None
        yield response_of(planned, draws, failure)


def response_of(planned: PlannedCell, draws: Sequence[Draw], failure: Fault | None) -> Response:
    """The response of a cell: its last draw, with the cost of all of them; `failure` is that of the draw that it still needs."""
    model = planned.model
    warnings = [*model.warnings]
    if draws:
        last = draws[-1]
        costs = [model.prices.cost(draw.answer) for draw in draws]
        known = [cost.usd for cost in costs if cost.usd is not None]
        warnings += _warnings(planned, last)
        if failure is not None:
            warnings.append(
                f"draw {len(draws) + 1} has no answer: {failure.status}: {failure.message}"
            )
        found = _record(last).to_json() | {
            "parsed_graph": last.graph,
            "extraction_attempted": last.extraction_attempted,
            "extraction_method": last.method,
            "est_cost_usd": round(sum(known), 12) if len(known) == len(costs) else None,
            "pricing_source": costs[-1].source,
        }
    else:
        found = {
            "status": failure.status if failure else "connection_failed",
            "attempts": failure.attempts if failure else 0,
            "failure_code": failure.code if failure else "not_called",
            "error_message": failure.message if failure else "the call was not made",
            "fingerprint": planned.fingerprints[0],
            "endpoint": address(model.endpoint),
        }
    request: dict[str, JsonValue] = {
        "api": model.endpoint.api,
        "model": model.config.model,
        "instructions_sha256": planned.prompt.sha256,
        "settings": model.settings,
        "round": planned.round_number,
        "draw": draws[-1].number if draws else 1,
    }
    return Response.read({
        **found,
        "model_id": planned.cell.model_id,
        "brief_id": planned.cell.brief_id,
        "sample": planned.cell.sample,
        "draws": len(draws),
        "simulated": model.simulated,
        "request": request,
        "warnings": warnings,
        "earlier_draws": [_record(draw) for draw in draws[:-1]],
    })  # fmt: skip


def _warnings(planned: PlannedCell, draw: Draw) -> Iterator[str]:
    text = draw.answer.content.text
    if text.lstrip().startswith("<think") or (draw.method != "direct" and "</think" in text):
        yield (
            "the text holds the model's reasoning (<think>): turn on the server's reasoning parser "
            "(vLLM and SGLang: --reasoning-parser; llama.cpp: --reasoning-format deepseek)"
        )
    schema = planned.model.schema
    place = (
        departure(draw.extracted, schema)
        if schema is not None and draw.status == "success"
        else None
    )
    if place is not None:
        yield f"the answer does not follow the schema that was sent, first at {place}"


def _record(draw: Draw) -> EarlierDraw:
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


def _spent(costs_usd: Mapping[str, float | None], missing: int) -> str:
    if not costs_usd:
        return "no answer was fetched" if missing else "nothing was called"
    costs = [usd for usd in costs_usd.values() if usd is not None]
    cost = f" for {money(sum(costs))}" if costs else ""
    unpriced = len(costs_usd) - len(costs)
    unknown = f" ({count(unpriced)} at an unknown price)" if unpriced else ""
    return f"{counted(len(costs_usd), 'answer')} fetched{cost}{unknown}"
