"""What many scored cells come to: counts, means with intervals, cost, latency, tokens. Pure.

The brief is the unit of every interval: samples of one brief say nothing about other briefs.
Several models are averaged on each brief first, so that what they have in common on a brief is part
of the spread over briefs.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, variance
from typing import TypeVar

import numpy as np

from graph_evaluator.analysis.interval import mean_interval, mean_share
from graph_evaluator.analysis.scored_cell import ScoredCell, group
from graph_evaluator.records.record import NOT_MEASURED, Measurement
from graph_evaluator.records.response import STATUSES, Status
from graph_evaluator.records.scorecard import DIMENSIONS, Dimension

Kind = TypeVar("Kind", bound=Hashable)
Name = TypeVar("Name", bound=str)
_DECIMALS = 9
"""Of a count: that of a policy is a sum of chances."""


@dataclass(frozen=True, slots=True)
class CellWeights:
    """How cells count for a policy: for each, how often a run calls it and takes its answer, over
    all briefs; and the latencies of drawn runs, empty where one is not measured.
    """

    called: Sequence[float]
    counted: Sequence[float]
    latencies_ms: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class BriefScore:
    """One model, or several on average, or a policy, on one brief; all 0 to 1.

    `expected` is the mean score of its answers, one without a usable graph counting 0; `usable` the
    share with a usable graph; `quality` is the mean over those graphs, None without any. `content`
    is the mean content of its answers, one without a usable graph counting 0; None where the brief
    states no effects that can be read.
    """

    expected: float
    usable: float
    quality: float | None
    content: float | None = None


@dataclass(frozen=True, slots=True)
class CellCosts:
    """US dollars: the sum of what is known, and the number of answers whose cost is not; the means
    of an answer and of a usable graph, None where a cost is unknown or nothing is there.

    The cost of a policy is known as a whole or not at all; its answers are its runs.
    """

    usd: float | None
    unknown: float
    per_answer: float | None
    per_usable: float | None


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds: percentiles, linear between ranks, and the mean of an answer, None where that
    of one is not measured. Those of a policy are of its runs.
    """

    p50_ms: float | None
    p95_ms: float | None
    per_answer_ms: float | None

    @property
    def p50_s(self) -> float | None:
        """The median in seconds."""
        return None if self.p50_ms is None else self.p50_ms / 1000

    @property
    def p95_s(self) -> float | None:
        """The 95th percentile in seconds."""
        return None if self.p95_ms is None else self.p95_ms / 1000


