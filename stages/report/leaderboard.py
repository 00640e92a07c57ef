"""The leaderboard: one record per model, ranked, each mean beside its n and its failures."""

from typing import Literal

import msgspec

from stages.contracts.brief import Complexity
from stages.contracts.model_config import TargetMode
from stages.contracts.response import Status
from stages.contracts.scorecard import Dimension
from stages.report.estimate import Estimate

RankBy = Literal["expected_score", "overall_score"]


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a set of cells. `scored` have a valid graph; `invalid` an answer whose graph is structurally invalid."""

    cells: int
    answered: int
    scored: int
    invalid: int
    by_status: tuple[tuple[Status, int], ...]
    """Every status that occurs, in the order of `STATUSES`."""

    @property
    def valid_share(self) -> float | None:
        """The share of cells with a valid graph, 0..1."""
        return self.scored / self.cells if self.cells else None

    @property
    def answered_share(self) -> float | None:
        """The share of cells with an answer, usable or not, 0..1."""
        return self.answered / self.cells if self.cells else None

    def of(self, status: Status) -> int:
        """How many cells ended with a status."""
        return dict(self.by_status).get(status, 0)


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


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What the cells took. `cost_unknown` counts answered cells without a price, `cost_usd` sums up the others."""

    cost_usd: float | None
    cost_unknown: int
    cost_per_valid_usd: float | None
    """None when no graph is valid or when some price is unknown."""
    latency_ms_p50: float | None
    latency_ms_p95: float | None
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cached_share: float | None
    """Share of the input tokens that were read from the prompt cache, over the cells that tell both."""
    cache_saved_usd: float | None
    """What the cache saved against paying every input token in full; None when the price is not in the model config."""
    output_tokens_mean: float | None
    calls: int
    """Calls made, failed attempts included."""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Standard deviations of the ranking score, 0..1: between the samples of one brief, and between briefs.

    `samples` is pooled over the briefs with two or more samples, None when there is none. `briefs` is what remains between
    briefs when the samples' share is taken out, None below two briefs.
    """

    samples: float | None
    briefs: float | None


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
