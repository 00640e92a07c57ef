"""`results/scores.csv`: one line per cell; first the original tool's columns in its order, then ours."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from stages.report.cells import CellResult
from stages.report.csv_text import CsvValue, csv_text, four_decimals, plain_number

_Column = Callable[[CellResult], CsvValue]

COLUMNS: Mapping[str, _Column] = MappingProxyType(
    {
        "model_id": lambda cell: cell.model_id,
        "brief_id": lambda cell: cell.brief_id,
        "target_mode": lambda cell: cell.target_mode,
        "structural_valid": lambda cell: cell.structural_valid,
        "param_quality": lambda cell: four_decimals(cell.param_quality),
        "option_diff": lambda cell: four_decimals(cell.option_diff),
        "completeness": lambda cell: four_decimals(cell.completeness),
        "overall_score": lambda cell: four_decimals(cell.overall_score),
        "latency_ms": lambda cell: plain_number(cell.latency_ms, 1),
        "input_tokens": lambda cell: cell.input_tokens,
        "output_tokens": lambda cell: cell.output_tokens,
        "reasoning_tokens": lambda cell: cell.reasoning_tokens,
        "est_cost_usd": lambda cell: plain_number(cell.est_cost_usd, 10),
        "pricing_source": lambda cell: cell.pricing_source,
        "node_count": lambda cell: cell.node_count,
        "edge_count": lambda cell: cell.edge_count,
        "violation_codes": lambda cell: ";".join(cell.violation_codes),
        "failure_code": lambda cell: cell.failure_code,
        "sample": lambda cell: cell.sample,
        "status": lambda cell: cell.status,
        "expected_score": lambda cell: four_decimals(cell.expected_score),
        "complexity": lambda cell: cell.complexity,
        "default_share": lambda cell: four_decimals(cell.default_share),
        "cached_tokens": lambda cell: cell.cached_tokens,
        "cache_write_tokens": lambda cell: cell.cache_write_tokens,
        "attempts": lambda cell: cell.attempts,
        "draws": lambda cell: cell.draws,
        "extraction_method": lambda cell: cell.extraction_method,
        "warnings": lambda cell: len(cell.warning_codes),
        "warning_codes": lambda cell: ";".join(cell.warning_codes),
        "simulated": lambda cell: cell.simulated,
        "scoring_version": lambda cell: cell.scoring_version,
        "fingerprint": lambda cell: cell.fingerprint,
    }
)
"""What stands in each column after `run_id`; `default_share` is the share (0..1) of causal edges left at their defaults."""


def scores_csv(run_id: str, cells: Iterable[CellResult]) -> bytes:
    """The table of all cells, in the order given; scores have four decimals and are empty where there is none."""
    rows = ([run_id, *(column(cell) for column in COLUMNS.values())] for cell in cells)
    return csv_text(["run_id", *COLUMNS], rows)
