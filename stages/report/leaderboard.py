"""The leaderboard: one record per model, ranked, each mean beside its n and its failures."""

from typing import Literal

import msgspec

from stages.contracts.brief import Complexity
from stages.contracts.model_config import TargetMode
from stages.contracts.scorecard import Dimension
from stages.report.counts import Counts
from stages.report.estimate import Estimate
from stages.report.spread import Spread
from stages.report.usage import Usage

RankBy = Literal["expected_score", "overall_score"]


class BriefMean(msgspec.Struct, frozen=True, kw_only=True):
    """One model on one brief: means over its samples. This is what the heat map, the intervals and the pairing use."""

    model_id: str
    brief_id: str
    complexity: Complexity
    counts: Counts
    expected_score: float | None
    overall_score: float | None
    cost_usd: float | None
    latency_ms: float | None


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One model's line. `rank` counts from 1, equal scores share it; None when there is no score to rank by."""

    rank: int | None
    model_id: str
    display_name: str
    target_mode: TargetMode | None
    simulated: bool
    counts: Counts
    expected: Estimate
    """Over briefs: failures that are the model's doing count 0, cells without an answer are left out."""
    overall: Estimate
    """Over briefs: valid graphs only, so a model that fails often is flattered."""
    overall_mean: float | None
    """The specification's mean: over scored cells."""
    dimensions: dict[Dimension, float | None]
    sub_scores: dict[str, float]
    """Means over scored cells by `DIMENSION.NAME`."""
    default_share: float | None
    """Mean share of edges left at default parameters, over scored cells."""
    usage: Usage
    spread: Spread
    briefs: tuple[BriefMean, ...]
    """By brief id."""

    def ranking(self, rank_by: RankBy) -> Estimate:
        """The estimate that ranks."""
        return self.expected if rank_by == "expected_score" else self.overall


class BriefStanding(msgspec.Struct, frozen=True, kw_only=True):
    """One brief over all models: how hard it is, and who did best on it."""

    brief_id: str
    complexity: Complexity
    counts: Counts
    expected_score: float | None
    overall_score: float | None
    best_model: str | None
    best_score: float | None
    worst_model: str | None
    worst_score: float | None


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """The standings in order of rank, the briefs by id, and the totals over all cells."""

    rank_by: RankBy
    confidence: float
    standings: tuple[Standing, ...]
    briefs: tuple[BriefStanding, ...]
    counts: Counts
    usage: Usage
    expected_mean: float | None
    overall_mean: float | None
    dimensions: dict[Dimension, float | None]
    simulated: Literal["none", "some", "all"]
