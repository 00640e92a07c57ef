"""The draws of a cell: each answer read, its status, and the draw that the cell needs next; which draws a run still needs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from stages.contracts.json_text import MAX_LEVELS, JsonValue
from stages.contracts.response import ExtractionMethod, Status
from stages.generate.answers.api_answer import Content, PaidAnswer, cut_off
from stages.generate.answers.extraction import extract
from stages.generate.answers.structured import ordinary_form
from stages.generate.plan.cells import PlannedCell

Needed = tuple[PlannedCell, int]
"""A cell and the number of the draw that it needs, from 1."""
_CHUNK = 500


class AnswerStore(Protocol):
    """The ledger, or a store in memory."""

    def present(self, fingerprints: Sequence[str], /) -> frozenset[str]:
        """The fingerprints that have an answer."""

    def read(self, fingerprints: Sequence[str], /) -> Mapping[str, PaidAnswer]:
        """The answers to these, where there are any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """One answer of a cell.

    Attributes:
        number: From 1.
        extracted: The JSON value in the text, as the model wrote it; None when there is none.
        graph: The same in the ordinary form.
        code: With `message` the reason why it is no success; None when it is one.
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


@dataclass(frozen=True, slots=True)
class CellState:
    """The draws that a cell has, in their order, and the draw that it needs next (None: it needs none)."""

    draws: tuple[Draw, ...]
    needed: int | None

    @property
    def chosen(self) -> Draw | None:
        """The draw that counts: the usable one, else the last."""
        return self.draws[-1] if self.draws else None


def state_of(planned: PlannedCell, answers: Mapping[str, PaidAnswer]) -> CellState:
    """The state of a cell, given the answers that are available.

    Draws are taken one after the other until one is a success or there are `unparsed_draws` of them. So a smaller setting
    restores the earlier state, and a larger one calls again only where an answer is of no use.
    """
    draws: list[Draw] = []
    for number, fingerprint in enumerate(planned.fingerprints, start=1):
        answer = answers.get(fingerprint)
        if answer is None:
            return CellState(tuple(draws), number)
        draws.append(read_draw(planned, number, answer))
        if draws[-1].status == "success":
            break
    return CellState(tuple(draws), None)


def read_draw(planned: PlannedCell, number: int, answer: PaidAnswer) -> Draw:
    """The answer to a draw of a cell, read: never raises, whatever the model wrote.

    An answer without JSON whose output reached the bound that was sent is truncated, whatever the server calls it.
    """
    content = answer.content
    if content.ending != "complete":
        status: Status = "parse_failed" if content.ending == "failed" else content.ending
        return Draw(number=number, answer=answer, status=status, code=content.code, message=content.message)
    found = extract(content.text)
    if found.method is not None and found.parsed is not None:
        structured = planned.config.params.response_format == "json_schema"
        return Draw(
            number=number,
            answer=answer,
            status="success",
            extracted=found.parsed,
            graph=ordinary_form(found.parsed) if structured else found.parsed,
            method=found.method,
            extraction_attempted=found.attempted,
        )
    bound, written = planned.config.params.max_output_tokens, content.usage.output_tokens
    if found.too_deep:
        reason = Content(
            "failed", "", "too_deep", f"the JSON of the answer is nested more than {MAX_LEVELS - 1} levels deep"
        )
    elif bound is not None and written is not None and written >= bound:
        reason = cut_off("max_output_tokens")
    elif content.text.strip():
        reason = Content("failed", "", "no_json", "no JSON can be extracted from the answer")
    else:
        reason = Content("failed", "", "empty_output", "the answer is empty")
    return Draw(
        number=number,
        answer=answer,
        status="truncated" if reason.ending == "truncated" else "parse_failed",
        extraction_attempted=reason.code in ("no_json", "too_deep"),
        code=reason.code,
        message=reason.message,
    )


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
