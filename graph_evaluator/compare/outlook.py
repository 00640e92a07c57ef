"""The number of briefs or samples that would settle an open question, and the cheaper way. Pure."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import Literal

from scipy.special import ndtri, stdtrit

from graph_evaluator.analysis.paired_test import NumberName, PairedTest
from graph_evaluator.analysis.summary import group
from graph_evaluator.compare.pairs import Pair
from graph_evaluator.compare.verdict import ModelComparison
from graph_evaluator.records.scorecard import ScoredCell

POWER = 0.8
"""How often the proposed study finds a difference of the size looked for."""
MAX_TIMES = 64
"""No study of more than this many times the present briefs or samples is proposed."""
VALUES: dict[NumberName, Callable[[ScoredCell], float | None]] = {
    "form": lambda cell: cell.form if cell.answered else None,
    "content": lambda cell: cell.counted_content,
}
"""What an answer counts in each number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What finds a difference of `target` in a number with 80 % power, which is twice the smallest
    that matters: `more_briefs` with the present samples, or `more_samples` per cell on the present
    briefs.

    None: it is out of reach. What more samples do is known where every model has two samples
    (`sampling_known`).
    """

    number: NumberName
    target: float
    briefs: int
    samples: int
    more_briefs: int | None
    more_samples: int | None
    sampling_known: bool

    @property
    def cheaper(self) -> str | None:
        """Whether more briefs or more samples take fewer answers; None where one is not known."""
        if self.more_briefs is None or self.more_samples is None:
            return None
        fewer = self.more_briefs * self.samples <= self.briefs * self.more_samples
        return "briefs" if fewer else "samples"


def outlook_of(overall: ModelComparison, pairs: Sequence[Pair]) -> Outlook | None:
    """What would settle the question: of the number that takes fewer briefs, where both are open;
    None where nothing is.
    """
    if overall.judgement.verdict != "cannot tell":
        return None
    cells = overall.baseline.answered + overall.candidate.answered
    samples = max(1, round(cells / 2 / max(1, len(pairs))))
    outlooks = [
        _outlook(number, test, samples, pairs)
        for number, test in overall.judgement.tests.items()
        if test.change == "open" and test.min_difference
    ]
    return min(outlooks, key=lambda outlook: outlook.more_briefs or math.inf, default=None)


def _outlook(number: NumberName, test: PairedTest, samples: int, pairs: Sequence[Pair]) -> Outlook:
    """The variance of a brief's difference is that between briefs, and that of sampling over the
    number of samples.
    """
    briefs = test.difference.n
    low, high = test.difference.ends or (0.0, 0.0)
    quantile = float(stdtrit(briefs - 1, 0.5 + test.confidence / 2))
    total = briefs * ((high - low) / 2 / quantile) ** 2
    target = 2 * test.min_difference
    before = _sampling_variance(number, pairs, "baseline")
    after = _sampling_variance(number, pairs, "candidate")
    more_samples = None
    if before is not None and after is not None:
        sampling = before + after
        between = max(0.0, total - sampling)
        allowed = briefs * (target / (quantile + float(ndtri(POWER)))) ** 2 - between
        if allowed > 0 and sampling <= MAX_TIMES * allowed:
            more_samples = max(samples + 1, math.ceil(samples * sampling / allowed))
    return Outlook(
        number=number,
        target=target,
        briefs=briefs,
        samples=samples,
        more_briefs=_briefs_for(total, target, test.confidence, briefs),
        more_samples=more_samples,
        sampling_known=before is not None and after is not None,
    )


def _briefs_for(total: float, target: float, confidence: float, briefs: int) -> int | None:
    """The fewest briefs, more than there are, that find the target with the variance of a brief's
    difference.
    """
    for count in range(briefs + 1, MAX_TIMES * briefs + 1):
        quantiles = float(stdtrit(count - 1, 0.5 + confidence / 2)) + float(ndtri(POWER))
        if quantiles * math.sqrt(total / count) <= target:
            return count
    return None


def rerun_changes(overall: ModelComparison, pairs: Sequence[Pair]) -> dict[NumberName, float]:
    """What a rerun of the baseline alone changes each number by that decides, as a standard
    deviation of its mean; without a number for which a model has no two samples on a brief.
    """
    changes: dict[NumberName, float] = {}
    for number, test in overall.judgement.tests.items():
        of_brief = _sampling_variance(number, pairs, "baseline")
        if of_brief is not None:
            changes[number] = math.sqrt(2 * of_brief / test.difference.n)
    return changes


def _sampling_variance(
    number: NumberName, pairs: Sequence[Pair], side: Literal["baseline", "candidate"]
) -> float | None:
    """The variance by sampling of a brief's mean over models; None unless each model has two
    samples on a brief.
    """
    means = []
    for of_model in group(pairs, lambda pair: pair.model_id).values():
        samples = [map(VALUES[number], getattr(pair, side).cells) for pair in of_model]
        known = [[value for value in values if value is not None] for values in samples]
        variances = [variance(values) / len(values) for values in known if len(values) > 1]
        if not variances:
            return None
        means.append(fmean(variances))
    return sum(means) / len(means) ** 2 if means else None
