"""The draws of a cell: an answer read as a draft graph, its status, and its record in the response
file.
"""

from dataclasses import dataclass
from functools import partial

from stages.generate.answers.answer import Answer, Content, read_content
from stages.generate.answers.extraction import Extraction, ordinary_form
from stages.generate.answers.recorded import FINGERPRINT_START
from stages.generate.apis.responses import answer_body
from stages.shared.records.json_text import MAX_LEVELS, JsonValue, canonical
from stages.shared.records.response import ANSWERED, DrawRecord, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """One answer of a cell; `number` is from 1.

    `extraction` is None where no JSON was looked for, `graph` its value in the ordinary form;
    `failure_code` and `error_message` say why the draw is no success.
    """

    number: int
    answer: Answer
    status: Status
    extraction: Extraction | None = None
    graph: JsonValue = None
    failure_code: str | None = None
    error_message: str | None = None


def read_draw(answer: Answer, *, number: int, bound: int | None, structured: bool) -> Draw:
    """An answer read as a draw: never raises, whatever the model wrote.

    An answer without JSON whose output reached the `bound` that was sent is truncated, whatever the
    server calls it. A `structured` answer is brought into the ordinary form.
    """
    content = answer.content
    draw = partial(Draw, number=number, answer=answer)
    if content.ending != "complete":
        return draw(
            status="parse_failed" if content.ending == "failed" else content.ending,
            failure_code=content.failure_code,
            error_message=content.error_message,
        )
    extraction = content.extraction
    if extraction.parsed is not None:
        parsed = extraction.parsed
        graph = ordinary_form(parsed) if structured else parsed
        return draw(status="success", extraction=extraction, graph=graph)
    code, message = _reason_without_json(content, bound)
    return draw(
        status="truncated" if code == "max_output_tokens" else "parse_failed",
        extraction=extraction if code in ("too_deep", "no_json") else None,
        failure_code=code,
        error_message=message,
    )


def _reason_without_json(content: Content, bound: int | None) -> tuple[str, str]:
    """Code and message for a complete answer in which there is no JSON."""
    output_tokens = content.usage.output_tokens
    if content.extraction.too_deep:
        levels = MAX_LEVELS - 1
        return "too_deep", f"the JSON of the answer is nested more than {levels} levels deep"
    if bound is not None and output_tokens is not None and output_tokens >= bound:
        return "max_output_tokens", "the answer was cut off: max_output_tokens"
    if not content.raw_text.strip():
        return "empty_output", "the answer is empty"
    return "no_json", "no JSON can be extracted from the answer"


def record_of_draw(draw: Draw) -> DrawRecord:
    """What a response file keeps of a draw."""
    answer, content = draw.answer, draw.answer.content
    return DrawRecord(
        fingerprint=answer.fingerprint,
        status=draw.status,
        raw_text=content.raw_text,
        latency_ms=answer.latency_ms,
        usage=content.usage,
        service_tier=answer.service_tier,
        failure_code=draw.failure_code,
        error_message=draw.error_message,
        attempts=answer.attempts,
        created_at=answer.created_at,
        endpoint=answer.endpoint,
        answered_model=content.answered_model,
        response_id=content.response_id,
    )


def answer_of_record(record: DrawRecord, *, model: str, request: str) -> Answer | None:
    """The answer that a record was made of, for the ledger; None for a record of no answer, or of a
    recorded one.

    A record does not hold the body as it was received, but everything that is read from it: the
    body that is rebuilt here reads the same, so it gives an equal record again.
    """
    if record.status not in ANSWERED or record.fingerprint is None or record.created_at is None:
        return None
    if record.fingerprint.startswith(FINGERPRINT_START):
        return None
    body = canonical(answer_body(record)).decode("utf-8")
    return Answer(
        fingerprint=record.fingerprint,
        model=model,
        request=request,
        content=read_content(body),
        latency_ms=record.latency_ms,
        attempts=record.attempts,
        created_at=record.created_at,
        endpoint=record.endpoint or "",
        source="adopted",
    )
