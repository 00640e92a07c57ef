"""The limits of a mode: each is met, missed, not measured, or not decided by so few answers."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from stages.report.policies import PolicyResult
from stages.report.ranking import by_brief, sides_of
from stages.shared.analysis.estimates import Side, score_of, side_of
from stages.shared.analysis.interval import mean_interval, ratio_interval, share_interval
from stages.shared.records.decision import LimitCheck, LimitName, LimitVerdict
from stages.shared.records.measurement import NOT_MEASURED, Measurement
from stages.shared.records.params import ModeLimits

SLOW_SHARE = 0.05
"""The share of calls that may take longer than the limit of the 95th percentile."""
MAX_ANSWERS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCandidate:
    """What the limits are checked by, of a model or a policy: its scores, and by brief the seconds
    and the US dollars of its answers, or of a policy's runs.

    Seconds are None for a call that was given up after its deadline, dollars for an unknown cost.
    `confidence` is that of the intervals.
    """

    model: str
    side: Side
    seconds: Mapping[str, Sequence[float | None]]
    usd: Mapping[str, Sequence[float | None]]
    confidence: float

    def checks(self, limits: ModeLimits) -> Iterator[LimitCheck]:
        """A check of each limit that there is."""
        if limits.max_p95_latency_s is not None:
            yield self.check_latency(limits.max_p95_latency_s)
        if limits.max_usd_per_usable_graph is not None:
            yield self.check_cost(limits.max_usd_per_usable_graph)
        if limits.min_usable_rate is not None:
            yield self.check_usable_rate(limits.min_usable_rate)

    def check_latency(self, limit: float) -> LimitCheck:
        """Check the 95th percentile of the latency: the share of calls that took over `limit`
        seconds, as one that was given up did, is judged against 5 %.
        """
        within = {
            brief: [1.0 if call is not None and call <= limit else None for call in calls]
            for brief, calls in self.seconds.items()
        }
        over = _complement(score_of(side_of(within), self.confidence).usable)
        if over.value is None:
            return self._unmeasured("max_p95_latency_s", limit)
        answers = _answers_to_decide(over.value, SLOW_SHARE, self.confidence)
        return self._check("max_p95_latency_s", limit, over, over, SLOW_SHARE, answers)

    def check_usable_rate(self, limit: float) -> LimitCheck:
        """Check the share of answers with a usable graph, 0 to 1, against the least that is
        allowed.
        """
        usable = score_of(self.side, self.confidence).usable
        failed = _complement(usable)
        answers = _answers_to_decide(failed.value, 1 - limit, self.confidence)
        return self._check("min_usable_rate", limit, usable, failed, 1 - limit, answers)

    def check_cost(self, limit: float) -> LimitCheck:
        """Check the cost of a usable graph: the mean cost of an answer over the share of answers
        with a usable graph.

        Both are means over briefs. The interval is that of a ratio of two means
        (`ratio_interval`). With an unknown cost the verdict is *cannot tell*; where no cost is
        known, *not measured*.
        """
        answers = [self.usd[brief] for brief in sorted(self.usd) if self.usd[brief]]
        costs = [[cost for cost in of_brief if cost is not None] for of_brief in answers]
        if not any(costs):
            return self._unmeasured("max_usd_per_usable_graph", limit)
        usable = score_of(self.side, self.confidence).usable
        cost = Measurement(n=len(costs))
        if costs == answers:
            cost = _cost_per_usable(costs, usable, self.confidence)
        needed = _answers_for_cost(cost, sum(map(len, costs)), limit)
        return self._check("max_usd_per_usable_graph", limit, cost, cost, limit, needed)

    def _unmeasured(self, name: LimitName, limit: float) -> LimitCheck:
        """The check of a limit of which nothing was measured."""
        return LimitCheck(
            model=self.model,
            name=name,
            limit=limit,
            verdict="not measured",
            measured=NOT_MEASURED,
            answers_needed=None,
        )

    def _check(
        self,
        name: LimitName,
        limit: float,
        measured: Measurement,
        judged: Measurement,
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
            model=self.model,
            name=name,
            limit=limit,
            verdict=verdict,
            measured=measured,
            answers_needed=answers if verdict == "cannot tell" else None,
        )


def measured_of_model(model: str, cells: pd.DataFrame, confidence: float) -> MeasuredCandidate:
    """What was measured in the cells of a model."""
    answered = cells["answered"]
    called = (answered & cells["latency_ms"].notna()) | (cells["status"] == "timeout_failed")
    return MeasuredCandidate(
        model=model,
        side=sides_of(cells)[model],
        seconds=by_brief(cells, (cells["latency_ms"] / 1000).where(answered), called),
        usd=by_brief(cells, cells["est_cost_usd"], answered),
        confidence=confidence,
    )


def measured_of_policy(result: PolicyResult, confidence: float) -> MeasuredCandidate:
    """What was estimated of the runs of a policy."""
    seconds = result.seconds or {}
    return MeasuredCandidate(
        model=result.policy.id,
        side=result.scores,
        seconds={brief: drawn.tolist() for brief, drawn in seconds.items()},
        usd={brief: [estimate.usd] for brief, estimate in result.briefs.items()},
        confidence=confidence,
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

    def decides(count: int) -> bool:
        low, high = share_interval(share, count - 1, confidence)
        return high <= most or low > most

    answers = bisect_left(range(MAX_ANSWERS), True, key=decides)
    return answers if answers < MAX_ANSWERS else None


def _complement(share: Measurement) -> Measurement:
    """The share of all others: 1 less the share."""

    def rest(value: float | None) -> float | None:
        return None if value is None else 1.0 - value

    return Measurement(
        value=rest(share.value), low=rest(share.high), high=rest(share.low), n=share.n
    )
