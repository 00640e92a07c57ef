"""A contrast: one difference per brief, of one model or averaged over models, and how much of it sampling alone explains."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stages.compare.pairing import Pair, by_brief, by_model


@dataclass(frozen=True, slots=True)
class Contrast:
    """One brief's two means. `sampling_variance` is the part of the difference's variance that more samples would reduce.

    None where no cell has two samples, so that nothing is known of it. `samples` is the mean number of samples per cell.
    """

    brief_id: str
    base: float
    head: float
    samples: float
    sampling_variance: float | None

    @property
    def difference(self) -> float:
        """Head less base."""
        return self.head - self.base


def contrasts(pairs: Iterable[Pair]) -> tuple[Contrast, ...]:
    """One contrast per brief: the mean over the models that have the brief on both sides, models weighing the same."""
    every = tuple(pairs)
    spread = {model: _pooled_variance(group) for model, group in by_model(every).items()}
    return tuple(_contrast(brief, group, spread) for brief, group in by_brief(every).items())


def _contrast(brief_id: str, pairs: Sequence[Pair], spread: Mapping[str, float | None]) -> Contrast:
    count = len(pairs)
    parts = [_noise(each, spread[each.model_id]) for each in pairs]
    known = [part for part in parts if part is not None]
    return Contrast(
        brief_id,
        base=math.fsum(each.base for each in pairs) / count,
        head=math.fsum(each.head for each in pairs) / count,
        samples=sum(len(each.base_scores) + len(each.head_scores) for each in pairs) / (2 * count),
        sampling_variance=math.fsum(known) / count**2 if len(known) == count else None,
    )


def _noise(each: Pair, variance: float | None) -> float | None:
    if variance is None:
        return None
    return variance * (1 / len(each.base_scores) + 1 / len(each.head_scores))


def _pooled_variance(pairs: Iterable[Pair]) -> float | None:
    groups = [scores for each in pairs for scores in (each.base_scores, each.head_scores) if len(scores) > 1]
    freedom = sum(len(scores) - 1 for scores in groups)
    if not freedom:
        return None
    means = [math.fsum(scores) / len(scores) for scores in groups]
    squares = math.fsum((score - mean) ** 2 for scores, mean in zip(groups, means, strict=True) for score in scores)
    return squares / freedom
