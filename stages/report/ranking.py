"""From cells to the leaderboard."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from stages.contracts.model_config import ModelConfig, Pricing
from stages.contracts.scorecard import DIMENSIONS
from stages.report.cells import CellResult
from stages.report.counts import count_cells
from stages.report.estimate import estimate, mean_of, total_of
from stages.report.leaderboard import BriefMean, BriefStanding, Leaderboard, RankBy, Standing
from stages.report.spread import spread_of
from stages.report.usage import usage_of


def rank(
    cells: Sequence[CellResult], configs: Mapping[str, ModelConfig], rank_by: RankBy, confidence: float
) -> Leaderboard:
    """The leaderboard of the cells, given in order of model, brief and sample.

    Models are ordered by the mean that ranks, the higher the better, those without one last; equal means (to 1e-9) share a
    rank and stand in order of cost per valid graph, then of id.
    """
    pricing = {key: config.pricing for key, config in configs.items() if config.pricing is not None}
    by_model: defaultdict[str, list[CellResult]] = defaultdict(list)
    by_brief: defaultdict[str, list[CellResult]] = defaultdict(list)
    for cell in cells:
        by_model[cell.model_id].append(cell)
        by_brief[cell.brief_id].append(cell)
    standings = _in_order(
        [_standing(key, group, configs.get(key), pricing, rank_by, confidence) for key, group in by_model.items()],
        rank_by,
    )
    means: defaultdict[str, list[BriefMean]] = defaultdict(list)
    for standing in standings:
        for mean in standing.briefs:
            means[mean.brief_id].append(mean)
    simulated = {cell.simulated for cell in cells}
    return Leaderboard(
        rank_by=rank_by,
        confidence=confidence,
        standings=standings,
        briefs=tuple(_brief_standing(by_brief[key], means[key], rank_by) for key in sorted(by_brief)),
        counts=count_cells(cells),
        usage=usage_of(cells, pricing),
        expected_mean=mean_of([cell.expected_score for cell in cells]),
        overall_mean=mean_of([cell.overall_score for cell in cells]),
        dimensions={name: mean_of([getattr(cell, name) for cell in cells]) for name in DIMENSIONS},
        simulated="none" if True not in simulated else "some" if False in simulated else "all",
    )


def ranking_score(item: CellResult | BriefMean, rank_by: RankBy) -> float | None:
    """The score that ranks, of a cell or of a model on a brief."""
    return item.expected_score if rank_by == "expected_score" else item.overall_score


def _standing(
    model_id: str,
    cells: Sequence[CellResult],
    config: ModelConfig | None,
    pricing: Mapping[str, Pricing],
    rank_by: RankBy,
    confidence: float,
) -> Standing:
    grouped: defaultdict[str, list[CellResult]] = defaultdict(list)
    for cell in cells:
        grouped[cell.brief_id].append(cell)
    briefs = tuple(_brief_mean(grouped[key]) for key in sorted(grouped))
    scores = [
        [value for cell in group if (value := ranking_score(cell, rank_by)) is not None] for group in grouped.values()
    ]
    scored = [cell for cell in cells if cell.scored]
    return Standing(
        rank=None,
        model_id=model_id,
        display_name=config.display_name if config else model_id,
        target_mode=config.target_mode if config else None,
        simulated=any(cell.simulated for cell in cells),
        counts=count_cells(cells),
        expected=estimate(_measured(mean.expected_score for mean in briefs), confidence),
        overall=estimate(_measured(mean.overall_score for mean in briefs), confidence),
        overall_mean=mean_of([cell.overall_score for cell in scored]),
        dimensions={name: mean_of([getattr(cell, name) for cell in scored]) for name in DIMENSIONS},
        sub_scores=_sub_scores(scored),
        default_share=mean_of([cell.default_share for cell in scored]),
        usage=usage_of(cells, pricing),
        spread=spread_of(scores),
        briefs=briefs,
    )


def _brief_mean(cells: Sequence[CellResult]) -> BriefMean:
    return BriefMean(
        model_id=cells[0].model_id,
        brief_id=cells[0].brief_id,
        complexity=cells[0].complexity,
        counts=count_cells(cells),
        expected_score=mean_of([cell.expected_score for cell in cells]),
        overall_score=mean_of([cell.overall_score for cell in cells]),
        cost_usd=total_of([cell.est_cost_usd for cell in cells]),
        latency_ms=mean_of([cell.latency_ms for cell in cells]),
    )


def _brief_standing(cells: Sequence[CellResult], means: Sequence[BriefMean], rank_by: RankBy) -> BriefStanding:
    scored = [(score, mean.model_id) for mean in means if (score := ranking_score(mean, rank_by)) is not None]
    best = max(scored, key=lambda pair: pair[0], default=None)  # means come in order of rank: of equals the leader
    worst = min(reversed(scored), key=lambda pair: pair[0], default=None)
    return BriefStanding(
        brief_id=cells[0].brief_id,
        complexity=cells[0].complexity,
        counts=count_cells(cells),
        expected_score=mean_of([cell.expected_score for cell in cells]),
        overall_score=mean_of([cell.overall_score for cell in cells]),
        best_model=best and best[1],
        best_score=best and best[0],
        worst_model=worst and worst[1],
        worst_score=worst and worst[0],
    )


def _sub_scores(scored: Sequence[CellResult]) -> dict[str, float]:
    names = dict.fromkeys(name for cell in scored for name in cell.sub_scores)
    means = {name: mean_of([cell.sub_scores.get(name) for cell in scored]) for name in names}
    return {name: mean for name, mean in means.items() if mean is not None}


def _in_order(standings: Iterable[Standing], rank_by: RankBy) -> tuple[Standing, ...]:
    def key(standing: Standing) -> tuple[float, float, str]:
        mean, cost = standing.ranking(rank_by).mean, standing.usage.cost_per_valid_usd
        return (
            float("inf") if mean is None else -round(mean, 9),
            float("inf") if cost is None else cost,
            standing.model_id,
        )

    ordered = sorted(standings, key=key)
    ranked: list[Standing] = []
    for place, standing in enumerate(ordered, start=1):
        same = bool(ranked) and key(ordered[place - 2])[0] == key(standing)[0]
        number = ranked[-1].rank if same else place
        unranked = standing.ranking(rank_by).mean is None
        ranked.append(_with_rank(standing, None if unranked else number))
    return tuple(ranked)


def _with_rank(standing: Standing, number: int | None) -> Standing:
    return msgspec.structs.replace(standing, rank=number)


def _measured(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]
