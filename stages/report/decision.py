"""The decision for each mode, made from the frame of cells: what `results/decision.json`, the summary and the site show."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from stages.contracts.decision import (
    Decision,
    Evidence,
    LimitCheck,
    LimitName,
    Measurement,
    ModeDecision,
    NextStep,
    PossibleEqual,
    Rival,
)
from stages.contracts.model_config import ModelConfig
from stages.contracts.params import ModeLimits, ReportParams
from stages.contracts.run import Run
from stages.report.advice import WITHOUT_MODE, reason_of
from stages.report.cells import Row, rows_of
from stages.report.ranking import by_brief, sides_of
from stages.report.selection import Candidate, Selection, select
from stages.statistics.estimates import (
    CAVEATS,
    IntervalEstimate,
    ScoreEstimate,
    Side,
    score_of,
    side_of,
)
from stages.statistics.interval import Interval, mean_interval, ratio_interval, share_interval

MODES = ("fast", "normal", "deep")
SLOW_SHARE = 0.05
"""The share of calls that may take longer than the limit of the 95th percentile."""
MOST_ANSWERS = 100_000


def decide(
    cells: pd.DataFrame,
    models: pd.DataFrame,
    run: Run,
    configs: Mapping[str, ModelConfig],
    params: ReportParams,
) -> Decision:
    """The decision for every mode that has candidates or limits.

    `models` is a frame as of `ranking.rank_models`; `run` has the hashes of the configs and of the prompt.
    """
    every: dict[str, Row] = {row.model_id: row for row in rows_of(models)}
    sides, by_overall = sides_of(cells, params.rank_by), params.rank_by == "overall_score"
    limits_of = {str(mode): limits for mode, limits in params.modes.items()}
    asked = cells.groupby("model_id")["brief_id"].nunique()
    decisions = {}
    for mode in (*MODES, WITHOUT_MODE):
        limits = limits_of.get(mode, ModeLimits())
        limited = limits != ModeLimits()
        found = [
            one
            for one, row in every.items()
            if limited or (row.target_mode or WITHOUT_MODE) == mode
        ]
        if not found:
            continue
        checks = [
            check
            for one in found
            for check in _checks(cells[cells["model_id"] == one], limits, params)
        ]
        excluded = sorted({check.model for check in checks if check.verdict == "missed"})
        candidates = [
            _candidate(every[one], sides[one], int(asked[one]))
            for one in found
            if one not in excluded
        ]
        selection = select(candidates, params.confidence, params.margin, usable_only=by_overall)
        named, config = every.get(selection.model_id or ""), configs.get(selection.model_id or "")
        estimate: ScoreEstimate | None = named.estimate if named else None
        score = estimate.quality if estimate and by_overall else estimate
        caveats, undecided = estimate.caveats if estimate else (), selection.verdict == "undecided"
        answered = cells.loc[cells["model_id"] == selection.model_id, "answered_model"].dropna()
        decisions[mode] = ModeDecision(
            verdict=selection.verdict,
            model=selection.model_id,
            reason=reason_of(selection, every, score, excluded, params),
            config_sha256=run.models.get(selection.model_id or ""),
            prompt=run.prompt,
            answered_models=tuple(sorted({one for one in answered if one})),
            shutdown_date=config.deprecated_on.isoformat()
            if config and config.deprecated_on
            else None,
            simulated=bool(named and named.simulated),
            evidence=_evidence(named, score, estimate.usable) if score and estimate else None,
            rivals=tuple(
                Rival(
                    model=one,
                    difference=Measurement(
                        value=lead.value, low=lead.low, high=lead.high, n=lead.briefs
                    ),
                )
                for one, lead in selection.rivals
            ),
            rivals_confidence=selection.confidence,
            checks=tuple(checks),
            excluded=tuple(excluded),
            cheapest=_possible_equal(selection.cheapest, selection),
            fastest=_possible_equal(selection.fastest, selection),
            next_step=NextStep(briefs=selection.briefs, usd=selection.usd) if undecided else None,
            caveats=tuple(
                CAVEATS[one] for one in caveats if not (by_overall and one == "few failed")
            ),
        )
    return Decision(
        run_id=run.run_id,
        score=params.rank_by,
        confidence=params.confidence,
        margin=params.margin,
        modes=decisions,
    )


def check_latency(
    model: str, seconds: Mapping[str, Sequence[float | None]], limit: float, confidence: float
) -> LimitCheck:
    """Check the 95th percentile of the latency: the share of calls that took over `limit` seconds is judged against 5 %.

    `seconds` are the calls by brief; None for one that was given up after its deadline, which is over any limit.

    >>> slow = {f"b{index}": [90.0 if index < 3 else 20.0] for index in range(16)}
    >>> check_latency("m", slow, 60.0, 0.95).verdict
    'missed'
    """
    within = {
        brief: [1.0 if call is not None and call <= limit else None for call in calls]
        for brief, calls in seconds.items()
    }
    over = _rest(score_of(side_of(within), confidence).usable)
    answers = _answers(over.value, SLOW_SHARE, confidence)
    return _check(model, "max_p95_latency_s", limit, over, over, SLOW_SHARE, answers)


def check_usable_rate(model: str, side: Side, limit: float, confidence: float) -> LimitCheck:
    """Check the share of answers with a usable graph, 0 to 1, against the least that is allowed.

    >>> side = side_of({f"b{index}": [0.8] for index in range(16)})
    >>> check_usable_rate("m", side, 0.9, 0.95).answers_needed
    25
    """
    usable = score_of(side, confidence).usable
    failed = _rest(usable)
    answers = _answers(failed.value, 1 - limit, confidence)
    return _check(model, "min_usable_rate", limit, usable, failed, 1 - limit, answers)


def check_cost(
    model: str,
    side: Side,
    usd: Mapping[str, Sequence[float | None]],
    limit: float,
    confidence: float,
) -> LimitCheck:
    """Check the cost of a usable graph: the mean cost of an answer over the share of answers with a usable graph (means over briefs).

    `side` gives the share of usable graphs, `usd` the cost of each answer by brief. The interval is that of a ratio of two means
    (`ratio_interval`). With an unknown cost, which is None, the verdict is *cannot tell*.
    """
    costs = [
        [cost for cost in usd[brief] if cost is not None] for brief in sorted(usd) if usd[brief]
    ]
    share = score_of(side, confidence).usable
    value = low = high = answers = None
    if costs and share.value is not None and not any(None in each for each in usd.values()):
        means = [math.fsum(each) / len(each) for each in costs]
        mean = math.fsum(means) / len(means)
        spread = mean_interval(means, confidence, bounds=(0.0, 2 * max(means)))
        value = mean / share.value if share.value else None
        if spread is not None and share.low is not None and share.high is not None:
            ends = ratio_interval(mean, spread, share.value, Interval(share.low, share.high))
            low, high = ends.low, ends.high if math.isfinite(ends.high) else None
    if value is not None and low is not None and high is not None and value != limit:
        reach = value - low if value > limit else high - value
        answers = math.ceil(sum(map(len, costs)) * (reach / (value - limit)) ** 2)
    found = IntervalEstimate(value, low, high, len(costs))
    return _check(model, "max_usd_per_usable_graph", limit, found, found, limit, answers)


def _checks(cells: pd.DataFrame, limits: ModeLimits, params: ReportParams) -> Iterator[LimitCheck]:
    model, level = str(cells["model_id"].iloc[0]), params.confidence
    side = sides_of(cells, "expected_score")[model]
    if limits.max_p95_latency_s is not None:
        called = (cells["answered"] & cells["latency_ms"].notna()) | (
            cells["status"] == "timeout_failed"
        )
        seconds = by_brief(cells, (cells["latency_ms"] / 1000).where(cells["answered"]), called)
        yield check_latency(model, seconds, limits.max_p95_latency_s, level)
    if limits.max_usd_per_usable_graph is not None:
        usd = by_brief(cells, cells["est_cost_usd"], cells["answered"])
        yield check_cost(model, side, usd, limits.max_usd_per_usable_graph, level)
    if limits.min_usable_rate is not None:
        yield check_usable_rate(model, side, limits.min_usable_rate, level)


def _check(
    model: str, name: LimitName, limit: float, measured: IntervalEstimate, judged: IntervalEstimate, most: float,
    answers: int | None,
) -> LimitCheck:  # fmt: skip
    """The check of a value that may be `most` at most; about so many `answers` would decide where its interval does not."""
    met, missed = (
        judged.high is not None and judged.high <= most,
        judged.low is not None and judged.low > most,
    )
    return LimitCheck(
        model=model,
        name=name,
        limit=limit,
        verdict="met" if met else "missed" if missed else "cannot tell",
        measured=Measurement.model_validate(measured, from_attributes=True),
        answers_needed=None if met or missed else answers,
    )


def _answers(share: float | None, most: float, confidence: float) -> int | None:
    """The least number of answers, one for each brief, that decide whether a share that stays the same is `most` at most."""
    if share is None:
        return None

    def decides(count: int) -> bool:
        interval = share_interval(share, count - 1, confidence)
        return interval.high <= most or interval.low > most

    found = bisect_left(range(MOST_ANSWERS), True, key=decides)
    return found if found < MOST_ANSWERS else None


def _rest(share: IntervalEstimate) -> IntervalEstimate:
    value, low, high = (
        None if each is None else 1.0 - each for each in (share.value, share.high, share.low)
    )
    return IntervalEstimate(value, low, high, share.n)


def _candidate(model: Row, side: Side, asked_briefs: int) -> Candidate:
    cost = _number(model.cost_usd)
    return Candidate(
        model_id=model.model_id,
        side=side,
        asked_briefs=asked_briefs,
        usd_per_usable=_number(model.cost_per_usable_usd),
        latency_s=_number(model.latency_p50_ms / 1000),
        usd_per_brief=cost / asked_briefs if cost is not None and not model.cost_unknown else None,
    )


def _possible_equal(model: str | None, selection: Selection) -> PossibleEqual | None:
    """A rival that may be as good: at most so much worse as the upper end of the leader's lead."""
    return (
        PossibleEqual(model=model, worse_by_at_most=dict(selection.rivals)[model].high)
        if model
        else None
    )


def _evidence(model: Row, score: IntervalEstimate, usable: IntervalEstimate) -> Evidence:
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