@dataclass(frozen=True, slots=True)
class Tokens:
    """Sums of what is reported; the share of the input that came from the prompt cache, over the
    cells that report both.
    """

    input: float | None
    output: float | None
    reasoning: float | None
    cached_share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What cells come to; None: not measured. Counts of a policy are expected ones, not whole.

    * scored, invalid, unfaithful, unchecked: cells with a valid graph; with one that breaks a
      structural rule; with a valid one that failed a fidelity check; usable ones that nothing could
      compare with their brief
    * calls: failed attempts included
    * asked_briefs, briefs: how many were asked; the scores of those with an answer, by id
    * expected, quality, usable_rate, content: means over `briefs`, with intervals
    * coded: the share of the labels that a codebook holds, the mean over n graphs with content
    * cell_expected, cell_overall, dimensions, sub_scores (by DIMENSION.NAME): means over the n
      cells that have them, without intervals; all but the first over valid graphs
    * sample_sd: the standard deviation of the expected score between samples of one brief; None
      without two samples, and of a policy
    """

    cells: float
    answered: float
    usable: float
    scored: float
    invalid: float
    unfaithful: float
    unchecked: float
    statuses: Mapping[Status, float]
    calls: float | None
    simulated: bool
    asked_briefs: int
    briefs: Mapping[str, BriefScore]
    expected: Measurement
    quality: Measurement
    usable_rate: Measurement
    content: Measurement
    coded: Measurement
    cell_expected: Measurement
    cell_overall: Measurement
    dimensions: Mapping[Dimension, Measurement]
    sub_scores: Mapping[str, Measurement]
    sample_sd: float | None
    cost: CellCosts
    latency: Latency
    tokens: Tokens

    @property
    def unanswered(self) -> float:
        """The cells without an answer."""
        return round(self.cells - self.answered, _DECIMALS)

    @property
    def is_unanswered(self) -> bool:
        """Whether there are cells, and none has an answer: then nothing is known of its graphs."""
        return self.cells > 0 and not self.answered

    @property
    def usable_share(self) -> float | None:
        """Of all cells, 0 to 1."""
        return self.usable / self.cells if self.cells else None

    @property
    def answered_share(self) -> float | None:
        """Of all cells, 0 to 1."""
        return self.answered / self.cells if self.cells else None


def summarise(
    cells: Sequence[ScoredCell],
    weights: CellWeights | None = None,
    *,
    confidence: float = 0.95,
    with_effects: Collection[str] | None = None,
) -> Summary:
    """What cells come to, each counting once, or by the weights of a policy that calls them; the
    intervals hold at `confidence`. `with_effects` are the briefs that have a content: those of
    these cells unless they are given.

    >>> summarise([]).expected.n
    0
    """
    ones = [1.0] * len(cells)
    called = _Weighted(list(zip(cells, weights.called if weights else ones, strict=True)))
    counted = _Weighted(list(zip(cells, weights.counted if weights else ones, strict=True)))
    if with_effects is None:
        with_effects = briefs_with_content(cells)
    briefs = _brief_scores(counted, with_effects, is_policy=weights is not None)
    scores = briefs.values()
    outcomes = counted.counts(lambda cell: cell.outcome)
    statuses = counted.counts(lambda cell: cell.status)
    answered = counted.count(lambda cell: cell.answered)
    usable = counted.count(lambda cell: cell.usable)
    return Summary(
        cells=counted.count(lambda _: True),
        answered=answered,
        usable=usable,
        scored=counted.count(lambda cell: cell.overall_score is not None),
        invalid=outcomes.get("invalid", 0.0),
        unfaithful=outcomes.get("unfaithful", 0.0),
        unchecked=outcomes.get("unchecked", 0.0),
        statuses={status: statuses.get(status, 0.0) for status in STATUSES},
        calls=called.total(lambda cell: cell.measured.attempts),
        simulated=any(cell.cost.simulated for cell in cells),
        asked_briefs=len({cell.brief_id for cell in cells}),
        briefs=briefs,
        expected=mean_interval([score.expected for score in scores], confidence),
        quality=mean_interval(_known(score.quality for score in scores), confidence),
        usable_rate=mean_share([score.usable for score in scores], confidence),
        content=mean_interval(_known(score.content for score in scores), confidence),
        coded=counted.mean(lambda cell: None if cell.content is None else cell.coded),
        cell_expected=counted.mean(lambda cell: cell.expected_score),
        cell_overall=counted.mean(lambda cell: cell.overall_score),
        dimensions=dict.fromkeys(DIMENSIONS, NOT_MEASURED)
        | counted.means(lambda cell: cell.dimensions),
        sub_scores=counted.means(lambda cell: cell.sub_scores),
        sample_sd=None if weights else _sample_sd(cells),
        cost=_cost(called, answered, usable, is_policy=weights is not None),
        latency=_latency(called, answered, weights),
        tokens=_tokens(called),
    )


@dataclass(frozen=True, slots=True)
class _Weighted:
    """Cells, each with how often it counts."""

    pairs: Sequence[tuple[ScoredCell, float]]

    def counts(self, kind_of: Callable[[ScoredCell], Kind]) -> dict[Kind, float]:
        """How many cells there are of each kind."""
        weights: defaultdict[Kind, list[float]] = defaultdict(list)
        for cell, weight in self.pairs:
            weights[kind_of(cell)].append(weight)
        return {kind: round(math.fsum(values), _DECIMALS) for kind, values in weights.items()}

    def count(self, is_counted: Callable[[ScoredCell], bool]) -> float:
        """How many cells are counted."""
        return self.counts(is_counted).get(True, 0.0)

    def values(self, value_of: Callable[[ScoredCell], float | None]) -> list[tuple[float, float]]:
        """The measured values of the cells that have a weight, with it."""
        values = []
        for cell, weight in self.pairs:
            value = value_of(cell)
            if value is not None and weight > 0:
                values.append((value, weight))
        return values

    def total(self, value_of: Callable[[ScoredCell], float | None]) -> float | None:
        """The sum of what is measured; None where nothing is."""
        values = self.values(value_of)
        return math.fsum(value * weight for value, weight in values) if values else None

    def mean(self, value_of: Callable[[ScoredCell], float | None]) -> Measurement:
        """The mean of what is measured, n cells."""
        values = self.values(value_of)
        if not values:
            return NOT_MEASURED
        total = math.fsum(value * weight for value, weight in values)
        return Measurement(value=total / math.fsum(weight for _, weight in values), n=len(values))

    def means(
        self, values_of: Callable[[ScoredCell], Mapping[Name, float]]
    ) -> dict[Name, Measurement]:
        """The mean of each named value, in the order in which the names occur."""
        names = dict.fromkeys(name for cell, _ in self.pairs for name in values_of(cell))
        return {name: self.mean(partial(_named, values_of, name)) for name in names}

    def by(self, key: Callable[[ScoredCell], str]) -> "dict[str, _Weighted]":
        """The cells by key, the keys sorted."""
        groups = group(self.pairs, lambda pair: key(pair[0]))
        return {name: _Weighted(pairs) for name, pairs in groups.items()}


def briefs_with_content(cells: Iterable[ScoredCell]) -> frozenset[str]:
    """The briefs whose stated effects were found in a graph, or not: a failure has content 0."""
    return frozenset(cell.brief_id for cell in cells if cell.content is not None)


def _brief_scores(
    cells: _Weighted, with_effects: Collection[str], *, is_policy: bool
) -> dict[str, BriefScore]:
    """The scores of the briefs with an answer that counts; several models are averaged."""
    briefs = {}
    for brief, of_brief in cells.by(lambda cell: cell.brief_id).items():
        models = [of_brief] if is_policy else of_brief.by(lambda cell: cell.model_id).values()
        scores = []
        for of_model in models:
            score = _brief_score(of_model, has_content=brief in with_effects)
            if score is not None:
                scores.append(score)
        if scores:
            briefs[brief] = average(scores)
    return briefs


def _brief_score(cells: _Weighted, *, has_content: bool) -> BriefScore | None:
    """The score of one candidate on one brief; None without an answer that counts."""
    expected = cells.mean(lambda cell: cell.score if cell.answered else None).value
    usable = cells.mean(lambda cell: float(cell.usable) if cell.answered else None).value
    if expected is None or usable is None:
        return None
    content = NOT_MEASURED
    if has_content:
        content = cells.mean(lambda cell: cell.counted_content)
    return BriefScore(
        expected=expected,
        usable=usable,
        quality=cells.mean(lambda cell: cell.score if cell.usable else None).value,
        content=content.value,
    )


def average(scores: Sequence[BriefScore]) -> BriefScore:
    """The mean of one score at least; of quality and content over those that have it."""
    if len(scores) == 1:
        return scores[0]
    return BriefScore(
        expected=fmean(score.expected for score in scores),
        usable=fmean(score.usable for score in scores),
        quality=_mean(score.quality for score in scores),
        content=_mean(score.content for score in scores),
    )


def _cost(called: _Weighted, answered: float, usable: float, *, is_policy: bool) -> CellCosts:
    usd = called.total(lambda cell: cell.cost.est_cost_usd)
    unknown = called.count(lambda cell: cell.answered and cell.cost.est_cost_usd is None)
    if unknown:
        return (
            CellCosts(None, 0.0, None, None) if is_policy else CellCosts(usd, unknown, None, None)
        )
    return CellCosts(usd, unknown, _ratio(usd, answered), _ratio(usd, usable))


def _latency(called: _Weighted, answered: float, weights: CellWeights | None) -> Latency:
    latencies = [value for value, _ in called.values(lambda cell: cell.measured.latency_ms)]
    unknown = called.count(lambda cell: cell.answered and cell.measured.latency_ms is None)
    total = called.total(lambda cell: cell.measured.latency_ms if cell.answered else None)
    if weights is not None:
        latencies = list(weights.latencies_ms)
    return Latency(
        p50_ms=float(np.quantile(latencies, 0.5)) if latencies else None,
        p95_ms=float(np.quantile(latencies, 0.95)) if latencies else None,
        per_answer_ms=None if unknown else _ratio(total, answered),
    )


def _tokens(called: _Weighted) -> Tokens:
    cached = called.total(lambda cell: cell.measured.usage.cached_tokens)
    return Tokens(
        input=called.total(lambda cell: cell.measured.usage.input_tokens),
        output=called.total(lambda cell: cell.measured.usage.output_tokens),
        reasoning=called.total(lambda cell: cell.measured.usage.reasoning_tokens),
        cached_share=_ratio(cached, called.total(_input_with_cached) or 0.0),
    )


def _named(
    values_of: Callable[[ScoredCell], Mapping[Name, float]], name: Name, cell: ScoredCell
) -> float | None:
    return values_of(cell).get(name)


def _input_with_cached(cell: ScoredCell) -> float | None:
    usage = cell.measured.usage
    return None if usage.cached_tokens is None else usage.input_tokens


def _sample_sd(cells: Sequence[ScoredCell]) -> float | None:
    """Pooled over the briefs with two samples or more."""
    groups = group(cells, lambda cell: cell.brief_id).values()
    briefs = [_known(cell.expected_score for cell in samples) for samples in groups]
    repeated = [samples for samples in briefs if len(samples) > 1]
    if not repeated:
        return None
    squares = math.fsum(variance(samples) * (len(samples) - 1) for samples in repeated)
    return math.sqrt(squares / sum(len(samples) - 1 for samples in repeated))


def _ratio(part: float | None, whole: float) -> float | None:
    return None if part is None or not whole else part / whole


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _mean(values: Iterable[float | None]) -> float | None:
    known = _known(values)
    return fmean(known) if known else None
