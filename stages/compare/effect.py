"""The effect on expected scores, overall and for each model: the difference, its interval, the verdict and what would settle it."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtri

from stages.compare.pairing import Pair, Pairing, by_model
from stages.compare.verdict import Judgement, judge, least_briefs
from stages.contracts.params import CompareParams
from stages.statistics.error_rate import divided, step_down_parts
from stages.statistics.estimates import (
    Caveat,
    Difference,
    Side,
    brief_score,
    briefs_for,
    difference_of,
    quality_difference_of,
)
from stages.statistics.interval import Interval

POWER = 0.8
"""How often the study that an outlook proposes would find a difference of the size looked for."""
EXACT_UP_TO = 18
"""The number of differences up to which all patterns of signs are counted (2^18 = 262,144)."""
DRAWS = 19_999
"""The number of patterns that are drawn at random beyond that."""


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A two-sided p-value in 0..1, and whether it is exact or estimated from random patterns."""

    p: float
    exact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """The briefs in total, or the samples per cell, that would find a difference of `target` four times in five; None: none would.

    Without two samples in a cell their spread is unknown (not `sampling_known`), and with it `samples`. The standard error of the
    difference has two parts: `brief_error`, that only more briefs reduce, and `sample_error`, that more samples reduce too.
    """

    target: float
    briefs: int | None
    samples: int | None
    sampling_known: bool
    brief_error: float
    sample_error: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A difference over `briefs` that have a score on both sides, with its verdict; `test`, None without pairs, decides nothing."""

    briefs: int
    found: Difference
    test: SignFlip | None
    judgement: Judgement
    outlook: Outlook | None

    @property
    def interval(self) -> Interval | None:
        """The interval of the difference; None where nothing changed, or with fewer than two briefs."""
        low, high = self.found.low, self.found.high
        return (
            None
            if low is None or high is None or self.judgement.verdict == "unchanged"
            else Interval(low, high)
        )

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What limits a conclusion; none where there is no conclusion."""
        concluded = self.judgement.verdict in ("better", "worse", "no meaningful difference")
        return self.found.caveats if concluded else ()


def overall_effect(pairing: Pairing, params: CompareParams) -> Effect:
    """The effect on the mean over models, each over the briefs that it has on both sides."""
    asked = len({brief for _, brief in pairing.asked})
    found = paired_difference(pairing.pairs, level(params))
    return _effect(pairing.pairs, asked, params, found)


def model_effects(pairing: Pairing, params: CompareParams) -> dict[str, Effect]:
    """The effect on each model that both sides asked: intervals that share one error rate, by Holm's procedure."""
    asked = Counter(model for model, _ in pairing.asked)
    groups = by_model(pairing.pairs)
    pairs = {model: groups.get(model, ()) for model in sorted(asked)}
    enough = least_briefs(params.confidence)
    family = {
        model: partial(paired_difference, group)
        for model, group in pairs.items()
        if len(group) >= enough
    }
    judged = step_down_parts(family, level(params))
    return {
        model: _effect(
            group,
            asked[model],
            params,
            judged.get(model) or paired_difference(group, level(params)),
        )
        for model, group in pairs.items()
    }


def level(params: CompareParams) -> float:
    """The confidence of each interval: the planned looks share the error rate."""
    return divided(params.confidence, params.planned_looks)


def paired_difference(pairs: Iterable[Pair], confidence: float) -> Difference:
    """The difference over pairs, with its interval."""
    return difference_of(*_sides(pairs), confidence)


def _sides(pairs: Iterable[Pair]) -> tuple[dict[str, Side], dict[str, Side]]:
    groups = by_model(pairs).items()
    return (
        {
            model: {each.brief_id: brief_score(each.base_scores) for each in group}
            for model, group in groups
        },
        {
            model: {each.brief_id: brief_score(each.head_scores) for each in group}
            for model, group in groups
        },
    )


def _effect(pairs: Sequence[Pair], asked: int, params: CompareParams, found: Difference) -> Effect:
    briefs = len({each.brief_id for each in pairs})
    used = [group for model, group in by_model(pairs).items() if model in found.models]
    judgement = judge(
        found,
        briefs=briefs,
        asked=asked,
        same_answers=bool(pairs) and all(each.same_answers for each in pairs),
        min_difference=params.min_difference,
        confidence=params.confidence,
    )
    return Effect(
        briefs=briefs,
        found=found,
        test=sign_flip(_contributions(used), seed=params.seed) if used else None,
        judgement=judgement,
        outlook=_outlook(used, found, params) if judgement.verdict == "cannot tell" else None,
    )


