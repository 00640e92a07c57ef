"""The effect on expected scores, overall and for each model: difference, verdict, and what would
settle it.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

from scipy.special import ndtri

from stages.compare.pairing import Means, Pair, Pairing, by_model
from stages.compare.verdict import Judgement, Verdict, judge
from stages.contracts.params import CompareParams
from stages.statistics.claim import MIN_BRIEFS, caveats_of, read_interval
from stages.statistics.error_rate import divided, step_down_parts
from stages.statistics.estimates import (
    BriefScore,
    Difference,
    IntervalEstimate,
    brief_score,
    briefs_for,
    difference_of,
)

POWER = 0.8
"""How often the study that an outlook proposes would find a difference of the size looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What would find a difference of `target` four times in five: briefs in total, or samples per
    cell.

    None: none would. Without two samples in a cell their spread is unknown (not `sampling_known`),
    and with it `samples`. The standard error of the difference has two parts: `brief_error`, that
    only more briefs reduce, and `sample_error`, that more samples reduce too.
    """

    target: float
    briefs: int | None
    samples: int | None
    sampling_known: bool
    brief_error: float
    sample_error: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A difference with its verdict; it has no interval where nothing changed.

    `caveats` are sentences that limit a conclusion; none where there is no conclusion.
    """

    difference: Difference
    judgement: Judgement
    outlook: Outlook | None
    caveats: tuple[str, ...]


def overall_effect(pairing: Pairing, params: CompareParams) -> Effect:
    """The effect on the mean over models, each over the briefs that it has on both sides."""
    asked = len({brief for _, brief in pairing.asked})
    difference = paired_difference(pairing.pairs, level(params))
    return _effect(pairing.pairs, asked, params, difference)


def content_difference(pairing: Pairing, params: CompareParams) -> IntervalEstimate:
    """Head less base of the share of stated effects that usable graphs have right, over the briefs
    that have it on both sides.
    """
    return _difference(pairing.pairs, _content_of, level(params)).quality


def _content_of(means: Means) -> BriefScore | None:
    return None if means.content is None else brief_score([means.content])


def model_effects(pairing: Pairing, params: CompareParams) -> dict[str, Effect]:
    """The effect on each model that both sides asked.

    The intervals share one error rate, by Holm's procedure.
    """
    asked = Counter(model for model, _ in pairing.asked)
    groups = by_model(pairing.pairs)
    pairs = {model: groups.get(model, ()) for model in sorted(asked)}
    family = {
        model: partial(paired_difference, group)
        for model, group in pairs.items()
        if len(group) >= MIN_BRIEFS
    }
    differences = step_down_parts(family, level(params))
    effects = {}
    for model, group in pairs.items():
        difference = differences.get(model) or paired_difference(group, level(params))
        effects[model] = _effect(group, asked[model], params, difference)
    return effects


def level(params: CompareParams) -> float:
    """The confidence of each interval: the planned looks share the error rate."""
    return divided(params.confidence, params.planned_looks)


def paired_difference(pairs: Iterable[Pair], confidence: float) -> Difference:
    """The difference over pairs, with its interval."""
    return _difference(pairs, attrgetter("score"), confidence)


def _difference(
    pairs: Iterable[Pair], score_of: Callable[[Means], BriefScore | None], confidence: float
) -> Difference:
    base: defaultdict[str, dict[str, BriefScore]] = defaultdict(dict)
    head: defaultdict[str, dict[str, BriefScore]] = defaultdict(dict)
    for pair in pairs:
        for side, end in ((base, pair.base), (head, pair.head)):
            score = score_of(end.means)
            if score is not None:
                side[pair.model_id][pair.brief_id] = score
    return difference_of(base, head, confidence)


