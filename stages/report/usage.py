"""What cells took: money, time and tokens. None is not measured, never zero."""

import statistics
from collections.abc import Mapping, Sequence

import msgspec

from stages.contracts.model_config import Pricing
from stages.report.cells import CellResult
from stages.report.estimate import mean_of


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What a set of cells took. `cost_unknown` counts answered cells without a cost, `cost_usd` sums up the others."""

    cost_usd: float | None
    cost_unknown: int
    cost_per_valid_usd: float | None
    """None when no graph is valid or when some cost is unknown."""
    latency_ms_p50: float | None
    latency_ms_p95: float | None
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cached_share: float | None
    """Share of the input tokens that were read from the prompt cache, over the cells that tell both."""
    cache_saved_usd: float | None
    """What the cache saved against paying every input token in full; None where the config has no price to tell it by."""
    output_tokens_mean: float | None
    calls: int
    """Calls made, failed attempts included."""


def usage_of(cells: Sequence[CellResult], pricing: Mapping[str, Pricing]) -> Usage:
    """What the cells took together, with the prices of the model configs (by model id) for what the cache saved."""
    costs = [cell.est_cost_usd for cell in cells if cell.est_cost_usd is not None]
    cost = sum(costs) if costs else None
    unknown = sum(cell.answered and cell.est_cost_usd is None for cell in cells)
    scored = sum(cell.scored for cell in cells)
    latencies = [cell.latency_ms for cell in cells if cell.latency_ms is not None]
    told = [cell for cell in cells if cell.cached_tokens is not None and cell.input_tokens is not None]
    read = sum(cell.input_tokens or 0 for cell in told)
    return Usage(
        cost_usd=cost,
        cost_unknown=unknown,
        cost_per_valid_usd=cost / scored if cost is not None and scored and not unknown else None,
        latency_ms_p50=percentile(latencies, 50),
        latency_ms_p95=percentile(latencies, 95),
        input_tokens=_sum([cell.input_tokens for cell in cells]),
        cached_tokens=_sum([cell.cached_tokens for cell in cells]),
        output_tokens=_sum([cell.output_tokens for cell in cells]),
        reasoning_tokens=_sum([cell.reasoning_tokens for cell in cells]),
        cached_share=sum(cell.cached_tokens or 0 for cell in told) / read if read else None,
        cache_saved_usd=_saved(cells, pricing),
        output_tokens_mean=mean_of([cell.output_tokens for cell in cells]),
        calls=sum(cell.attempts for cell in cells),
    )


def percentile(values: Sequence[float], percent: int) -> float | None:
    """A percentile (1 to 99) with linear interpolation between the closest ranks; None of nothing.

    >>> percentile([1.0, 2.0, 3.0], 50), percentile([7.0], 95), percentile([], 50)
    (2.0, 7.0, None)
    """
    if len(values) < 2:
        return values[0] if values else None
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def _sum(values: Sequence[int | None]) -> int | None:
    measured = [value for value in values if value is not None]
    return sum(measured) if measured else None


def _saved(cells: Sequence[CellResult], pricing: Mapping[str, Pricing]) -> float | None:
    saved: list[float] = []
    for cell in cells:
        price = pricing.get(cell.model_id)
        if price is None or cell.cached_tokens is None:
            continue
        full = price.input_per_1m
        read = full if price.cached_input_per_1m is None else price.cached_input_per_1m
        write = full if price.cache_write_per_1m is None else price.cache_write_per_1m
        saved.append((cell.cached_tokens * (full - read) - (cell.cache_write_tokens or 0) * (write - full)) / 1e6)
    return sum(saved) if saved else None
