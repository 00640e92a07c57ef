"""Expected scores, shares of usable graphs and quality of one side. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

from stages.shared.analysis.interval import mean_interval, mean_share
from stages.shared.analysis.summary import BriefScore, average
from stages.shared.records.measurement import NOT_MEASURED, Measurement

Scores: TypeAlias = Sequence[float | None]
"""The answers of one model to one brief: the score of a usable graph, None without one."""
Side: TypeAlias = Mapping[str, BriefScore]
"""Brief id to score, of one model: the briefs that have an answer."""


class ScoreEstimate(Measurement):
    """An expected score over `n` briefs, with its two parts."""

    usable: Measurement = NOT_MEASURED
    quality: Measurement = NOT_MEASURED


def brief_score(scores: Scores) -> BriefScore:
    """The score of a brief from its answers, one at least.

    >>> brief_score([0.8, None])
    BriefScore(expected=0.4, usable=0.5, quality=0.8, content=None)
    """
    graphs = [score for score in scores if score is not None]
    quality = fmean(graphs) if graphs else None
    return BriefScore(sum(graphs) / len(scores), len(graphs) / len(scores), quality)


def side_of(answers: Mapping[str, Scores]) -> dict[str, BriefScore]:
    """The scores of the briefs that were answered."""
    return {brief: brief_score(scores) for brief, scores in answers.items() if scores}


def score_of(side: Side, confidence: float = 0.95) -> ScoreEstimate:
    """The mean expected score of one model: `mean_score_of` of one model."""
    return mean_score_of({"": side}, confidence)


def mean_score_of(models: Mapping[str, Side], confidence: float = 0.95) -> ScoreEstimate:
    """The mean score over models on each brief, then over briefs; intervals need two briefs."""
    briefs: defaultdict[str, list[BriefScore]] = defaultdict(list)
    for side in models.values():
        for brief, score in side.items():
            briefs[brief].append(score)
    scores = [average(briefs[brief]) for brief in sorted(briefs)]
    expected = mean_interval([score.expected for score in scores], confidence)
    qualities = [score.quality for score in scores if score.quality is not None]
    return ScoreEstimate(
        value=expected.value,
        low=expected.low,
        high=expected.high,
        n=expected.n,
        usable=mean_share([score.usable for score in scores], confidence),
        quality=mean_interval(qualities, confidence),
    )