def judge_pairs(
    pairs: Sequence[Pair],
    difference: Difference,
    asked: int,
    *,
    min_difference: float,
    confidence: float,
) -> Judgement:
    """The verdict on pairs, of which `difference` is taken, over so many `asked` briefs."""
    return judge(
        difference,
        briefs=len({pair.brief_id for pair in pairs}),
        asked=asked,
        unchanged=bool(pairs) and all(pair.unchanged for pair in pairs),
        min_difference=min_difference,
        confidence=confidence,
    )


def _effect(
    pairs: Sequence[Pair], asked: int, params: CompareParams, difference: Difference
) -> Effect:
    used = [group for model, group in by_model(pairs).items() if model in difference.models]
    judgement = judge_pairs(
        pairs, difference, asked, min_difference=params.min_difference, confidence=params.confidence
    )
    quality = read_interval(difference.quality, params.min_difference)
    is_open = judgement.verdict == "cannot tell" and quality == "open"
    if judgement.verdict == "unchanged":
        quality_alone = replace(difference.quality, low=None, high=None)
        difference = replace(difference, low=None, high=None, quality=quality_alone)
    return Effect(
        difference=difference,
        judgement=judgement,
        outlook=_outlook(used, difference, params) if is_open else None,
        caveats=_caveats(judgement.verdict, difference),
    )


def _caveats(verdict: Verdict, difference: Difference) -> tuple[str, ...]:
    if verdict in ("better", "worse", "no meaningful difference"):
        return caveats_of(difference.n)
    if verdict in ("better where usable", "worse where usable"):
        return caveats_of(difference.quality.n, where_usable=True)
    return ()


def _outlook(
    models: Sequence[Sequence[Pair]], difference: Difference, params: CompareParams
) -> Outlook | None:
    """What would settle which side's graphs are better.

    None without an interval or a difference to look for. An interval whose half width is at most
    `target z(1 - alpha/2) / (z(1 - alpha/2) + z(power))` finds the target. More samples reduce only
    the sampling part of the variance.
    """
    quality = difference.quality
    if quality.value is None or quality.low is None or quality.high is None:
        return None
    target = max(abs(quality.value), params.min_difference)
    if target <= 1e-12:
        return None
    quantile = float(ndtri(0.5 + level(params) / 2))
    half_width = target * quantile / (quantile + float(ndtri(POWER)))
    pairs = [pair for group in models for pair in group]
    briefs = briefs_for(quality, half_width)
    variance = ((quality.high - quality.low) / 2 / quantile) ** 2
    allowed = (half_width / quantile) ** 2
    noise = _sampling_variance(models)
    sampling = None if noise is None else min(variance, noise)
    between = variance - (sampling or 0.0)
    samples = None
    if sampling is not None and between < allowed:
        samples = _more_samples(pairs, sampling / (allowed - between))
    return Outlook(
        target=target,
        briefs=None if briefs is None else max(difference.n + 1, briefs),
        samples=samples,
        sampling_known=sampling is not None,
        brief_error=math.sqrt(between),
        sample_error=None if sampling is None else math.sqrt(sampling),
    )


def _more_samples(pairs: Iterable[Pair], times: float) -> int:
    """So many times the present samples per cell, and one more at least."""
    samples = [len(end.scores) for pair in pairs for end in pair.ends]
    now = sum(samples) / len(samples)
    return max(math.floor(now) + 1, math.ceil(now * times))


def _sampling_variance(models: Sequence[Sequence[Pair]]) -> float | None:
    """The part of the difference's variance that more samples would reduce.

    None where a model has no cell with two samples, and for a policy.
    """
    total = 0.0
    for pairs in models:
        cells = [end for pair in pairs for end in pair.ends]
        freedom = sum(len(cell.scores) - 1 for cell in cells)
        if not freedom or not all(cell.scores for cell in cells):
            return None
        squares = math.fsum(
            ((score or 0.0) - cell.expected) ** 2 for cell in cells for score in cell.scores
        )
        of_means = math.fsum(1 / len(cell.scores) for cell in cells)
        total += squares / freedom * of_means / (len(pairs) * len(models)) ** 2
    return total
