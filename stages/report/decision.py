"""The decision for each mode, made from the frame of cells: what `results/decision.json`, the summary and the site show."""

import math
from collections.abc import Callable, Mapping, Sequence

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
from stages.contracts.estimates import CAVEATS, Difference, IntervalEstimate, ScoreEstimate, Side, score_of
from stages.contracts.model_config import ModelConfig
from stages.contracts.params import ModeLimits, ReportParams
from stages.contracts.run import Run
from stages.report.cells import Row, rows_of
from stages.report.ranking import score_name, side_of
from stages.report.requirements import check_cost, check_latency, check_usable_rate
from stages.report.selection import Candidate, Selection, select
from stages.shell import numbers as show

MODES = ("fast", "normal", "deep")
MOST_LISTED = 4
"""Names in a sentence; of more only the first are listed."""
WITHOUT_MODE = "other"
"""The key of the models that have no config, and so no target mode."""


def decide(
    cells: pd.DataFrame,
    models: pd.DataFrame,
    run: Run,
    configs: Mapping[str, ModelConfig],
    params: ReportParams,
    answered_models: Callable[[str], Sequence[str]] = lambda _: (),
) -> Decision:
    """The decision for every mode that has candidates or limits.

    Args:
        cells: The frame of cells.
        models: `ranking.rank_models`.
        run: The manifest: the hashes of the configs and of the prompt.
        configs: The model configs by id, as far as there are any.
        params: What ranks, the confidence, the margin and the limits of the modes.
        answered_models: The model snapshots that the endpoint named in a model's answers; called for the named models only.
    """
    every = {row.model_id: row for row in rows_of(models)}
    groups = {str(one): group for one, group in cells.groupby("model_id", sort=True)}
    sides = {one: side_of(group, params.rank_by) for one, group in groups.items()}
    scores = {one: score_of(side_of(group, "expected_score"), params.confidence) for one, group in groups.items()}
    limits_of = {str(mode): limits for mode, limits in params.modes.items()}
    decisions = {}
    for mode in (*MODES, WITHOUT_MODE):
        limits = limits_of.get(mode, ModeLimits())
        limited = any(limit is not None for limit in limits.model_dump().values())
        found = [one for one, row in every.items() if limited or _mode(row) == mode]
        if found or limited:
            checks = [check for one in found for check in _checks(cells[cells["model_id"] == one], limits, params)]
            excluded = sorted({check.model for check in checks if check.verdict == "missed"})
            candidates = [_candidate(every[one], sides[one]) for one in found if one not in excluded]
            selection = select(
                candidates, params.confidence, params.margin, usable_only=params.rank_by == "overall_score"
            )
            decisions[mode] = _decision(
                selection, every, scores, checks, excluded, run, configs, params, answered_models
            )
    return Decision(
        run_id=run.run_id,
        score=params.rank_by,
        confidence=params.confidence,
        margin=params.margin,
        modes=decisions,
    )


def _mode(model: Row) -> str:
    return WITHOUT_MODE if pd.isna(model.target_mode) else str(model.target_mode)


def _candidate(model: Row, side: Side) -> Candidate:
    cost = _number(model.cost_usd)
    return Candidate(
        model_id=model.model_id,
        side=side,
        usd_per_usable=_number(model.cost_per_usable_usd),
        latency_s=_seconds(model.latency_p50_ms),
        usd_per_brief=cost / len(side) if cost is not None and side and not model.cost_unknown else None,
    )


def _checks(cells: pd.DataFrame, limits: ModeLimits, params: ReportParams) -> list[LimitCheck]:
    """The limits of a mode, checked for the cells of one model."""
    model, level = str(cells["model_id"].iloc[0]), params.confidence
    answered = cells[cells["answered"]]
    side = side_of(answered, "expected_score")
    found = []
    if limits.max_p95_latency_s is not None:
        called = cells[(cells["answered"] & cells["latency_ms"].notna()) | (cells["status"] == "timeout_failed")]
        seconds = {
            str(brief): [
                _seconds(ms) if ok else None for ms, ok in zip(group["latency_ms"], group["answered"], strict=True)
            ]
            for brief, group in called.groupby("brief_id", sort=True)
        }
        found.append(check_latency(model, seconds, limits.max_p95_latency_s, level))
    if limits.max_usd_per_usable_graph is not None:
        usd = {
            str(brief): [_number(cost) for cost in costs]
            for brief, costs in answered.groupby("brief_id")["est_cost_usd"]
        }
        found.append(check_cost(model, side, usd, limits.max_usd_per_usable_graph, level))
    if limits.min_usable_rate is not None:
        found.append(check_usable_rate(model, side, limits.min_usable_rate, level))
    return found


