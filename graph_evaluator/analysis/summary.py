"""Aggregates of scored cells: counts, means with intervals, cost, latency. Pure.

The brief is the unit of every interval: samples of one brief say nothing about other briefs.
Several models are averaged on each brief first, so that what they have in common on a brief is part
of the spread over briefs.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from statistics import fmean
from typing import TypeVar

import numpy as np

from graph_evaluator.analysis.choices import OptionReader, count_agreement
from graph_evaluator.analysis.interval import mean_interval, mean_share, usable_mean
from graph_evaluator.records.record import Measurement
from graph_evaluator.records.scorecard import DIMENSIONS, Dimension, Outcome, ScoredCell

ModelAndBrief = tuple[str, str]
"""Model id and brief id."""
MEASURED_TO_COVER = 0.9
CEILING = 0.995
"""The form from which a graph has no room to be better."""
CEILING_SHARE = 0.8
"""Form separates nothing where at least this share of the graphs is at the ceiling."""
Grouped = TypeVar("Grouped")
GroupKey = TypeVar("GroupKey", str, tuple[str, str])


@dataclass(frozen=True, slots=True)
class BriefScore:
    """One model, or several on average, on one brief; all 0 to 1.

    `form` is the mean over its answers, one without a usable graph counting 0; `usable` is the
    share with a usable graph, and `form_of_usable` the mean over those, None without any. `content`
    is the mean over its answers, one without a usable graph counting 0 and one whose content is not
    measured left out; None where `content_coverage` leaves the brief out. `same_choice` is the
    share of pairs of its answers that recommend the same option, None without a pair, and
    `not_compared` the number of pairs whose options do not pair. `rerun_form` and `rerun_content`
    are what two of its answers differ by, None below two.
    """

    form: float
    usable: float
    form_of_usable: float | None
    content: float | None = None
    same_choice: float | None = None
    not_compared: int = 0
    rerun_form: float | None = None
    rerun_content: float | None = None


@dataclass(frozen=True, slots=True)
class CellCosts:
    """US dollars: the sum of what is known, and the number of answers whose cost is not; the means
    of an answer and of a usable graph, None where a cost is unknown or nothing is there.
    """

    usd: float | None
    unknown: int
    per_answer: float | None
    per_usable: float | None


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds: percentiles, linear between ranks, and the mean of an answer, None where that
    of one is not measured.
    """

    p50_ms: float | None
    p95_ms: float | None
    per_answer_ms: float | None

    @property
    def p50_s(self) -> float | None:
        """The median in seconds."""
        return _ratio(self.p50_ms, 1000)

    @property
    def p95_s(self) -> float | None:
        """The 95th percentile in seconds."""
        return _ratio(self.p95_ms, 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Aggregates of cells; None: not measured.

    * outcomes: the cells by their outcome in one word; `usable` has the unchecked ones too
    * asked_briefs, briefs: how many were asked; the scores of those with an answer, by id
    * form, form_of_usable, usable_rate, content: means over `briefs`, with intervals
    * content_unmeasured: usable graphs without a measured content, of briefs that state effects
    * cell_expected, cell_overall, dimensions, sub_scores (by DIMENSION.NAME): means over the n
      cells that have them, without intervals; all but the first over valid graphs
    * rerun_form, rerun_content: what two answers of one model to one brief differ by, the mean over
      n briefs with two answers, several models averaged on each
    * same_choice: the mean over the n briefs with two answers at least of the share of pairs that
      recommend the same option; not_compared: pairs whose options do not pair
    * right_choice: the share of the n usable graphs that recommend the best option, of briefs that
      state it; invented_share: the mean over the n usable graphs of exact names; no intervals
    * cached_share: of the input tokens, by the prompt cache
    * certainty: of the n usable graphs that recommend an option, without an interval; status_quo:
      how many have it as the best, last or another option
    """

    cells: int
    answered: int
    usable: int
    outcomes: Counter[Outcome]
    simulated: bool
    asked_briefs: int
    briefs: Mapping[str, BriefScore]
    form: Measurement
    form_of_usable: Measurement
    usable_rate: Measurement
    content: Measurement
    content_unmeasured: int
    cell_expected: Measurement
    cell_overall: Measurement
    dimensions: Mapping[Dimension, Measurement]
    sub_scores: Mapping[str, Measurement]
    rerun_form: Measurement
    rerun_content: Measurement
    same_choice: Measurement
    not_compared: int
    right_choice: Measurement
    invented_share: Measurement
    certainty: Measurement
    status_quo: Mapping[str, int]
    cost: CellCosts
    latency: Latency
    cached_share: float | None

    @property
    def unanswered(self) -> int:
        """The cells without an answer."""
        return self.cells - self.answered

    @property
    def is_unanswered(self) -> bool:
        """Whether there are cells, and none has an answer: then nothing is known of its graphs."""
        return self.cells > 0 and not self.answered

    @property
    def usable_share(self) -> float | None:
        """Of all cells, 0 to 1."""
        return _ratio(self.usable, self.cells)

    @property
    def price(self) -> tuple[float, float]:
        """What models are sorted by: the cost of a usable graph, then the median latency; what is
        unknown is infinite.
        """
        usd, latency = self.cost.per_usable, self.latency.p50_ms
        return math.inf if usd is None else usd, math.inf if latency is None else latency


def summarise(
    cells: Sequence[ScoredCell],
    *,
    confidence: float = 0.95,
    covered: Collection[ModelAndBrief] | None = None,
) -> Summary:
    """The summary of cells, with intervals at `confidence`. `covered` is what `content_coverage`
    says of all cells of their models, where these are a part of them.

    >>> summarise([]).form.n
    0
    """
    if covered is None:
        covered = content_coverage(cells)
    briefs = _brief_scores(cells, covered)
    scores = briefs.values()
    usable = [score.usable for score in scores]
    with_content = [score for score in scores if score.content is not None]
    usable_cells = [cell for cell in cells if cell.usable]
    recommendations = [cell.recommendation for cell in usable_cells if cell.recommendation]
    return Summary(
        cells=len(cells),
        answered=sum(cell.answered for cell in cells),
        usable=len(usable_cells),
        outcomes=Counter(cell.outcome for cell in cells),
        simulated=any(cell.cost.simulated for cell in cells),
        asked_briefs=len({cell.brief_id for cell in cells}),
        briefs=briefs,
        form=usable_mean([score.form for score in scores], usable, confidence),
        form_of_usable=mean_interval(_known(score.form_of_usable for score in scores), confidence),
        usable_rate=mean_share(usable, confidence),
        content=usable_mean(
            [score.content or 0.0 for score in with_content],
            [score.usable for score in with_content],
            confidence,
        ),
        content_unmeasured=sum(cell.content_is_unmeasured for cell in cells),
        cell_expected=_mean_over(cell.expected_score for cell in cells),
        cell_overall=_mean_over(cell.overall_score for cell in cells),
        dimensions={
            name: _mean_over(cell.dimensions.get(name) for cell in cells) for name in DIMENSIONS
        },
        sub_scores=means_by_name(cell.sub_score_values for cell in cells),
        rerun_form=_mean_over(score.rerun_form for score in scores),
        rerun_content=_mean_over(score.rerun_content for score in scores),
        same_choice=mean_share(_known(score.same_choice for score in scores), confidence),
        not_compared=sum(score.not_compared for score in scores),
        right_choice=_mean_over(cell.right_choice for cell in usable_cells),
        invented_share=_mean_over(cell.invented_share for cell in usable_cells),
        certainty=_mean_over(given.certainty for given in recommendations),
        status_quo=Counter(
            given.status_quo_rank for given in recommendations if given.status_quo_rank
        ),
        cost=_cost(cells),
        latency=_latency(cells),
        cached_share=_cached_share(cells),
    )


def count_top(forms: Iterable[float]) -> int:
    """How many forms leave no room to be better."""
    return sum(form >= CEILING for form in forms)


def are_at_ceiling(forms: Sequence[float]) -> bool:
    """Whether enough of the forms are at the top, of at least one, that form separates nothing."""
    return bool(forms) and count_top(forms) >= CEILING_SHARE * len(forms)


def group(
    values: Iterable[Grouped], key: Callable[[Grouped], GroupKey]
) -> dict[GroupKey, list[Grouped]]:
    """The values by key, the keys sorted, the values of a key in their order."""
    return {name: list(same) for name, same in groupby(sorted(values, key=key), key=key)}


def content_coverage(cells: Iterable[ScoredCell]) -> frozenset[ModelAndBrief]:
    """Each model with the briefs that its mean content covers, by its own cells alone: those with
    exact names, and the others that state effects if nine tenths of its usable graphs there have a
    measured content.
    """
    covered: set[ModelAndBrief] = set()
    stating = [cell for cell in cells if cell.states_effects]
    for of_model in group(stating, lambda cell: cell.model_id).values():
        uncertain = [cell for cell in of_model if cell.usable and not cell.exact_names]
        measured = sum(cell.content is not None for cell in uncertain)
        is_measured = measured >= MEASURED_TO_COVER * len(uncertain)
        covered.update(
            (cell.model_id, cell.brief_id) for cell in of_model if cell.exact_names or is_measured
        )
    return frozenset(covered)


def _brief_scores(
    cells: Iterable[ScoredCell], covered: Collection[ModelAndBrief]
) -> dict[str, BriefScore]:
    """The scores of the briefs with an answer; several models are averaged."""
    answered = [cell for cell in cells if cell.answered]
    briefs = {}
    for brief, of_brief in group(answered, lambda cell: cell.brief_id).items():
        models = group(of_brief, lambda cell: cell.model_id).values()
        briefs[brief] = average([score_brief(of_model, covered) for of_model in models])
    return briefs


def score_brief(answers: Sequence[ScoredCell], covered: Collection[ModelAndBrief]) -> BriefScore:
    """The score of one model on one brief, with at least one answer."""
    agreement = count_agreement(combinations(OptionReader().read(answers), 2))
    is_covered = (answers[0].model_id, answers[0].brief_id) in covered
    forms = [cell.form for cell in answers]
    contents = [cell.counted_content for cell in answers]
    return BriefScore(
        form=fmean(forms),
        usable=fmean(cell.usable for cell in answers),
        form_of_usable=mean_of_known(cell.form for cell in answers if cell.usable),
        content=mean_of_known(contents) if is_covered else None,
        same_choice=agreement.share,
        not_compared=agreement.not_compared,
        rerun_form=_mean_difference(forms),
        rerun_content=_mean_difference(contents),
    )


def average(scores: Sequence[BriefScore]) -> BriefScore:
    """The mean of one score at least; of what may be missing over those that have it."""
    return BriefScore(
        form=fmean(score.form for score in scores),
        usable=fmean(score.usable for score in scores),
        form_of_usable=mean_of_known(score.form_of_usable for score in scores),
        content=mean_of_known(score.content for score in scores),
        same_choice=mean_of_known(score.same_choice for score in scores),
        not_compared=sum(score.not_compared for score in scores),
        rerun_form=mean_of_known(score.rerun_form for score in scores),
        rerun_content=mean_of_known(score.rerun_content for score in scores),
    )


def _cost(cells: Sequence[ScoredCell]) -> CellCosts:
    answered = [cell for cell in cells if cell.answered]
    usd = _total(cell.cost.est_cost_usd for cell in cells)
    unknown = sum(cell.cost.est_cost_usd is None for cell in answered)
    known = None if unknown else usd
    usable = sum(cell.usable for cell in cells)
    return CellCosts(usd, unknown, _ratio(known, len(answered)), _ratio(known, usable))


def _latency(cells: Sequence[ScoredCell]) -> Latency:
    latencies = _known(cell.measured.latency_ms for cell in cells)
    of_answers = [cell.measured.latency_ms for cell in cells if cell.answered]
    p50, p95 = np.quantile(latencies, (0.5, 0.95)).tolist() if latencies else (None, None)
    return Latency(p50, p95, None if None in of_answers else mean_of_known(of_answers))


def _cached_share(cells: Sequence[ScoredCell]) -> float | None:
    """The share of the input that came from the prompt cache, over the cells that report both."""
    usages = [cell.measured.usage for cell in cells]
    inputs = [usage.input_tokens for usage in usages if usage.cached_tokens is not None]
    return _ratio(_total(usage.cached_tokens for usage in usages), _total(inputs) or 0)


def means_by_name(values: Iterable[Mapping[str, float | None]]) -> dict[str, Measurement]:
    """The mean of each named value that is measured, in the order in which the names occur."""
    by_name: defaultdict[str, list[float | None]] = defaultdict(list)
    for named in values:
        for name, value in named.items():
            by_name[name].append(value)
    return {name: _mean_over(of_name) for name, of_name in by_name.items()}


def _mean_over(values: Iterable[float | None]) -> Measurement:
    """The mean of the n values that are measured."""
    known = _known(values)
    return Measurement(value=mean_of_known(known), n=len(known))


def _mean_difference(values: Iterable[float | None]) -> float | None:
    """The mean difference between each two of the values that are known; None below two."""
    return mean_of_known(abs(one - other) for one, other in combinations(_known(values), 2))


def _ratio(part: float | None, whole: float) -> float | None:
    return None if part is None or not whole else part / whole


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _total(values: Iterable[float | None]) -> float | None:
    """The sum of the values that are measured; None where none is."""
    known = _known(values)
    return math.fsum(known) if known else None


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are measured; None where none is."""
    known = _known(values)
    return fmean(known) if known else None
