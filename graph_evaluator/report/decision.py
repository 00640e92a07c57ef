"""The decision for each mode: what `results/decision.json`, the summary and the site show."""

import math
from collections.abc import Iterator, Sequence
from typing import get_args

from graph_evaluator.analysis.interval import mean_share
from graph_evaluator.analysis.summary import Summary, group, mean_of_known
from graph_evaluator.records.model_config import TargetMode
from graph_evaluator.records.params import CompareParams, ModeLimits, ReportParams
from graph_evaluator.records.record import Measurement
from graph_evaluator.records.run import (
    Decision,
    Evidence,
    LimitCheck,
    LimitVerdict,
    ModeDecision,
    Run,
)
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.report.advice import reason_of
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.report.selection import select

MODES = get_args(TargetMode)
SLOW_SHARE = 0.05
"""The share of calls that may take longer than the limit of the 95th percentile."""


def decide(
    candidates: Sequence[Candidate],
    run: Run,
    params: ReportParams,
    compare: CompareParams,
) -> Decision:
    """The decision for every mode that has candidates or limits.

    `candidates` are in order of rank; `run` has the hashes of the configs and of the prompt. For a
    mode with limits every model is a candidate, else those with this target mode.
    """
    no_limits = ModeLimits()
    decisions = {}
    for mode in MODES:
        limits = params.modes.get(mode, no_limits)
        chosen = [
            candidate for candidate in candidates if limits != no_limits or candidate.mode == mode
        ]
        if chosen:
            decisions[mode] = _decide_mode(chosen, limits, run, compare)
    return Decision(
        run_id=run.run_id,
        confidence=compare.confidence,
        min_difference=compare.min_difference,
        min_content_difference=compare.min_content_difference,
        modes=decisions,
    )


def _decide_mode(
    candidates: Sequence[Candidate], limits: ModeLimits, run: Run, compare: CompareParams
) -> ModeDecision:
    """Check the limits, name a candidate among those that miss none, and collect what was measured
    of it.
    """
    usable = [candidate for candidate in candidates if candidate.summary.usable]
    checks: list[LimitCheck] = []
    for candidate in usable:
        checks += check_limits(candidate, limits, compare.confidence)
    failed = [check for check in checks if check.verdict in ("missed", "not measured")]
    excluded = sorted({check.model for check in failed})
    selection = select([candidate for candidate in usable if candidate.id not in excluded], compare)
    named = selection.named
    return ModeDecision(
        verdict=selection.verdict,
        model=named.id if named else None,
        reason=reason_of(selection, candidates, failed, compare.confidence),
        config_sha256=run.models.get(named.id) if named else None,
        prompt=run.prompt,
        shutdown_date=named.shutdown_date if named else None,
        simulated=bool(named and named.summary.simulated),
        evidence=_evidence(named.summary) if named else None,
        rivals=selection.rivals,
        compared=len(selection.rivals) + (named is not None),
        checks=tuple(checks),
        excluded=tuple(excluded),
        without_usable=tuple(
            candidate.id for candidate in candidates if not candidate.summary.usable
        ),
    )


def _evidence(summary: Summary) -> Evidence:
    return Evidence(
        form=summary.form,
        form_of_usable_graphs=summary.form_of_usable,
        usable_rate=summary.usable_rate,
        content=summary.content,
        same_choice=summary.same_choice,
        certainty=summary.certainty,
        usd_per_usable_graph=summary.cost.per_usable,
        latency_p50_s=summary.latency.p50_s,
        latency_p95_s=summary.latency.p95_s,
        cells=summary.cells,
        answers=summary.answered,
    )


def check_limits(
    candidate: Candidate, limits: ModeLimits, confidence: float
) -> Iterator[LimitCheck]:
    """A check of each limit that there is: the latency by the share of calls that took longer and
    the share of usable graphs by their intervals at `confidence`, the cost by what was spent.
    """
    seconds, usd = limits.max_p95_latency_s, limits.max_usd_per_usable_graph
    rate, summary, model = limits.min_usable_rate, candidate.summary, candidate.id
    if seconds is not None:
        slow = mean_share(_slow_shares(candidate, seconds), confidence)
        verdict = _verdict(slow, most=SLOW_SHARE)
        yield LimitCheck(
            model=model, name="max_p95_latency_s", limit=seconds, verdict=verdict, measured=slow
        )
    if usd is not None:
        spent = summary.cost.per_usable
        verdict = _verdict(Measurement(value=spent, low=spent, high=spent), most=usd)
        cost = Measurement(value=spent, n=summary.asked_briefs)
        yield LimitCheck(
            model=model, name="max_usd_per_usable_graph", limit=usd, verdict=verdict, measured=cost
        )
    if rate is not None:
        usable = summary.usable_rate
        verdict = _verdict(usable, least=rate)
        yield LimitCheck(
            model=model, name="min_usable_rate", limit=rate, verdict=verdict, measured=usable
        )


def _verdict(measured: Measurement, *, least: float = 0.0, most: float = math.inf) -> LimitVerdict:
    """Whether a value is within its limits, by its interval."""
    low, high = measured.low, measured.high
    if measured.value is None:
        return "not measured"
    if low is None or high is None:
        return "cannot tell"
    if least <= low and high <= most:
        return "met"
    return "missed" if high < least or low > most else "cannot tell"


def _slow_shares(candidate: Candidate, limit: float) -> list[float]:
    """The share of calls that took over `limit` seconds on each brief with a call."""
    briefs = group(candidate.cells, lambda cell: cell.brief_id).values()
    shares = [mean_of_known(_is_slow(cell, limit) for cell in cells) for cells in briefs]
    return [share for share in shares if share is not None]


def _is_slow(cell: ScoredCell, limit: float) -> bool | None:
    """Whether a call took over `limit` seconds, as one that was given up after its deadline did;
    None for one without a latency.
    """
    if cell.status == "timeout_failed":
        return True
    latency = cell.measured.latency_ms
    return None if latency is None or not cell.answered else latency > 1000 * limit
