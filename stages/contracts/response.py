"""A response: what `generate` writes for a cell, that is, the answer and its parsed graph, or why there is none."""

from typing import Literal, get_args

import msgspec

from stages.contracts.json_text import JsonValue

Status = Literal[
    "success", "parse_failed", "truncated", "refused",
    "timeout_failed", "rate_limited", "server_error", "connection_failed", "quota_exceeded", "auth_failed",
    "invalid_request", "budget_stopped",
]  # fmt: skip
"""What became of a cell. `budget_stopped`: not called, because `runtime.max_cost_usd` would have been passed."""

STATUSES: tuple[Status, ...] = get_args(Status)
ANSWERED: frozenset[Status] = frozenset({"success", "parse_failed", "truncated", "refused"})
"""The statuses of a cell that has an answer: paid for and kept."""

ExtractionMethod = Literal["direct", "stripped_fence", "bracketed"]


class Cell(msgspec.Struct, frozen=True, order=True):
    """One model config x one brief x one sample (counted from 1)."""

    model_id: str
    brief_id: str
    sample: int


class EarlierDraw(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of a cell that was of no use, before the draw that its response shows; the fields are the response's."""

    fingerprint: str
    status: Status
    raw_text: str | None = None
    latency_ms: float | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    service_tier: str | None = None
    failure_code: str | None = None
    error_message: str | None = None
    attempts: int = 0
    created_at: str | None = None
    endpoint: str | None = None
    answered_model: str | None = None
    response_id: str | None = None


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """One `results/responses/MODEL/BRIEF/response.json`; None means not measured, never zero.

    `raw_text` is the answer's text, `parsed_graph` the JSON value found in it. `latency_ms` is the time of the call that was
    answered, without waits and failed attempts. `input_tokens` includes `cached_tokens` and `cache_write_tokens`;
    `output_tokens` includes `reasoning_tokens`. `est_cost_usd` covers every draw that was paid for. `attempts` counts calls
    until the answer came (of the last draw), `draws` the answers paid for. `created_at` is UTC, ISO 8601.
    """

    model_id: str
    brief_id: str
    sample: int
    status: Status
    raw_text: str | None = None
    parsed_graph: JsonValue = None
    extraction_attempted: bool = False
    extraction_method: ExtractionMethod | None = None
    latency_ms: float | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    est_cost_usd: float | None = None
    pricing_source: str | None = None
    service_tier: str | None = None
    failure_code: str | None = None
    error_message: str | None = None
    fingerprint: str | None = None
    attempts: int = 0
    draws: int = 0
    created_at: str | None = None
    endpoint: str | None = None
    answered_model: str | None = None
    response_id: str | None = None
    request: dict[str, JsonValue] = {}
    warnings: tuple[str, ...] = ()
    simulated: bool = False
    earlier_draws: tuple[EarlierDraw, ...] = ()

    @property
    def cell(self) -> Cell:
        """Which cell this is the response of."""
        return Cell(self.model_id, self.brief_id, self.sample)

    @property
    def answered(self) -> bool:
        """True when an answer came, usable or not."""
        return self.status in ANSWERED
