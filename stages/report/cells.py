"""One cell as the reports count it: the scorecard without its evidence, small enough to hold by the ten thousand."""

from collections.abc import Iterable, Mapping

import msgspec

from stages.contracts.brief import Complexity
from stages.contracts.cell import Cell
from stages.contracts.model_config import TargetMode
from stages.contracts.response import ANSWERED, Status
from stages.contracts.scorecard import Scorecard, SubScore

DEFAULT_TAKEOVER = "default_takeover"
"""The sub-dimension whose evidence tells how many edges were left at their defaults."""


class CellResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one cell. Scores are in 0..1, higher is better; None is not measured, never zero.

    `sub_scores` maps `DIMENSION.NAME` to its value. `default_share` is the share (0..1) of causal edges that were left at
    the default parameters, None for a graph without causal edges.
    `violation_codes` may repeat, in the scorecard's order; `warning_codes` likewise.
    """

    model_id: str
    brief_id: str
    sample: int
    target_mode: TargetMode | None
    complexity: Complexity
    status: Status
    failure_code: str | None
    structural_valid: bool
    violation_codes: tuple[str, ...]
    warning_codes: tuple[str, ...]
    param_quality: float | None
    option_diff: float | None
    completeness: float | None
    overall_score: float | None
    expected_score: float | None
    sub_scores: dict[str, float]
    default_share: float | None
    node_count: int | None
    edge_count: int | None
    latency_ms: float | None
    input_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    est_cost_usd: float | None
    pricing_source: str | None
    attempts: int
    draws: int
    extraction_method: str | None
    fingerprint: str | None
    simulated: bool
    scoring_rules: str
    scoring_version: str
    created_at: str | None = None
    """When the answer came: UTC, ISO 8601; None where none came."""

    @property
    def cell(self) -> Cell:
        """Which cell this is."""
        return Cell(self.model_id, self.brief_id, self.sample)

    @property
    def answered(self) -> bool:
        """True when an answer came, usable or not."""
        return self.status in ANSWERED

    @property
    def scored(self) -> bool:
        """True when the graph is valid, so that it has scores."""
        return self.overall_score is not None


def cell_result(card: Scorecard) -> CellResult:
    """The cell that a scorecard tells of, without its target mode, which only the model's config knows."""
    return CellResult(
        model_id=card.model_id,
        brief_id=card.brief_id,
        sample=card.sample,
        target_mode=None,
        complexity=card.complexity,
        status=card.status,
        failure_code=card.failure_code,
        structural_valid=card.structural_valid,
        violation_codes=card.violation_codes,
        warning_codes=tuple(warning.code for warning in card.warnings),
        param_quality=card.param_quality,
        option_diff=card.option_diff,
        completeness=card.completeness,
        overall_score=card.overall_score,
        expected_score=card.expected_score,
        sub_scores={
            f"{dimension}.{sub.name}": sub.value for dimension, subs in card.sub_scores.items() for sub in subs
        },
        default_share=_default_share(card.sub_scores.get("param_quality", ())),
        node_count=card.node_count,
        edge_count=card.edge_count,
        latency_ms=card.measured.latency_ms,
        input_tokens=card.measured.usage.input_tokens,
        cached_tokens=card.measured.usage.cached_tokens,
        cache_write_tokens=card.measured.usage.cache_write_tokens,
        output_tokens=card.measured.usage.output_tokens,
        reasoning_tokens=card.measured.usage.reasoning_tokens,
        est_cost_usd=card.measured.est_cost_usd,
        pricing_source=card.measured.pricing_source,
        attempts=card.measured.attempts,
        draws=card.measured.draws,
        extraction_method=card.extraction_method,
        fingerprint=card.fingerprint,
        simulated=card.measured.simulated,
        scoring_rules=card.scoring_rules,
        scoring_version=card.scoring_version,
        created_at=card.measured.created_at,
    )


def in_modes(cells: Iterable[CellResult], target_modes: Mapping[str, TargetMode]) -> list[CellResult]:
    """The cells with the target mode of their model, None where it has none."""
    return [msgspec.structs.replace(cell, target_mode=target_modes.get(cell.model_id)) for cell in cells]


def _default_share(sub_scores: tuple[SubScore, ...]) -> float | None:
    for sub in sub_scores:
        if sub.name == DEFAULT_TAKEOVER:
            defaults, edges = sub.counted.get("defaults"), sub.counted.get("causal_edges")
            if isinstance(defaults, int) and isinstance(edges, int) and edges > 0:
                return defaults / edges
    return None
