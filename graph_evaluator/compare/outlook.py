"""What would settle an open question: more briefs, or more samples, and which is cheaper. Pure."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import Literal, TypeAlias

from scipy.special import ndtri, stdtrit

from graph_evaluator.analysis.paired_test import PairedTest
from graph_evaluator.analysis.summary import group
from graph_evaluator.compare.pairs import Pair
from graph_evaluator.compare.verdict import ModelComparison, NumberName
from graph_evaluator.records.scorecard import ScoredCell

POWER = 0.8
"""How often the proposed study finds a difference of the size looked for."""
MAX_TIMES = 64
"""No study of more than this many times the present briefs or samples is proposed."""
ValueOf: TypeAlias = Callable[[ScoredCell], float | None]
VALUES: dict[NumberName, ValueOf] = {
    "form": lambda cell: cell.form if cell.answered else None,
    "content": lambda cell: cell.counted_content,
}
"""What an answer counts in each number."""


@dataclass(frozen=True, slots=True)
class Study:
    """A number of briefs and of samples per cell, and what they cost beyond those at hand, US
    dollars; None where that is not known.
    """

    briefs: int
    samples: int
    usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """The studies that would find a difference of `target` in a number with 80 % power. The target
    is twice the smallest difference that matters. `more_briefs` keeps the present samples,
    `more_samples` the present briefs.

    None: out of reach. The effect of more samples is known if every model has two samples
    (`sampling_known`).
    """

    number: NumberName
    target: float
    briefs: int
    more_briefs: Study | None
    more_samples: Study | None
    sampling_known: bool

    @property
    def cheaper(self) -> str | None:
        """Whether more briefs or more samples take fewer answers; None where one is not known."""
        if self.more_briefs is None or self.more_samples is None:
            return None
        answers = [study.briefs * study.samples for study in (self.more_briefs, self.more_samples)]
        return "briefs" if answers[0] <= answers[1] else "samples"


def outlook_of(overall: ModelComparison, pairs: Sequence[Pair]) -> Outlook | None:
    """What would settle the question: of the number that takes fewer briefs, where both are open;
    None where nothing is.
    """
    outlooks = [
        _outlook(number, test, overall, pairs)
        for number, test in overall.judgement.open_tests.items()
        if test.min_difference
    ]
    return min(outlooks, key=_needed_briefs, default=None)


def _needed_briefs(outlook: Outlook) -> float:
    return outlook.more_briefs.briefs if outlook.more_briefs else math.inf


def _outlook(
    number: NumberName, test: PairedTest, overall: ModelComparison, pairs: Sequence[Pair]
) -> Outlook:
    """The variance of a brief's difference is that between briefs, and that of sampling over the
    number of samples.
    """
    briefs = test.difference.n
    low, high = test.difference.ends or (0.0, 0.0)
    quantile = float(stdtrit(briefs - 1, 0.5 + test.confidence / 2))
    total = briefs * ((high - low) / 2 / quantile) ** 2
    target = 2 * test.min_difference
    cells = overall.baseline.answered + overall.candidate.answered
    samples = max(1, round(cells / 2 / len(pairs)))
    usd = _cost(overall)
    more_briefs = more_samples = None
    needed = _briefs_for(total, target, test.confidence, briefs)
    if needed is not None:
        added_usd = None if usd is None else usd * (needed / briefs - 1)
        more_briefs = Study(needed, samples, added_usd)
    sampling = _sampling_variance(VALUES[number], pairs)
    if sampling is not None:
        between = max(0.0, total - sampling)
        allowed = briefs * (target / (quantile + float(ndtri(POWER)))) ** 2 - between
        if allowed > 0 and sampling <= MAX_TIMES * allowed:
            wanted = max(samples + 1, math.ceil(samples * sampling / allowed))
            added_usd = None if usd is None else usd * (wanted / samples - 1)
            more_samples = Study(briefs, wanted, added_usd)
    return Outlook(
        number=number,
        target=target,
        briefs=briefs,
        more_briefs=more_briefs,
        more_samples=more_samples,
        sampling_known=sampling is not None,
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
    deviation of its mean; without a number for which no model has two samples on a brief.
    """
    changes: dict[NumberName, float] = {}
    for number, test in overall.judgement.tests.items():
        variance_of_brief = _side_variance(VALUES[number], _by_model(pairs, "baseline"))
        if variance_of_brief is not None:
            changes[number] = math.sqrt(2 * variance_of_brief / test.difference.n)
    return changes


def _sampling_variance(value_of: ValueOf, pairs: Sequence[Pair]) -> float | None:
    """The part of the variance of a brief's difference that more samples reduce; None without two
    samples of a model on some brief on both sides.
    """
    baseline = _side_variance(value_of, _by_model(pairs, "baseline"))
    candidate = _side_variance(value_of, _by_model(pairs, "candidate"))
    return None if baseline is None or candidate is None else baseline + candidate


def _by_model(
    pairs: Iterable[Pair], side: Literal["baseline", "candidate"]
) -> list[list[list[ScoredCell]]]:
    """The cells of one side, by model and brief."""
    models = group(pairs, lambda pair: pair.model_id).values()
    return [[getattr(pair, side).cells for pair in of_model] for of_model in models]


def _side_variance(
    value_of: ValueOf, models: Sequence[Sequence[Sequence[ScoredCell]]]
) -> float | None:
    """The sampling variance of a brief's mean over models."""
    variances = [_mean_variance(value_of, briefs) for briefs in models]
    known = [value for value in variances if value is not None]
    return sum(known) / len(models) ** 2 if known and len(known) == len(models) else None


def _mean_variance(value_of: ValueOf, cells: Iterable[Sequence[ScoredCell]]) -> float | None:
    """The variance of the mean over a brief's samples, of briefs with two at least."""
    variances = []
    for samples in cells:
        values = [value for value in map(value_of, samples) if value is not None]
        if len(values) > 1:
            variances.append(variance(values) / len(values))
    return fmean(variances) if variances else None


def _cost(overall: ModelComparison) -> float | None:
    """What the answers at hand cost, US dollars; None where one is not known."""
    costs = (overall.baseline.cost, overall.candidate.cost)
    if any(cost.usd is None or cost.unknown for cost in costs):
        return None
    return math.fsum(cost.usd or 0.0 for cost in costs)
