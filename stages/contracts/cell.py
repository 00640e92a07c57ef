"""A cell (one model config x one brief x one sample) and what is measured when it is called."""

from dataclasses import dataclass

from stages.contracts.record import FlatRecord, Record


@dataclass(frozen=True, order=True, slots=True)
class Cell:
    """One model config x one brief x one sample (counted from 1)."""

    model_id: str
    brief_id: str
    sample: int


class Usage(Record):
    """The tokens of an answer as the provider reports them; None where it reports none.

    `input_tokens` includes `cached_tokens` (read from the prompt cache) and `cache_write_tokens` (written to it);
    `output_tokens` includes `reasoning_tokens`.
    """

    input_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


class Measured(FlatRecord):
    """What was measured of a cell's calls; None means not measured, never zero.

    `latency_ms` is the time of the call that was answered, without waits and failed attempts. `est_cost_usd` covers every draw
    that was paid for. `attempts` counts the calls until the answer arrived (of the last draw), `draws` the answers that were
    paid for. `created_at` is UTC, ISO 8601. `simulated` is true when no provider was called.
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
