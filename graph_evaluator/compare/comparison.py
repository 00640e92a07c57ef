"""A comparison of two sides: the verdict first, then everything that it rests on, and what would
settle an open question; and of the runs along a branch, each with the one before. Pure.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from scipy.special import ndtri

from graph_evaluator.analysis.interval import briefs_for
from graph_evaluator.analysis.paired_test import Verdict
from graph_evaluator.analysis.summary import summarise
from graph_evaluator.compare.pairs import Pair, Pairing, pair
from graph_evaluator.compare.sides import ComparedSide, recorded_alike
from graph_evaluator.compare.verdict import ModelComparison, judge_models, judge_overall
from graph_evaluator.records.params import CompareParams
from graph_evaluator.records.record import Measurement
from graph_evaluator.records.response import Run
from graph_evaluator.shell import numbers

POWER = 0.8
"""How often the study that an outlook proposes would find a difference of the size looked for."""
OTHER_SET = "*"
"""Marks a run of other models or briefs than the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What would find a difference of `target` in a number four times in five: `briefs` in total,
    or `samples` per cell, and what they cost beyond those at hand, US dollars.

    None: none would, or, of dollars, not known. The effect of more samples is known of the score
    alone, where every model has cells with two (`sampling_known`).
    """

    number: Literal["score", "content"]
    target: float
    briefs: int | None
    briefs_usd: float | None
    samples: int | None
    samples_usd: float | None
    sampling_known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sides compared; `overall` is over all models. `outlook` says what would settle an open
    question.
    """

    baseline: ComparedSide
    candidate: ComparedSide
    overall: ModelComparison
    outlook: Outlook | None
    models: tuple[ModelComparison, ...]
    pairing: Pairing
    settings: CompareParams

    @property
    def verdict(self) -> Verdict:
        """That over all models."""
        return self.overall.judgement.verdict

    @property
    def reason(self) -> str:
        """Why it has its verdict, as a part of a sentence."""
        return self.overall.judgement.reason

    @property
    def rows(self) -> list[ModelComparison]:
        """All models together, then each; one model alone has one row."""
        return [*self.models] if len(self.models) == 1 else [self.overall, *self.models]

    @property
    def moved(self) -> list[Pair]:
        """The pairs that moved, the largest change of score first; equal ones by brief and
        model.
        """
        moved = [pair for pair in self.pairing.pairs if pair.moved]
        return sorted(moved, key=lambda pair: (-abs(pair.difference), pair.brief_id, pair.model_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """Why two sides, by their names, could not be compared.

    `not_run`: inputs of the working tree were changed and not run since.
    """

    baseline: str
    candidate: str
    reasons: tuple[str, ...]
    not_run: bool = False
    verdict: Verdict = "could not measure"

    @property
    def reason(self) -> str:
        """All reasons in one sentence."""
        return "; ".join(self.reasons)


def compare(baseline: ComparedSide, candidate: ComparedSide, params: CompareParams) -> Comparison:
    """Judge the candidate against the baseline, brief by brief, by the expected score and the
    content over all models that both sides have, but for `recorded_alike`.

    Raises:
        ValueError: the sides were scored by different rules; the caller scores the answers again
        first.
    """
    if len(baseline.rules | candidate.rules) > 1:
        raise ValueError("scores made by different rules cannot be compared")
    left_out = recorded_alike(baseline, candidate)
    pairing = pair(
        [cell for cell in baseline.cells if cell.model_id not in left_out],
        [cell for cell in candidate.cells if cell.model_id not in left_out],
        paired_as=candidate.model,
    )
    overall, models = judge_overall(pairing, params), judge_models(pairing, params)
    return Comparison(
        baseline=baseline,
        candidate=candidate,
        overall=overall,
        outlook=outlook_of(overall, models),
        models=models,
        pairing=pairing,
        settings=params,
    )


def outlook_of(overall: ModelComparison, models: Sequence[ModelComparison]) -> Outlook | None:
    """What would settle an open question; None where nothing is open.

    An interval whose half width is at most `target z(1 - alpha/2) / (z(1 - alpha/2) + z(power))`
    finds the target, which is the difference at hand or the least that matters. More samples reduce
    only the sampling part of the variance.
    """
    test = overall.judgement.open_test
    if test is None or test.difference.ends is None:
        return None
    difference, (low, high) = test.difference, test.difference.ends
    target = max(abs(difference.value or 0.0), test.min_difference)
    if target <= 0:
        return None
    is_score = test is overall.judgement.score
    quantile = float(ndtri(0.5 + test.confidence / 2))
    half_width = target * quantile / (quantile + float(ndtri(POWER)))
    briefs = briefs_for(difference, half_width)
    briefs = None if briefs is None else max(difference.n + 1, briefs)
    sampling = _sampling_variance(models) if is_score else None
    answers = overall.baseline.answered + overall.candidate.answered
    samples_now = answers / (2 * difference.n * len(models))
    samples = None
    if sampling is not None:
        variance = ((high - low) / 2 / quantile) ** 2
        between = max(0.0, variance - sampling)
        allowed = (half_width / quantile) ** 2
        if between < allowed:
            times = (variance - between) / (allowed - between)
            samples = max(math.floor(samples_now) + 1, math.ceil(samples_now * times))
    costs = (overall.baseline.cost, overall.candidate.cost)
    usd = None
    if not any(cost.usd is None or cost.unknown for cost in costs):
        usd = math.fsum(cost.usd or 0.0 for cost in costs)
    return Outlook(
        number="score" if is_score else "content",
        target=target,
        briefs=briefs,
        briefs_usd=_added(usd, briefs, difference.n),
        samples=samples,
        samples_usd=_added(usd, samples, samples_now),
        sampling_known=sampling is not None,
    )


def _added(usd: float | None, wanted: int | None, now: float) -> float | None:
    """What the briefs or samples beyond those at hand cost, if these cost so much."""
    return None if usd is None or wanted is None else usd * (wanted / now - 1)


def _sampling_variance(models: Sequence[ModelComparison]) -> float | None:
    """The part of the difference's variance that more samples would reduce; None where a model has
    no cell with two samples on a side.
    """
    total = 0.0
    for model in models:
        for side in (model.baseline, model.candidate):
            if side.sample_sd is None:
                return None
            total += side.sample_sd**2 / side.answered / len(models) ** 2
    return total


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One run.

    `score` is the mean expected score over its models, `cost_usd` the cost of all its answers, as
    far as it is known. `verdict` and `difference` are against the run before, by what both have;
    None for the first, and where the rules differ. `other_set` names models and briefs that only
    one of the two has; empty where they have the same.
    """

    revision: str | None
    date: str | None
    run_id: str
    prompt: str
    score: Measurement
    usable_share: float | None
    cost_usd: float | None
    simulated: bool
    verdict: Verdict | None
    difference: float | None
    other_set: str = ""

    @property
    def commit(self) -> str:
        """The first digits of its commit."""
        return self.revision[:7] if self.revision else "workspace"

    @property
    def mark(self) -> str:
        """Of a run of other models or briefs than the one before; empty for none."""
        return OTHER_SET if self.other_set else ""


def distinct(sides: Iterable[ComparedSide]) -> list[ComparedSide]:
    """The sides that differ from the one before: a commit that changed no score is not a run."""
    groups = groupby(sides, key=lambda side: (side.run.run_id, side.cells))
    return [next(same) for _, same in groups]


def history(sides: Sequence[ComparedSide], params: CompareParams) -> list[Step]:
    """The steps from one side to the next, the oldest first."""
    pairs = zip((None, *sides), sides, strict=False)
    return [_step(before, side, params) for before, side in pairs]


def _step(before: ComparedSide | None, side: ComparedSide, params: CompareParams) -> Step:
    comparison: Comparison | None = None
    if before is not None and len(before.rules | side.rules) <= 1:
        comparison = compare(before, side, params)
    summary = summarise(
        [cell for cell in side.cells if cell.answered], confidence=params.confidence
    )
    return Step(
        revision=side.revision,
        date=side.date,
        run_id=side.run.run_id,
        prompt=side.run.prompt.path,
        score=summary.expected,
        usable_share=summary.usable_share,
        cost_usd=summary.cost.usd,
        simulated=summary.simulated,
        verdict=comparison.verdict if comparison else None,
        difference=comparison.overall.judgement.score.difference.value if comparison else None,
        other_set=_other_set(before.run, side.run) if before else "",
    )


def _other_set(before: Run, after: Run) -> str:
    """The models and briefs that only one of two runs has."""
    models = sorted(before.models.keys() ^ after.models.keys())
    briefs = sorted(before.briefs.keys() ^ after.briefs.keys())
    return numbers.first_of([*models, *briefs])
