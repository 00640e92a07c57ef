"""One line of a file of recorded answers: what it says, to which brief, and what else is known."""

import datetime
import hashlib
from typing import Annotated

from pydantic import AfterValidator, Field

from graph_evaluator.generate.answers import answer_of, read_answer
from graph_evaluator.generate.apis import Said, read_usage
from graph_evaluator.generate.finish_reasons import LONGEST_REASON, ending_of
from graph_evaluator.generate.no_answer import NoAnswer
from graph_evaluator.generate.plan.call import Call, address
from graph_evaluator.records.errors import InputError, read_as
from graph_evaluator.records.json_text import JsonObject, JsonValue, NotJson, canonical, parse
from graph_evaluator.records.model_config import IDENTIFIER
from graph_evaluator.records.record import Record
from graph_evaluator.records.response import Answer, Measured

FINGERPRINT_START = "recorded:"
"""How the fingerprints of recorded answers begin; those of calls are 64 hex digits."""
MAX_SAMPLE = 1_000_000
REFUSAL = "refusal"
"""The `cut_off` of a text in which the model refuses to answer."""


class BadLine(ValueError):
    """Why a line cannot be used."""


def _utc_text(text: str) -> str:
    """A time as ISO 8601 in UTC; one without an offset is taken for UTC."""
    time = datetime.datetime.fromisoformat(text)
    if time.tzinfo is None:
        time = time.replace(tzinfo=datetime.UTC)
    try:
        in_utc = time.astimezone(datetime.UTC)
    except OverflowError:
        raise ValueError("is outside the calendar") from None
    return in_utc.strftime("%Y-%m-%dT%H:%M:%SZ")


class RecordedLine(Record):
    """A line: a brief, a sample where it names one, and an answer as text, graph or `body`, which
    is that of an API; `cut_off` says why a text ended early, in the word of any provider. What it
    does not state is None. Other keys are ignored.
    """

    brief: str = Field(pattern=f"^{IDENTIFIER.pattern}$")
    sample: int | None = Field(None, ge=1, le=MAX_SAMPLE)
    text: str | None = None
    graph: JsonValue = None
    body: JsonObject | None = None
    cut_off: str | None = Field(None, max_length=LONGEST_REASON)
    model: str | None = None
    usage: JsonObject | None = None
    latency_ms: float | None = Field(None, ge=0, allow_inf_nan=False)
    cost_usd: float | None = Field(None, ge=0, allow_inf_nan=False)
    created_at: Annotated[str, AfterValidator(_utc_text)] | None = None

    def answer(self, call: Call | None = None) -> Answer | None:
        """The answer, read as the `call` that it answers asks for; None where the line has an
        error instead.

        Raises:
            BadLine: its body is of no API.
        """
        if self.body is not None:
            try:
                return read_answer(
                    canonical(self.body).decode("utf-8"),
                    call,
                    latency_ms=self.latency_ms,
                    attempts=0,
                    created_at=self.created_at,
                    stated_usd=self.cost_usd,
                )
            except NoAnswer as error:
                if error.code == "wrong_shape":
                    raise BadLine(error.message) from None
                return None
        if ending_of(self.cut_off) == "failed":
            return None
        text = self.text
        if text is None:
            text = canonical(self.graph).decode("utf-8")
        measured = Measured(
            usage=read_usage(self.usage or {}),
            answered_model=self.model,
            latency_ms=self.latency_ms,
            created_at=self.created_at,
            endpoint=address(call.endpoint) if call else None,
            stated_usd=self.cost_usd,
        )
        refusal = text if self.cut_off == REFUSAL else None
        return answer_of(Said(text, refusal=refusal, reason=self.cut_off), measured, call)


def fingerprint_of_line(raw: bytes) -> str:
    """The fingerprint of a recorded answer: that of its line, white space around it aside."""
    return FINGERPRINT_START + hashlib.sha256(raw.strip()).hexdigest()


def read_recorded_line(raw: bytes) -> RecordedLine:
    """The content of a line.

    Raises:
        BadLine: it has no answer or several, or a value is of the wrong type or out of range.
    """
    try:
        record = parse(raw)
    except NotJson as error:
        # The place of a fault is that in the line, which is given by its number anyway.
        reason = str(error).partition(": line ")[0]
        raise BadLine(f"is not JSON: {reason}") from None
    if not isinstance(record, dict):
        raise BadLine("must be a JSON object")
    try:
        line = read_as(RecordedLine, record, file="")
    except InputError as error:
        raise BadLine("; ".join(map(str, error.problems))) from None
    answers = [key for key in ("text", "graph", "body") if record.get(key) is not None]
    if len(answers) != 1 and not (answers == [] and "graph" in record):
        raise BadLine(f"has {' and '.join(answers)}" if answers else "needs text, graph or body")
    return line
