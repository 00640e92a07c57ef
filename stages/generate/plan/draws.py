"""The draws of a cell: each answer read, its status, and the call that the cell needs next."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from stages.contracts.json_text import MAX_LEVELS, JsonValue
from stages.contracts.response import ExtractionMethod, Status
from stages.generate.answers.api_answer import PaidAnswer
from stages.generate.answers.extraction import extract, ordinary_form
from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell

_CHUNK = 500


class AnswerStore(Protocol):
    """The ledger, or a store in memory."""

    def present(self, fingerprints: Sequence[str], /) -> frozenset[str]:
        """The fingerprints that have an answer."""

    def read(self, fingerprints: Sequence[str], /) -> Mapping[str, PaidAnswer]:
        """The answers to these, where there are any."""

    async def put(self, answer: PaidAnswer, /) -> None:
        """Return when the answer is durable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """One answer of a cell; `number` is from 1.

    `extracted` is the JSON value in the text, `graph` the same in the ordinary form; `code` and `message` say why it is no success.
    """

    number: int
    answer: PaidAnswer
    status: Status
    extracted: JsonValue = None
    graph: JsonValue = None
    method: ExtractionMethod | None = None
    extraction_attempted: bool = False
    code: str | None = None
    message: str | None = None


def next_call(planned: PlannedCell, draws: Sequence[Draw]) -> Call | None:
    """The call that a cell needs after its last draw; None when it needs none."""
    number = draws[-1].number if draws else 0
    if number == len(planned.fingerprints) or (draws and draws[-1].status == "success"):
        return None
    return planned.call(number + 1)


def read_draw(planned: PlannedCell, number: int, answer: PaidAnswer) -> Draw:
    """The answer to a draw of a cell, read: never raises, whatever the model wrote.

    An answer without JSON whose output reached the bound that was sent is truncated, whatever the server calls it.
    """
    content, params = answer.content, planned.model.config.params
    draw = Draw(
        number=number,
        answer=answer,
        status="parse_failed",
        code=content.code,
        message=content.message,
    )
    if content.ending != "complete":
        return draw if content.ending == "failed" else replace(draw, status=content.ending)
    found = extract(content.text)
    if found.parsed is not None:
        graph = (
            ordinary_form(found.parsed) if params.response_format == "json_schema" else found.parsed
        )
        draw = replace(
            draw, status="success", extracted=found.parsed, graph=graph, method=found.method
        )
        return replace(draw, extraction_attempted=found.attempted)
    bound, written = params.max_output_tokens, content.usage.output_tokens
    if found.too_deep:
        message = f"the JSON of the answer is nested more than {MAX_LEVELS - 1} levels deep"
        return replace(draw, extraction_attempted=True, code="too_deep", message=message)
    if bound is not None and written is not None and written >= bound:
        message = "the answer was cut off: max_output_tokens"
        return replace(draw, status="truncated", code="max_output_tokens", message=message)
    if not content.text.strip():
        return replace(draw, code="empty_output", message="the answer is empty")
    message = "no JSON can be extracted from the answer"
    return replace(draw, extraction_attempted=True, code="no_json", message=message)


def draws_of_cells(
    cells: Sequence[PlannedCell], store: AnswerStore
) -> Iterator[tuple[PlannedCell, tuple[Draw, ...]]]:
    """Every cell, in order, with its draws; a few hundred cells are read at a time."""
    for start in range(0, len(cells), _CHUNK):
        chunk = cells[start : start + _CHUNK]
        answers = store.read([key for planned in chunk for key in planned.fingerprints])
        for planned in chunk:
            yield planned, draws_of(planned, answers)


def draws_of(planned: PlannedCell, answers: Mapping[str, PaidAnswer]) -> tuple[Draw, ...]:
    """The draws of a cell among the available answers, up to the first success or `unparsed_draws` of them; the last one counts."""
    draws: list[Draw] = []
    for number, fingerprint in enumerate(planned.fingerprints, start=1):
        if fingerprint not in answers or (draws and draws[-1].status == "success"):
            break
        draws.append(read_draw(planned, number, answers[fingerprint]))
    return tuple(draws)


def needed(
    cells: Sequence[PlannedCell], store: AnswerStore, given_up: Collection[str] = ()
) -> list[Call]:
    """The call that each cell needs next, except those whose fingerprint was given up; each fingerprint once."""
    present = store.present([key for planned in cells for key in planned.fingerprints])
    incomplete = [planned for planned in cells if not present.issuperset(planned.fingerprints)]
    calls = (next_call(planned, draws) for planned, draws in draws_of_cells(incomplete, store))
    found: dict[str, Call] = {}
    for call in calls:
        if call is not None and call.fingerprint not in given_up:
            found.setdefault(call.fingerprint, call)
    return list(found.values())


class CellWork:
    """What is to be fetched for the cells of a run, as `fetch` asks for it."""

    def __init__(self, cells: Sequence[PlannedCell], store: AnswerStore) -> None:
        self._cells = cells
        self._store = store
        self._cell_of_fingerprint = {
            fingerprint: planned
            for planned in reversed(cells)
            for fingerprint in planned.fingerprints[:-1]
        }

    def needed(self, given_up: Collection[str], /) -> list[Call]:
        """The call that each cell needs next, except those whose fingerprint was given up."""
        return needed(self._cells, self._store, given_up)

    def following(self, call: Call, answer: PaidAnswer, /) -> Call | None:
        """The next draw of the cell that an answer is of; an answer to the last one is not read."""
        planned = self._cell_of_fingerprint.get(call.fingerprint)
        if planned is None:
            return None
        return next_call(planned, [read_draw(planned, call.draw, answer)])
