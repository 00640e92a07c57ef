"""Whether a model meets the limits of a mode (`report.modes`), each judged with its confidence interval."""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from stages.contracts.decision import LimitCheck, LimitName, Measurement
from stages.contracts.estimates import IntervalEstimate, Side, score_of
from stages.contracts.interval import Interval, mean_interval, ratio_interval, share_interval

SLOW_SHARE = 0.05
"""The share of calls that may take longer than the limit of the 95th percentile."""
MOST_ANSWERS = 100_000


def check_latency(
    model: str, seconds: Mapping[str, Sequence[float | None]], limit: float, confidence: float
) -> LimitCheck:
    """Check the 95th percentile of the latency, seconds: the share of calls over the limit is judged against 5 %.

    A latency of None is a call that was given up after its deadline, which is over any limit.

    >>> slow = {f"b{index}": [90.0 if index < 3 else 20.0] for index in range(16)}
    >>> check_latency("m", slow, 60.0, 0.95).verdict
    'missed'
    """
    within = {
        brief: [1.0 if call is not None and call <= limit else None for call in calls]
        for brief, calls in seconds.items()
    }
    over = _rest(score_of(within, confidence).usable)
    answers = _answers(over.value, SLOW_SHARE, confidence)
    return _check(model, "max_p95_latency_s", limit, over, over, SLOW_SHARE, answers)


def check_usable_rate(model: str, side: Side, limit: float, confidence: float) -> LimitCheck:
    """Check the share of answers with a usable graph, 0 to 1, against the least that is allowed.

    >>> check_usable_rate("m", {f"b{index}": [0.8] for index in range(16)}, 0.9, 0.95).answers_needed
    25
    """
    usable = score_of(side, confidence).usable
    failed = _rest(usable)
    answers = _answers(failed.value, 1 - limit, confidence)
    return _check(model, "min_usable_rate", limit, usable, failed, 1 - limit, answers)


def check_cost(
    model: str, side: Side, usd: Mapping[str, Sequence[float | None]], limit: float, confidence: float
) -> LimitCheck:
    """Check the cost of a usable graph, US dollars: the mean cost of an answer over the share of answers with a usable graph, by brief.

    The interval is that of a ratio of two means (`ratio_interval`). With an unknown cost (None) the verdict is *cannot tell*.
    """
    costs = [[cost for cost in usd[brief] if cost is not None] for brief in sorted(usd) if usd[brief]]
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


def _check(
    model: str, name: LimitName, limit: float, measured: IntervalEstimate, judged: IntervalEstimate, most: float,
    answers: int | None,
) -> LimitCheck:  # fmt: skip
    """The check of a value that may be `most` at most; about so many `answers` would decide where its interval does not."""
    met, missed = judged.high is not None and judged.high <= most, judged.low is not None and judged.low > most
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
    value, low, high = (None if each is None else 1.0 - each for each in (share.value, share.high, share.low))
    return IntervalEstimate(value, low, high, share.n)
