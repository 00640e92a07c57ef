"""What a cell's answers amount to: each draw read, its status, and whether another draw is wanted."""

from collections.abc import Mapping
from dataclasses import dataclass

from stages.contracts.json_text import MAX_LEVELS, JsonValue
from stages.contracts.model_config import ModelConfig
from stages.contracts.response import ExtractionMethod, Status
from stages.generate.answers.extraction import extract
from stages.generate.answers.reading import Reading, read_answer
from stages.generate.answers.structured import ordinary_form
from stages.generate.call import Answer
from stages.generate.plan.cell_plan import PlannedCell


@dataclass(frozen=True)
class Draw:
    """One answer of a cell, read. `code` and `message` say why it is no success; None when it is one."""

    number: int
    answer: Answer
    reading: Reading
    status: Status
    graph: JsonValue
    method: ExtractionMethod | None
    extraction_attempted: bool
    code: str | None
    message: str | None

    @property
    def service_tier(self) -> str | None:
        """The tier that the answer was made in, as far as it is known; a batch is one, whatever the answer says."""
        return "batch" if self.answer.source == "batch" else self.reading.service_tier


@dataclass(frozen=True)
class CellState:
    """The draws that a cell has, in their order, and the draw that it wants next (None: it wants none)."""

    draws: tuple[Draw, ...]
    wanted: int | None

    @property
    def chosen(self) -> Draw | None:
        """The draw that counts: the usable one, else the last."""
        return self.draws[-1] if self.draws else None


def read_draw(answer: Answer, config: ModelConfig, number: int) -> Draw:
    """An answer of a model, read: never raises, whatever the model wrote."""
    reading = read_answer(answer.body, config.api)
    if reading.ending in ("truncated", "refused"):
        status: Status = "truncated" if reading.ending == "truncated" else "refused"
        return Draw(number, answer, reading, status, None, None, False, reading.code, reading.message)
    if reading.ending == "failed":
        return Draw(number, answer, reading, "parse_failed", None, None, False, reading.code, reading.message)
    if not reading.text.strip():
        message = "the answer is empty"
        return Draw(number, answer, reading, "parse_failed", None, None, False, "empty_output", message)
    found = extract(reading.text)
    if found.too_deep:
        message = f"the JSON of the answer is nested more than {MAX_LEVELS} levels deep"
        return Draw(number, answer, reading, "parse_failed", None, None, found.attempted, "too_deep", message)
    if found.method is None or found.parsed is None:
        message = "no JSON can be extracted from the answer"
        return Draw(number, answer, reading, "parse_failed", None, None, found.attempted, "no_json", message)
    structured = config.params.response_format == "json_schema"
    graph = ordinary_form(found.parsed) if structured else found.parsed
    return Draw(number, answer, reading, "success", graph, found.method, found.attempted, None, None)


def state_of(planned: PlannedCell, answers: Mapping[str, Answer]) -> CellState:
    """Where a cell stands, given the answers that there are.

    Draws are taken one after the other until one is a success or `unparsed_draws` of them are there. So a smaller setting
    gives back the state of before, and a larger one asks again only where an answer is of no use.
    """
    draws: list[Draw] = []
    for number, fingerprint in enumerate(planned.fingerprints, start=1):
        answer = answers.get(fingerprint)
        if answer is None:
            return CellState(tuple(draws), number)
        draw = read_draw(answer, planned.config, number)
        draws.append(draw)
        if draw.status == "success":
            break
    return CellState(tuple(draws), None)
