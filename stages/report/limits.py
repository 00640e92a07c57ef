"""The limits of a mode: each is met, missed, not measured, or not decided by so few answers."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean

from stages.report.ranking import Candidate
from stages.shared.analysis.interval import (
    mean_interval,
    mean_share,
    ratio_interval,
    share_interval,
)
from stages.shared.analysis.scored_cell import group
from stages.shared.records.decision import LimitCheck, LimitName, LimitVerdict
from stages.shared.records.params import ModeLimits
from stages.shared.records.record import NOT_MEASURED, Measurement

SLOW_SHARE = 0.05
"""The share of calls that may take longer than the limit of the 95th percentile."""
MAX_ANSWERS = 100_000


def check_limits(
    candidate: Candidate, limits: ModeLimits, confidence: float
) -> Iterator[LimitCheck]:
    """A check of each limit that there is, with intervals at `confidence`."""
    if limits.max_p95_latency_s is not None:
        yield _check_latency(candidate, limits.max_p95_latency_s, confidence)
    if limits.max_usd_per_usable_graph is not None:
        yield _check_cost(candidate, limits.max_usd_per_usable_graph, confidence)
    if limits.min_usable_rate is not None:
        yield _check_usable_rate(candidate, limits.min_usable_rate, confidence)


def _check_latency(candidate: Candidate, limit: float, confidence: float) -> LimitCheck:
    """The 95th percentile of the latency: the share of calls that took over `limit` seconds, as one
    that was given up did, is judged against 5 %.
    """
    within = [
        fmean(seconds is not None and seconds <= limit for seconds in calls)
        for calls in _seconds_by_brief(candidate).values()
        if calls
    ]
    over = _complement(mean_share(within, confidence))
    if over.value is None:
        return _unmeasured(candidate, "max_p95_latency_s", limit)
    answers = _answers_to_decide(over.value, SLOW_SHARE, confidence)
    return _check(candidate, "max_p95_latency_s", limit, over, over, SLOW_SHARE, answers)


def _seconds_by_brief(candidate: Candidate) -> Mapping[str, Sequence[float | None]]:
    """The seconds of each call by brief, or of drawn runs of a policy; None for a call that was
    given up after its deadline.
    """
    if candidate.runs is not None:
        seconds = candidate.runs.seconds or {}
        return {brief: drawn.tolist() for brief, drawn in seconds.items()}
    calls: dict[str, Sequence[float | None]] = {}
    for brief, cells in group(candidate.cells, lambda cell: cell.brief_id).items():
        timed = [
            cell.measured.latency_ms / 1000
            for cell in cells
            if cell.answered and cell.measured.latency_ms is not None
        ]
        given_up = [None for cell in cells if cell.status == "timeout_failed"]
        calls[brief] = [*timed, *given_up]
    return calls


def _check_usable_rate(candidate: Candidate, limit: float, confidence: float) -> LimitCheck:
    """The share of answers with a usable graph, 0 to 1, against the least that is allowed."""
    usable = candidate.summary.usable_rate
    failed = _complement(usable)
    answers = _answers_to_decide(failed.value, 1 - limit, confidence)
    return _check(candidate, "min_usable_rate", limit, usable, failed, 1 - limit, answers)


def _check_cost(candidate: Candidate, limit: float, confidence: float) -> LimitCheck:
    """The cost of a usable graph: the mean cost of an answer over the share of answers with a
    usable graph.

    Both are means over briefs. The interval is that of a ratio of two means (`ratio_interval`).
    With an unknown cost the verdict is *cannot tell*; where no cost is known, *not measured*.
    """
    answers = [costs for costs in _usd_by_brief(candidate).values() if costs]
    known = [[cost for cost in costs if cost is not None] for costs in answers]
    if not any(known):
        return _unmeasured(candidate, "max_usd_per_usable_graph", limit)
    cost = Measurement(n=len(known))
    if known == answers:
        cost = _cost_per_usable(known, candidate.summary.usable_rate, confidence)
    needed = _answers_for_cost(cost, sum(map(len, known)), limit)
    return _check(candidate, "max_usd_per_usable_graph", limit, cost, cost, limit, needed)


def _usd_by_brief(candidate: Candidate) -> Mapping[str, Sequence[float | None]]:
    """The US dollars of each answer by brief, or of a run of a policy; None for an unknown cost."""
    if candidate.runs is not None:
        return {brief: [estimate.usd] for brief, estimate in candidate.runs.briefs.items()}
    return {
        brief: [cell.measured.est_cost_usd for cell in cells if cell.answered]
        for brief, cells in group(candidate.cells, lambda cell: cell.brief_id).items()
    }


def _unmeasured(candidate: Candidate, name: LimitName, limit: float) -> LimitCheck:
    """The check of a limit of which nothing was measured."""
    return LimitCheck(
        model=candidate.id,
        name=name,
        limit=limit,
        verdict="not measured",
        measured=NOT_MEASURED,
        answers_needed=None,
    )


def _check(
    candidate: Candidate,
    name: LimitName,
    limit: float,
    measured: Measurement,
    judged: Measurement,
    most: float,
    answers: int | None,
) -> LimitCheck:
    """The check of a value that may be `most` at most; about so many `answers` would decide where
    its interval does not.
    """
    verdict: LimitVerdict = "cannot tell"
    if judged.high is not None and judged.high <= most:
        verdict = "met"
    elif judged.low is not None and judged.low > most:
        verdict = "missed"
    return LimitCheck(
        model=candidate.id,
        name=name,
        limit=limit,
        verdict=verdict,
        measured=measured,
        answers_needed=answers if verdict == "cannot tell" else None,
    )


def _cost_per_usable(
    costs: Sequence[Sequence[float]], usable: Measurement, confidence: float
) -> Measurement:
    """The cost of a usable graph, from the costs of the answers to each brief and the share of
    usable graphs.
    """
    if usable.value is None:
        return Measurement(n=len(costs))
    means = [math.fsum(of_brief) / len(of_brief) for of_brief in costs]
    mean = math.fsum(means) / len(means)
    spread = mean_interval(means, confidence, bounds=(0.0, 2 * max(means)))
    low = high = None
    if spread.ends is not None and usable.ends is not None:
        low, upper = ratio_interval(mean, spread.ends, usable.value, usable.ends)
        high = upper if math.isfinite(upper) else None
    value = mean / usable.value if usable.value else None
    return Measurement(value=value, low=low, high=high, n=len(costs))


def _answers_for_cost(cost: Measurement, answers: int, limit: float) -> int | None:
    """About how many answers bring the interval of a cost to one side of the limit; None: not
    known.
    """
    value, low, high = cost.value, cost.low, cost.high
    if value is None or low is None or high is None or value == limit:
        return None
    reach = value - low if value > limit else high - value
    return math.ceil(answers * (reach / (value - limit)) ** 2)


def _answers_to_decide(share: float | None, most: float, confidence: float) -> int | None:
    """The least number of answers, one for each brief, that decide whether a share that stays
    the same is `most` at most.
    """
    if share is None:
        return None
    decides = partial(_decides, share, most, confidence)
    answers = bisect_left(range(MAX_ANSWERS), True, key=decides)
    return answers if answers < MAX_ANSWERS else None


def _decides(share: float, most: float, confidence: float, count: int) -> bool:
    low, high = share_interval(share, count - 1, confidence)
    return high <= most or low > most


def _complement(share: Measurement) -> Measurement:
    """The share of all others: 1 less the share."""
    if share.value is None:
        return share
    low = None if share.high is None else 1.0 - share.high
    high = None if share.low is None else 1.0 - share.low
    return Measurement(value=1.0 - share.value, low=low, high=high, n=share.n)