def _decision(
    selection: Selection,
    models: Mapping[str, Row],
    scores: Mapping[str, ScoreEstimate],
    checks: Sequence[LimitCheck],
    excluded: Sequence[str],
    run: Run,
    configs: Mapping[str, ModelConfig],
    params: ReportParams,
    answered_models: Callable[[str], Sequence[str]],
) -> ModeDecision:
    model = selection.model_id
    config = configs.get(model) if model else None
    found = scores[model] if model else None
    by_overall = params.rank_by == "overall_score"
    score = _measurement(found.quality if by_overall else found) if found else None
    return ModeDecision(
        verdict=selection.verdict,
        model=model,
        reason=_reason(selection, models, score, excluded, params),
        config_sha256=run.models.get(model) if model else None,
        prompt=run.prompt,
        answered_models=tuple(answered_models(model)) if model else (),
        shutdown_date=config.deprecated_on.isoformat() if config and config.deprecated_on else None,
        simulated=bool(model and models[model].simulated),
        evidence=_evidence(models[model], score, found.usable) if model and score and found else None,
        rivals=tuple(Rival(model=one, difference=_of_difference(lead)) for one, lead in selection.rivals),
        rivals_confidence=selection.confidence,
        checks=tuple(checks),
        excluded=tuple(excluded),
        cheapest=_possible_equal(selection.cheapest, selection),
        fastest=_possible_equal(selection.fastest, selection),
        next_step=NextStep(briefs=selection.briefs, usd=selection.usd) if selection.verdict == "undecided" else None,
        caveats=tuple(CAVEATS[one] for one in found.caveats if not (by_overall and one == "few failed"))
        if found
        else (),
    )


def _possible_equal(model: str | None, selection: Selection) -> PossibleEqual | None:
    """A rival that may be as good: at most so much worse as the upper end of the leader's lead."""
    if model is None:
        return None
    return PossibleEqual(model=model, worse_by_at_most=dict(selection.rivals)[model].high)


def _evidence(model: Row, score: Measurement, usable: IntervalEstimate) -> Evidence:
    return Evidence(
        score=score,
        usable_rate=_measurement(usable),
        usd_per_usable_graph=_number(model.cost_per_usable_usd),
        latency_p50_s=_seconds(model.latency_p50_ms),
        latency_p95_s=_seconds(model.latency_p95_ms),
        cells=int(model.cells),
        answers=int(model.answered),
    )


def _measurement(found: IntervalEstimate | ScoreEstimate) -> Measurement:
    return Measurement(value=found.value, low=found.low, high=found.high, n=found.n)


def _of_difference(found: Difference) -> Measurement:
    return Measurement(value=found.value, low=found.low, high=found.high, n=found.briefs)


def _reason(
    selection: Selection,
    models: Mapping[str, Row],
    score: Measurement | None,
    excluded: Sequence[str],
    params: ReportParams,
) -> str:
    """One or two sentences. Plain text: escape it where it is shown."""
    left_out = f" Left out for a missed limit: {_listed([models[one].name for one in excluded])}." if excluded else ""
    if selection.model_id is None or score is None:
        return "Every candidate misses a limit." if excluded else "No candidate has delivered a usable graph."
    name = models[selection.model_id].name
    interval = (
        ""
        if score.low is None
        else f", {show.share(params.confidence)} interval {show.interval(score.low, score.high)}"
    )
    scored = (
        f"an {score_name(params.rank_by)} of {show.score(score.value)} ({show.counted(score.n, 'brief')}{interval})"
    )
    closest = min(selection.rivals, key=lambda rival: rival[1].value or 0.0, default=None)
    if selection.verdict == "only_candidate" or closest is None:
        return f"{name} is the only candidate with a score: {scored}.{left_out}"
    if selection.verdict == "leads":
        ahead = f"{show.difference(closest[1].value)} ({show.difference_interval(closest[1].low, closest[1].high)})"
        return f"{name} leads with {scored}; ahead of the next, {models[closest[0]].name}, by {ahead}.{left_out}"
    if selection.verdict == "not_worse":
        return (
            f"{name} is the cheapest candidate that is not worse than any other by {show.score(params.margin)} or more: "
            f"{scored}.{left_out}"
        )
    open_to = [models[one].name for one, lead in selection.rivals if lead.low is None or lead.low <= 0]
    step = "no number of briefs within reach would decide"
    if selection.briefs is not None:
        price = "" if selection.usd is None else f", for about {show.money(selection.usd)} more"
        step = f"about {show.counted(selection.briefs, 'brief')} in all would decide{price}"
    return (
        f"Undecided: {name} has the highest score, {scored}, but {_listed(open_to)} may be as good; {step}.{left_out}"
    )


def _listed(names: Sequence[str]) -> str:
    """The names, or the first four and how many more there are.

    >>> _listed(["a", "b"]), _listed(["a", "b", "c", "d", "e", "f"])
    ('a and b', 'a, b, c, d and 2 more')
    """
    if len(names) > MOST_LISTED:
        return f"{', '.join(names[:MOST_LISTED])} and {len(names) - MOST_LISTED} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _seconds(milliseconds: float) -> float | None:
    return None if math.isnan(milliseconds) else float(milliseconds) / 1000
