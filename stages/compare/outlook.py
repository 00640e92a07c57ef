"""What it would take: how many more briefs or samples would settle a comparison that cannot tell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import ndtri

from stages.compare.contrast import Contrast

POWER = 0.8
"""How often the study that is proposed would find a difference of the size looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """The briefs in all, or the samples per cell, that would show a difference of `target` four times in five.

    `samples` is None when more samples alone cannot do it (`sampling_known`), or when nothing is known of the spread between
    samples, for want of cells with two of them (not `sampling_known`). `brief_sd` is the standard deviation of the differences
    between briefs, sampling taken off where it is known; `sample_sd` the part of it that sampling makes up.
    """

    target: float
    briefs: int
    samples: int | None
    sampling_known: bool
    brief_sd: float
    sample_sd: float | None


def outlook(contrasts: Sequence[Contrast], *, min_difference: float, alpha: float) -> Outlook | None:
    """What would settle the comparison, from the variance that was observed.

    The difference looked for is the one that was seen, or `min_difference` where that is greater. With s the standard deviation
    of the differences over briefs, `n = ((z(1 - alpha/2) + z(power)) s / target)^2` briefs find it. More samples take the
    variance down to the part that lies between briefs, and no further.

    Args:
        contrasts: One per brief.
        min_difference: The smallest difference that matters.
        alpha: The error rate of the one test, after any correction for several.

    Returns:
        None with fewer than two briefs, without any spread, or without a difference to look for.
    """
    count = len(contrasts)
    if count < 2:
        return None
    mean = math.fsum(each.difference for each in contrasts) / count
    variance = math.fsum((each.difference - mean) ** 2 for each in contrasts) / (count - 1)
    target = max(abs(mean), min_difference)
    if variance <= 1e-24 or target <= 1e-12:
        return None
    reach = float(ndtri(1 - alpha / 2) + ndtri(POWER)) / target
    known = [each.sampling_variance for each in contrasts if each.sampling_variance is not None]
    sampling = min(variance, math.fsum(known) / count) if len(known) == count else None
    return Outlook(
        target=target,
        briefs=max(count + 1, math.ceil(variance * reach**2)),
        samples=None if sampling is None else _samples(contrasts, variance, sampling, count / reach**2),
        sampling_known=sampling is not None,
        brief_sd=math.sqrt(variance - (sampling or 0.0)),
        sample_sd=None if sampling is None else math.sqrt(sampling),
    )


def _samples(contrasts: Sequence[Contrast], variance: float, sampling: float, allowed: float) -> int | None:
    between = variance - sampling
    if between >= allowed:
        return None
    now = math.fsum(each.samples for each in contrasts) / len(contrasts)
    return max(math.floor(now) + 1, math.ceil(now * sampling / (allowed - between)))
