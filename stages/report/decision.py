"""The decision for each mode, made from the frame of cells: what `results/decision.json`, the summary and the site show."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import pandas as pd

from stages.contracts.decision import (
    Decision,
    Evidence,
    LimitCheck,
    Measurement,
    ModeDecision,
    NextStep,
    PossibleEqual,
    Rival,
)
from stages.contracts.estimates import CAVEATS, Difference, IntervalEstimate, ScoreEstimate, Side
from stages.contracts.model_config import ModelConfig
from stages.contracts.params import ModeLimits, ReportParams
from stages.contracts.run import Run
from stages.report.advice import WITHOUT_MODE, reason_of
from stages.report.cells import Row, rows_of
from stages.report.ranking import by_brief, sides_of
from stages.report.requirements import check_cost, check_latency, check_usable_rate
from stages.report.selection import Candidate, Selection, select

MODES = ("fast", "normal", "deep")


def decide(
    cells: pd.DataFrame,
    models: pd.DataFrame,
    run: Run,
    configs: Mapping[str, ModelConfig],
    params: ReportParams,
    answered_models: Callable[[str], Sequence[str]] = lambda _: (),
) -> Decision:
    """The decision for every mode that has candidates or limits.

    `models` is a frame as of `ranking.rank_models`; `answered_models` gives the snapshots that the endpoint named in a model's answers, and
    is called for the named models only.
    """
    every: dict[str, Row] = {row.model_id: row for row in rows_of(models)}
    sides, by_overall = sides_of(cells, params.rank_by), params.rank_by == "overall_score"
    limits_of = {str(mode): limits for mode, limits in params.modes.items()}
    decisions = {}
    for mode in (*MODES, WITHOUT_MODE):
        limits = limits_of.get(mode, ModeLimits())
        limited = limits != ModeLimits()
        found = [one for one, row in every.items() if limited or (row.target_mode or WITHOUT_MODE) == mode]
        if not found:
            continue
        checks = [check for one in found for check in _checks(cells[cells["model_id"] == one], limits, params)]
        excluded = sorted({check.model for check in checks if check.verdict == "missed"})
        candidates = [_candidate(every[one], sides[one]) for one in found if one not in excluded]
        selection = select(candidates, params.confidence, params.margin, usable_only=by_overall)
        named, config = every.get(selection.model_id or ""), configs.get(selection.model_id or "")
        estimate: ScoreEstimate | None = named.estimate if named else None
        score = estimate.quality if estimate and by_overall else estimate
        caveats, undecided = estimate.caveats if estimate else (), selection.verdict == "undecided"
        decisions[mode] = ModeDecision(
            verdict=selection.verdict,
            model=selection.model_id,
            reason=reason_of(selection, every, score, excluded, params),
            config_sha256=run.models.get(selection.model_id or ""),
            prompt=run.prompt,
            answered_models=tuple(answered_models(selection.model_id)) if selection.model_id else (),
            shutdown_date=config.deprecated_on.isoformat() if config and config.deprecated_on else None,
            simulated=bool(named and named.simulated),
            evidence=_evidence(named, score, estimate.usable) if score and estimate else None,
            rivals=tuple(_rival(one, lead) for one, lead in selection.rivals),
            rivals_confidence=selection.confidence,
            checks=tuple(checks),
            excluded=tuple(excluded),
            cheapest=_possible_equal(selection.cheapest, selection),
            fastest=_possible_equal(selection.fastest, selection),
            next_step=NextStep(briefs=selection.briefs, usd=selection.usd) if undecided else None,
            caveats=tuple(CAVEATS[one] for one in caveats if not (by_overall and one == "few failed")),
        )
    return Decision(
        run_id=run.run_id,
        score=params.rank_by,
        confidence=params.confidence,
        margin=params.margin,
        modes=decisions,
    )


def _candidate(model: Row, side: Side) -> Candidate:
    cost = _number(model.cost_usd)
    return Candidate(
        model_id=model.model_id,
        side=side,
        usd_per_usable=_number(model.cost_per_usable_usd),
        latency_s=_number(model.latency_p50_ms / 1000),
        usd_per_brief=cost / len(side) if cost is not None and side and not model.cost_unknown else None,
    )


def _checks(cells: pd.DataFrame, limits: ModeLimits, params: ReportParams) -> Iterator[LimitCheck]:
    model, level = str(cells["model_id"].iloc[0]), params.confidence
    side = sides_of(cells, "expected_score")[model]
    if limits.max_p95_latency_s is not None:
        called = (cells["answered"] & cells["latency_ms"].notna()) | (cells["status"] == "timeout_failed")
        seconds = by_brief(cells, (cells["latency_ms"] / 1000).where(cells["answered"]), called)
        yield check_latency(model, seconds, limits.max_p95_latency_s, level)
    if limits.max_usd_per_usable_graph is not None:
        usd = by_brief(cells, cells["est_cost_usd"], cells["answered"])
        yield check_cost(model, side, usd, limits.max_usd_per_usable_graph, level)
    if limits.min_usable_rate is not None:
        yield check_usable_rate(model, side, limits.min_usable_rate, level)


def _rival(model: str, lead: Difference) -> Rival:
    return Rival(model=model, difference=Measurement(value=lead.value, low=lead.low, high=lead.high, n=lead.briefs))


def _possible_equal(model: str | None, selection: Selection) -> PossibleEqual | None:
    """A rival that may be as good: at most so much worse as the upper end of the leader's lead."""
    if model is None:
        return None
    return PossibleEqual(model=model, worse_by_at_most=dict(selection.rivals)[model].high)


def _evidence(model: Row, score: IntervalEstimate | ScoreEstimate, usable: IntervalEstimate) -> Evidence:
    return Evidence(
        score=Measurement.model_validate(score, from_attributes=True),
        usable_rate=Measurement.model_validate(usable, from_attributes=True),
        usd_per_usable_graph=_number(model.cost_per_usable_usd),
        latency_p50_s=_number(model.latency_p50_ms / 1000),
        latency_p95_s=_number(model.latency_p95_ms / 1000),
        cells=int(model.cells),
        answers=int(model.answered),
    )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
