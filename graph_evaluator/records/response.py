"""The files of responses that `generate` writes: a cell, its request and its answers."""

from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import ConfigDict, Field, StrictInt, StrictStr

from graph_evaluator.records.json_text import JsonObject, JsonValue
from graph_evaluator.records.record import Array, FlatRecord, Record

Status = Literal[
    "success", "parse_failed", "truncated", "refused",
    "timeout_failed", "rate_limited", "server_error", "connection_failed",
    "quota_exceeded", "auth_failed", "invalid_request", "budget_stopped",
]  # fmt: skip
"""The outcome of a cell. `budget_stopped`: not called, because `runtime.max_cost_usd` would have
been exceeded.
"""

STATUSES: tuple[Status, ...] = get_args(Status)
ANSWERED: frozenset[Status] = frozenset({"success", "parse_failed", "truncated", "refused"})
"""The statuses of a cell that has an answer: paid for and kept."""

ExtractionMethod = Literal["direct", "stripped_fence", "bracketed"]


@dataclass(frozen=True, order=True, slots=True)
class Cell:
    """One model config x one brief x one sample (counted from 1)."""

    __pydantic_config__ = ConfigDict(strict=False)

    model_id: StrictStr
    brief_id: StrictStr
    sample: StrictInt

    def __str__(self) -> str:
        """The cell as people name it: MODEL/BRIEF/SAMPLE."""
        return f"{self.model_id}/{self.brief_id}/{self.sample}"


class Usage(Record):
    """The tokens of an answer as the provider reports them; None where it reports none.

    `input_tokens` includes `cached_tokens` (read from the prompt cache) and `cache_write_tokens`
    (written to it); `output_tokens` includes `reasoning_tokens`.
    """

    input_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


class Measured(FlatRecord):
    """What one call measured and what its reply reports; None means not measured, never zero.

    `latency_ms` is the time of the call that was answered, None in a batch and in the flex tier;
    `attempts` includes failed calls; `created_at` is when the answer arrived: UTC, ISO 8601. A
    recorded answer may state what it cost, which no file keeps.
    """

    PARTS = ("usage",)

    usage: Usage = Usage()
    service_tier: str | None = None
    answered_model: str | None = None
    response_id: str | None = None
    latency_ms: float | None = None
    attempts: int = 0
    created_at: str | None = None
    endpoint: str | None = None
    stated_usd: float | None = Field(None, exclude=True)


class Answer(FlatRecord):
    """What one call returned, read once: text, graph or why there is none, and what was measured.

    For a cell without an answer the first record says why, in its status.
    `graph` is the JSON value in `raw_text`, in the ordinary form. `warnings` say what is odd about
    it. `received` is the body as it arrived: the ledger keeps it, no file does.
    """

    PARTS = ("measured",)

    fingerprint: str | None = None
    status: Status
    raw_text: str | None = None
    failure_code: str | None = None
    error_message: str | None = None
    measured: Measured = Measured()
    graph: JsonValue = Field(None, validation_alias="parsed_graph", exclude=True)
    extraction_method: ExtractionMethod | None = Field(None, exclude=True)
    warnings: Array[str] = Field((), exclude=True)
    received: str | None = Field(None, exclude=True)

    @property
    def answered(self) -> bool:
        """True when an answer arrived, usable or not."""
        return self.status in ANSWERED


class CellCost(Record):
    """What all answers of a cell cost together; None means not known, never zero. `simulated` is
    true when no provider was called.
    """

    est_cost_usd: float | None = None
    pricing_source: str | None = None
    simulated: bool = False


class Response(FlatRecord):
    """One `results/responses/MODEL/BRIEF/response.json`: a cell, its request and its answers. The
    last answer counts.
    """

    PARTS = ("cell", "answer", "cost")

    cell: Cell
    answer: Answer
    earlier_draws: Array[Answer] = ()
    request: JsonObject = Field(default_factory=dict)
    cost: CellCost = CellCost()
    warnings: Array[str] = ()

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Every answer in order; none where none arrived."""
        return (*self.earlier_draws, self.answer) if self.answer.answered else ()

    def to_json(self) -> JsonObject:
        """The object of its file."""
        answer = self.answer
        found_in_part = answer.extraction_method in ("stripped_fence", "bracketed")
        return super().to_json() | {
            "parsed_graph": answer.graph,
            "extraction_attempted": found_in_part or answer.failure_code == "no_json",
            "extraction_method": answer.extraction_method,
            "draws": len(self.answers),
        }