def _contributions(models: Sequence[Sequence[Pair]]) -> list[float]:
    """What each brief contributes to the mean over models of their mean differences; they sum to it."""
    parts: defaultdict[str, float] = defaultdict(float)
    for pairs in models:
        for each in pairs:
            parts[each.brief_id] += each.difference / (len(pairs) * len(models))
    return list(parts.values())


def _outlook(
    models: Sequence[Sequence[Pair]], found: Difference, params: CompareParams
) -> Outlook | None:
    """What would settle which side's graphs are better; None without an interval or a difference to look for.

    An interval whose half width is at most `target z(1 - alpha/2) / (z(1 - alpha/2) + z(power))` finds the target. More samples reduce
    only the sampling part of the variance.
    """
    value, low, high = found.quality.value, found.quality.low, found.quality.high
    if value is None or low is None or high is None:
        return None
    target = max(abs(value), params.min_difference)
    if target <= 1e-12:
        return None
    quantile = float(ndtri(0.5 + level(params) / 2))
    half_width = target * quantile / (quantile + float(ndtri(POWER)))
    briefs = briefs_for(
        *_sides(each for pairs in models for each in pairs),
        half_width,
        level(params),
        quality_difference_of,
    )
    variance = ((high - low) / 2 / quantile) ** 2
    allowed = (half_width / quantile) ** 2
    noise = _sampling_variance(models)
    sampling = None if noise is None else min(variance, noise)
    between = variance - (sampling or 0.0)
    cells = [
        len(scores)
        for pairs in models
        for each in pairs
        for scores in (each.base_scores, each.head_scores)
    ]
    now = sum(cells) / len(cells)
    samples = None
    if sampling is not None and between < allowed:
        samples = max(math.floor(now) + 1, math.ceil(now * sampling / (allowed - between)))
    return Outlook(
        target=target,
        briefs=None if briefs is None else max(found.briefs + 1, briefs),
        samples=samples,
        sampling_known=sampling is not None,
        brief_error=math.sqrt(between),
        sample_error=None if sampling is None else math.sqrt(sampling),
    )


def _sampling_variance(models: Sequence[Sequence[Pair]]) -> float | None:
    """The part of the difference's variance that more samples would reduce; None where a model has no cell with two samples."""
    total = 0.0
    for pairs in models:
        squares, freedom = 0.0, 0
        for each in pairs:
            for scores, mean in ((each.base_scores, each.base), (each.head_scores, each.head)):
                squares += math.fsum(((score or 0.0) - mean) ** 2 for score in scores)
                freedom += len(scores) - 1
        if not freedom:
            return None
        each_sample = squares / freedom / (len(pairs) * len(models)) ** 2
        total += each_sample * math.fsum(
            1 / len(each.base_scores) + 1 / len(each.head_scores) for each in pairs
        )
    return total


def sign_flip(differences: Sequence[float], *, seed: int) -> SignFlip:
    """Test that the mean of paired differences is zero.

    If nothing changed, base and head could swap names in every brief, so every pattern of signs is equally likely: p is the
    share of patterns whose mean is at least as far from zero as the observed one. Zero differences are the same under any sign. Without
    differences, or with zeros only, p is 1. `seed` is that of the random patterns, where there are too many to count all.

    >>> sign_flip([0.1, 0.2, 0.3, 0.1, 0.2, 0.4], seed=1)
    SignFlip(p=0.03125, exact=True)
    """
    moved = np.array([value for value in differences if value != 0.0], dtype=np.float64)
    if not moved.size:
        return SignFlip(1.0, True)
    seen = abs(float(moved.sum())) - 1e-12 * float(
        np.abs(moved).sum()
    )  # sums that differ by rounding are ties
    if moved.size <= EXACT_UP_TO:
        sums = np.zeros(1)
        for value in moved[1:]:  # the first keeps its sign: its other half mirrors this one
            sums = np.concatenate([sums + value, sums - value])
        return SignFlip(float(np.mean(np.abs(sums + moved[0]) >= seen)), True)
    generator = np.random.default_rng(seed)
    extreme, left = 0, DRAWS
    while left:
        block = min(left, 2_000_000 // moved.size or 1)
        flipped = generator.integers(0, 2, size=(block, moved.size), dtype=np.int8).astype(
            np.float64
        )
        extreme += int(np.count_nonzero(np.abs(moved.sum() - 2 * (flipped @ moved)) >= seen))
        left -= block
    return SignFlip((extreme + 1) / (DRAWS + 1), False)
