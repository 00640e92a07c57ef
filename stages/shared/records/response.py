"""A cell, what is measured when it is called, and its response: the answer and its parsed graph, or
why there is none.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import Field

from stages.shared.records.json_text import JsonValue
from stages.shared.records.record import Array, FlatRecord, Record

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

    model_id: str
    brief_id: str
    sample: int


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
    """What was measured of a cell's calls; None means not measured, never zero.

    `latency_ms` is the time of the call that was answered, without waits and failed attempts.
    `est_cost_usd` covers every draw that was paid for. `attempts` counts the calls until the answer
    arrived (of the last draw), `draws` the answers that were paid for. `created_at` is UTC, ISO
    8601. `simulated` is true when no provider was called.
    """

    PARTS = ("usage",)

    latency_ms: float | None = None
    usage: Usage = Usage()
    est_cost_usd: float | None = None
    pricing_source: str | None = None
    attempts: int = 0
    draws: int = 0
    simulated: bool = False
    created_at: str | None = None


class CellRecord(FlatRecord):
    """What is written for a cell begins with the cell and its status."""

    model_id: str
    brief_id: str
    sample: int
    status: Status

    @property
    def cell(self) -> Cell:
        """The cell that the record is of."""
        return Cell(self.model_id, self.brief_id, self.sample)

    @property
    def answered(self) -> bool:
        """True when an answer arrived, usable or not."""
        return self.status in ANSWERED


class DrawRecord(FlatRecord):
    """What is written of one draw of a cell: an answer, or the failure in place of the first
    one.
    """

    PARTS = ("usage",)

    fingerprint: str | None = None
    status: Status
    raw_text: str | None = None
    latency_ms: float | None = None
    usage: Usage = Usage()
    service_tier: str | None = None
    failure_code: str | None = None
    error_message: str | None = None
    attempts: int = 0
    created_at: str | None = None
    endpoint: str | None = None
    answered_model: str | None = None
    response_id: str | None = None


class Response(CellRecord, DrawRecord, Measured):
    """One `results/responses/MODEL/BRIEF/response.json`: the last draw of a cell, and the earlier
    ones.

    None means not measured, never zero. `raw_text` is the answer's text, `parsed_graph` the JSON
    value that was extracted from it.
    """

    PARTS = ("usage",)

    parsed_graph: JsonValue = None
    extraction_attempted: bool = False
    extraction_method: ExtractionMethod | None = None
    request: dict[str, JsonValue] = Field(default_factory=dict)
    warnings: Array[str] = ()
    earlier_draws: Array[DrawRecord] = ()

    @property
    def measured(self) -> Measured:
        """What was measured of the cell's calls."""
        return Measured.read({name: getattr(self, name) for name in Measured.model_fields})
