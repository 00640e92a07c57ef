"""How often the best of several models is named for a mode."""

from dataclasses import dataclass, replace

import numpy as np

from bench.calibration.two_numbers import (
    PARAMS,
    Study,
    draw_contents,
    draw_failures,
    draw_forms,
)
from graph_evaluator.analysis.summary import BriefScore, CellCosts, Summary, summarise
from graph_evaluator.records.record import Measurement
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.report.selection import select

EMPTY = summarise([])


@dataclass(frozen=True, slots=True)
class Decided:
    """Shares of the repetitions that name the best model, call it leading, and drop it; and the mean
    number of models that remain.
    """

    named: float
    leads: float
    dropped: float
    remaining: float


def decide_models(study: Study, models: int, repetitions: int) -> Decided:
    """Draw the models' answers and name one; the last has the gains of the study over all others,
    and prices are in random order.
    """
    rng = np.random.default_rng([models, study.briefs, study.samples, *study.kind.encode()])
    shape = (repetitions, study.briefs, study.samples)
    forms = draw_forms(rng, study.kind, shape, study.gains[0], models)
    contents = draw_contents(rng, shape, study.gains[1], models)
    for number in range(models):
        failed = draw_failures(rng, shape, study.failing)
        for values in (forms, contents):
            values[number] = np.where(failed, 0.0, values[number])
    prices = rng.random((repetitions, models)).tolist()
    means = np.array([forms, contents]).mean(-1).transpose(2, 1, 3, 0).tolist()
    counts = np.zeros(4)
    for usd, scores in zip(prices, means, strict=True):
        candidates = [_candidate(str(place), usd[place], scores[place]) for place in range(models)]
        candidates.sort(key=lambda candidate: -(candidate.summary.form.value or 0.0))
        selection, best = select(candidates, PARAMS), str(models - 1)
        worse = {rival.model for rival in selection.rivals if rival.worse_in}
        is_named = selection.named is not None and selection.named.id == best
        leads = is_named and selection.verdict == "leads"
        counts += (is_named, leads, best in worse, models - len(worse))
    return Decided(*(counts / repetitions).tolist())


def _candidate(name: str, usd: float, scores: list[list[float]]) -> Candidate:
    """A candidate with the form and the content of each brief."""
    briefs = {
        str(place): BriefScore(form, 1.0, form, content)
        for place, (form, content) in enumerate(scores)
    }
    form = sum(score.form for score in briefs.values()) / len(briefs)
    summary: Summary = replace(
        EMPTY,
        briefs=briefs,
        form=Measurement(value=form, n=len(briefs)),
        content=Measurement(value=0.5, n=len(briefs)),
        cost=CellCosts(usd, 0, usd, usd),
    )
    return Candidate(id=name, name=name, config=None, rank=1, summary=summary, cells=())
