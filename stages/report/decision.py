"""The decision for each mode, made from the frame of cells: what `results/decision.json`, the
summary and the site show.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from stages.contracts.decision import (
    Decision,
    Evidence,
    LimitCheck,
    LimitName,
    LimitVerdict,
    Measurement,
    ModeDecision,
    Rival,
)
from stages.contracts.model_config import ModelConfig
from stages.contracts.params import ModeLimits, ReportParams
from stages.contracts.run import Run
from stages.report.advice import WITHOUT_MODE, reason_of
from stages.report.policies import PolicyResult
from stages.report.ranking import by_brief, sides_of
from stages.report.rows import ModelRow, models_by_id
from stages.report.selection import Candidate, Lead, select
from stages.statistics.claim import caveats_of
from stages.statistics.estimates import IntervalEstimate, ScoreEstimate, Side, score_of, side_of
from stages.statistics.interval import Interval, mean_interval, ratio_interval, share_interval

MODES = ("fast", "normal", "deep")
SLOW_SHARE = 0.05
"""The share of calls that may take longer than the limit of the 95th percentile."""
MAX_ANSWERS = 100_000


def decide(
    cells: pd.DataFrame,
    models: pd.DataFrame,
    run: Run,
    configs: Mapping[str, ModelConfig],
    params: ReportParams,
    policies: Sequence[PolicyResult] = (),
) -> Decision:
    """The decision for every mode that has candidates or limits.

    `models` is a frame as of `ranking.rank_models`, with the rows of the policies; `run` has the
    hashes of the configs and of the prompt.
    """
    results = {result.policy.id: result for result in policies}
    deciding = _Deciding(cells, models_by_id(models), run, configs, params, results)
    limits_of = {str(mode): limits for mode, limits in params.modes.items()}
    decisions = {}
    for mode in (*MODES, WITHOUT_MODE):
        limits = limits_of.get(mode, ModeLimits())
        model_ids = deciding.candidates_for(mode, limits)
        if model_ids:
            decisions[mode] = deciding.decide_mode(model_ids, limits)
    return Decision(
        run_id=run.run_id,
        score=params.rank_by,
        confidence=params.confidence,
        margin=params.margin,
        modes=decisions,
        policies={name: result.policy.written_out for name, result in sorted(results.items())},
    )


@dataclass(frozen=True, slots=True)
class _Measured:
    """What the limits are checked by, of a model or a policy: its scores, and by brief the seconds
    and the US dollars of its answers, or of a policy's runs; None where that is not known.
    """

    name: str
    side: Side
    seconds: Mapping[str, Sequence[float | None]]
    usd: Mapping[str, Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class _Deciding:
    """What all modes are decided from."""

    cells: pd.DataFrame
    models: Mapping[str, ModelRow]
    run: Run
    configs: Mapping[str, ModelConfig]
    params: ReportParams
    policies: Mapping[str, PolicyResult]

    def candidates_for(self, mode: str, limits: ModeLimits) -> list[str]:
        """The ids of the models and policies that may be named: with limits all, else those with
        this target mode; never those with traffic, whose scores are over other briefs.
        """
        ranked = [model for model in self.models.values() if not model.is_traffic]
        if limits == ModeLimits():
            ranked = [model for model in ranked if (model.target_mode or WITHOUT_MODE) == mode]
        return [model.model_id for model in ranked]

    def decide_mode(self, model_ids: Sequence[str], limits: ModeLimits) -> ModeDecision:
        """Check the limits, name a candidate among those that miss none, and collect what was
        measured of it.
        """
        params = self.params
        checks: list[LimitCheck] = []
        for model_id in model_ids:
            checks += _checks(self._measured(model_id), limits, params.confidence)
        excluded = sorted({check.model for check in checks if check.verdict == "missed"})
        candidates = self._candidates([name for name in model_ids if name not in excluded])
        usable_only = params.rank_by == "overall_score"
        selection = select(candidates, params.confidence, params.margin, usable_only=usable_only)
        named = self.models.get(selection.model_id or "")
        policy = self.policies.get(selection.model_id or "")
        estimate = named.estimate if named else ScoreEstimate()
        where_usable = usable_only or selection.undoing is not None
        score = estimate.quality if usable_only else estimate
        judged = estimate.quality if where_usable else estimate
        judged_briefs = min([judged.n, *(lead.judged.n for lead in selection.leads)])
        return ModeDecision(
            verdict=selection.verdict,
            model=None if selection.model_id in self.policies else selection.model_id,
            policy=policy.policy.written_out if policy else None,
            reason=reason_of(selection, self.models, judged, excluded, params),
            config_sha256=self.run.models.get(selection.model_id or ""),
            prompt=self.run.prompt,
            answered_models=self._answered_models(self._called_models(selection.model_id)),
            shutdown_date=self._shutdown_date(self._called_models(selection.model_id)),
            simulated=bool(named and named.simulated),
            evidence=_evidence(named, score) if named else None,
            rivals=tuple(map(_rival, selection.leads)),
            rivals_confidence=selection.confidence,
            undoing=selection.undoing,
            checks=tuple(checks),
            excluded=tuple(excluded),
            without_usable=tuple(name for name in model_ids if not self.models[name].usable),
            cheapest=selection.cheapest,
            fastest=selection.fastest,
            next_step=selection.next_step,
            caveats=caveats_of(judged_briefs, where_usable=where_usable) if named else (),
        )

    def _candidates(self, ids: Sequence[str]) -> list[Candidate]:
        params = self.params
        usable_only = params.rank_by == "overall_score"
        sides = sides_of(self.cells, params.rank_by)
        sides |= {
            name: result.side(usable_only=usable_only) for name, result in self.policies.items()
        }
        by_model = self.cells.groupby("model_id")["brief_id"]
        asked = {str(model): int(briefs) for model, briefs in by_model.nunique().items()}
        prices = {name: _usd_per_brief(self.models[name], asked[name]) for name in asked}
        asked |= {name: result.asked for name, result in self.policies.items()}
        candidates = []
        for name in ids:
            model = self.models[name]
            candidate = Candidate(
                model_id=name,
                side=sides[name],
                asked_briefs=asked[name],
                usd_per_usable=_number(model.cost_per_usable_usd),
                latency_s=_number(model.latency_p50_ms / 1000),
                usd_per_brief={called: prices[called] for called in self._called_models(name)},
            )
            candidates.append(candidate)
        return candidates

    def _measured(self, name: str) -> _Measured:
        result = self.policies.get(name)
        if result is not None:
            return _measured_of_policy(name, result)
        return _measured_of_model(name, self.cells[self.cells["model_id"] == name])

    def _called_models(self, name: str | None) -> tuple[str, ...]:
        """The ids of the models that a candidate calls."""
        if name is None:
            return ()
        result = self.policies.get(name)
        return (name,) if result is None else result.policy.models

    def _answered_models(self, model_ids: Sequence[str]) -> tuple[str, ...]:
        called = self.cells["model_id"].isin(model_ids)
        snapshots = self.cells.loc[called, "answered_model"].dropna()
        return tuple(sorted({snapshot for snapshot in snapshots if snapshot}))

    def _shutdown_date(self, model_ids: Sequence[str]) -> str | None:
        """The first day on which one of the models is switched off."""
        configs = [self.configs[model_id] for model_id in model_ids if model_id in self.configs]
        days = [config.deprecated_on for config in configs if config.deprecated_on]
        return min(days).isoformat() if days else None


def _rival(lead: Lead) -> Rival:
    difference = Measurement.model_validate(lead.judged, from_attributes=True)
    return Rival(model=lead.rival, difference=difference)


def check_latency(
    model: str, seconds: Mapping[str, Sequence[float | None]], limit: float, confidence: float
) -> LimitCheck:
    """Check the 95th percentile of the latency: the share of calls that took over `limit` seconds
    is judged against 5 %.

    `seconds` are the calls by brief; None for one that was given up after its deadline, which is
    over any limit.

    >>> slow = {f"b{index}": [90.0 if index < 3 else 20.0] for index in range(16)}
    >>> check_latency("m", slow, 60.0, 0.95).verdict
    'missed'
    """
    within = {
        brief: [1.0 if call is not None and call <= limit else None for call in calls]
        for brief, calls in seconds.items()
    }
    over = _complement(score_of(side_of(within), confidence).usable)
    answers = _answers_to_decide(over.value, SLOW_SHARE, confidence)
    return _check(model, "max_p95_latency_s", limit, over, over, SLOW_SHARE, answers)


def check_usable_rate(model: str, side: Side, limit: float, confidence: float) -> LimitCheck:
    """Check the share of answers with a usable graph, 0 to 1, against the least that is allowed.

    >>> side = side_of({f"b{index}": [0.8] for index in range(16)})
    >>> check_usable_rate("m", side, 0.9, 0.95).answers_needed
    25
    """
    usable = score_of(side, confidence).usable
    failed = _complement(usable)
    answers = _answers_to_decide(failed.value, 1 - limit, confidence)
    return _check(model, "min_usable_rate", limit, usable, failed, 1 - limit, answers)


def check_cost(
    model: str,
    side: Side,
    usd: Mapping[str, Sequence[float | None]],
    limit: float,
    confidence: float,
) -> LimitCheck:
    """Check the cost of a usable graph: the mean cost of an answer over the share of answers with a
    usable graph.

    Both are means over briefs. `side` gives the share of usable graphs, `usd` the cost of each
    answer by brief. The interval is that of a ratio of two means (`ratio_interval`). With an
    unknown cost, which is None, the verdict is *cannot tell*.
    """
    answers = [usd[brief] for brief in sorted(usd) if usd[brief]]
    costs = [[cost for cost in of_brief if cost is not None] for of_brief in answers]
    known = costs == answers
    usable = score_of(side, confidence).usable
    cost = IntervalEstimate(None, None, None, len(costs))
    if costs and known:
        cost = _cost_per_usable(costs, usable, confidence)
    needed = _answers_for_cost(cost, sum(map(len, costs)), limit)
    return _check(model, "max_usd_per_usable_graph", limit, cost, cost, limit, needed)


def _cost_per_usable(
    costs: Sequence[Sequence[float]], usable: IntervalEstimate, confidence: float
) -> IntervalEstimate:
    """The cost of a usable graph, from the costs of the answers to each brief and the share of
    usable graphs.
    """
    if usable.value is None:
        return IntervalEstimate(None, None, None, len(costs))
    means = [math.fsum(of_brief) / len(of_brief) for of_brief in costs]
    mean = math.fsum(means) / len(means)
    spread = mean_interval(means, confidence, bounds=(0.0, 2 * max(means)))
    low = high = None
    if spread is not None and usable.low is not None and usable.high is not None:
        share = Interval(usable.low, usable.high)
        ends = ratio_interval(mean, spread, usable.value, share)
        low = ends.low
        high = ends.high if math.isfinite(ends.high) else None
    value = mean / usable.value if usable.value else None
    return IntervalEstimate(value, low, high, len(costs))


def _answers_for_cost(cost: IntervalEstimate, answers: int, limit: float) -> int | None:
    """About how many answers bring the interval of a cost to one side of the limit; None: not
    known.
    """
    value, low, high = cost.value, cost.low, cost.high
    if value is None or low is None or high is None or value == limit:
        return None
    reach = value - low if value > limit else high - value
    return math.ceil(answers * (reach / (value - limit)) ** 2)


def _measured_of_model(model: str, cells: pd.DataFrame) -> _Measured:
    answered = cells["answered"]
    timed_out = cells["status"] == "timeout_failed"
    called = (answered & cells["latency_ms"].notna()) | timed_out
    return _Measured(
        name=model,
        side=sides_of(cells, "expected_score")[model],
        seconds=by_brief(cells, (cells["latency_ms"] / 1000).where(answered), called),
        usd=by_brief(cells, cells["est_cost_usd"], answered),
    )


def _measured_of_policy(name: str, result: PolicyResult) -> _Measured:
    seconds = result.seconds or {}
    return _Measured(
        name=name,
        side=result.side(),
        seconds={brief: drawn.tolist() for brief, drawn in seconds.items()},
        usd={brief: [estimate.usd] for brief, estimate in result.briefs.items()},
    )


def _checks(measured: _Measured, limits: ModeLimits, confidence: float) -> Iterator[LimitCheck]:
    name, side = measured.name, measured.side
    if limits.max_p95_latency_s is not None:
        yield check_latency(name, measured.seconds, limits.max_p95_latency_s, confidence)
    if limits.max_usd_per_usable_graph is not None:
        usd_limit = limits.max_usd_per_usable_graph
        yield check_cost(name, side, measured.usd, usd_limit, confidence)
    if limits.min_usable_rate is not None:
        yield check_usable_rate(name, side, limits.min_usable_rate, confidence)


def _check(
    model: str,
    name: LimitName,
    limit: float,
    measured: IntervalEstimate,
    judged: IntervalEstimate,
    most: float,
    answers: int | None,
) -> LimitCheck:
    """The check of a value that may be `most` at most; about so many `answers` would decide
    where its interval does not.
    """
    verdict: LimitVerdict = "cannot tell"
    if judged.high is not None and judged.high <= most:
        verdict = "met"
    elif judged.low is not None and judged.low > most:
        verdict = "missed"
    return LimitCheck(
        model=model,
        name=name,
        limit=limit,
        verdict=verdict,
        measured=Measurement.model_validate(measured, from_attributes=True),
        answers_needed=answers if verdict == "cannot tell" else None,
    )


def _answers_to_decide(share: float | None, most: float, confidence: float) -> int | None:
    """The least number of answers, one for each brief, that decide whether a share that stays
    the same is `most` at most.
    """
    if share is None:
        return None

    def decides(count: int) -> bool:
        interval = share_interval(share, count - 1, confidence)
        return interval.high <= most or interval.low > most

    answers = bisect_left(range(MAX_ANSWERS), True, key=decides)
    return answers if answers < MAX_ANSWERS else None


def _complement(share: IntervalEstimate) -> IntervalEstimate:
    """The share of all others: 1 less the share."""

    def rest(value: float | None) -> float | None:
        return None if value is None else 1.0 - value

    return IntervalEstimate(rest(share.value), rest(share.high), rest(share.low), share.n)


def _usd_per_brief(model: ModelRow, asked_briefs: int) -> float | None:
    """What the answers of a model to a brief cost, all samples together."""
    cost = _number(model.cost_usd)
    return None if cost is None or model.cost_unknown else cost / asked_briefs


def _evidence(model: ModelRow, score: IntervalEstimate) -> Evidence:
    estimate = model.estimate
    return Evidence(
        score=Measurement.model_validate(score, from_attributes=True),
        quality=Measurement.model_validate(estimate.quality, from_attributes=True),
        usable_rate=Measurement.model_validate(estimate.usable, from_attributes=True),
        usd_per_usable_graph=_number(model.cost_per_usable_usd),
        latency_p50_s=_number(model.latency_p50_ms / 1000),
        latency_p95_s=_number(model.latency_p95_ms / 1000),
        cells=int(model.cells),
        answers=int(model.answered),
    )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
