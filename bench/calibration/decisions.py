"""Which model is named, how often wrongly, and what that costs: the rule of `stages/report`, over models of known quality."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from bench.calibration.coverage import sides
from bench.calibration.populations import Scores
from stages.report.selection import Candidate, select


class Models(NamedTuple):
    """Models by the mean quality of their usable graphs and their failure rate; each costs ten times as much as the next."""

    about: str
    quality: tuple[float, ...]
    failing: tuple[float, ...]

    @property
    def truth(self) -> tuple[float, ...]:
        """The mean expected scores."""
        return tuple(
            quality * (1 - rate) for quality, rate in zip(self.quality, self.failing, strict=True)
        )


MODELS = (
    Models("three, 0.05 apart", (0.80, 0.75, 0.70), (0, 0, 0)),
    Models("three, 0.05 apart, all fail 6 %", (0.80, 0.75, 0.70), (0.06, 0.06, 0.06)),
    Models("two equal", (0.75, 0.75), (0, 0)),
    Models("two equal, both fail 12 %", (0.75, 0.75), (0.12, 0.12)),
    Models("two equal, one fails 6 % and makes up for it", (0.75 / 0.94, 0.75), (0.06, 0)),
    Models("four equal, all fail 6 %", (0.75,) * 4, (0.06,) * 4),
    Models("one 0.16 ahead of two, all fail 6 %", (0.86, 0.69, 0.69), (0.06, 0.06, 0.06)),
)


class Decided(NamedTuple):
    """Shares of the repetitions: each verdict; `false_leads`: not the best alone; `worse`: the named model is 0.02 worse or more.

    `regret` is how much worse the named model is than the best, in the mean.
    """

    leads: float
    not_worse: float
    undecided: float
    false_leads: float
    worse: float
    regret: float


def decided(models: Models, briefs: int, *, repetitions: int) -> Decided:
    """Draw the models' answers on so many briefs, a sample each, and name one, again and again."""
    generator = np.random.default_rng([briefs, *models.about.encode()])
    count, best = len(models.quality), max(models.truth)
    brief = generator.normal(0, 0.08, (repetitions, 1, briefs, 1))
    scores = (
        np.array(models.quality)[None, :, None, None]
        + brief
        + generator.normal(0, 0.06, (repetitions, count, briefs, 1))
    )
    fails = generator.random(scores.shape) < np.array(models.failing)[None, :, None, None]
    drawn = np.where(fails, np.nan, np.clip(scores, 0, 1))
    found = [select(_candidates(each), 0.95, 0.03) for each in drawn]
    losses = [
        best - models.truth[int(each.model_id[1:])] if each.model_id else best for each in found
    ]
    alone = models.truth.count(best) == 1
    return Decided(
        leads=_share(each.verdict == "leads" for each in found),
        not_worse=_share(each.verdict == "not_worse" for each in found),
        undecided=_share(each.verdict == "undecided" for each in found),
        false_leads=_share(
            each.verdict == "leads" and not (alone and loss < 1e-9)
            for each, loss in zip(found, losses, strict=True)
        ),
        worse=_share(loss >= 0.02 for loss in losses),
        regret=float(np.mean(losses)),
    )


def _candidates(scores: Scores) -> Sequence[Candidate]:
    return [
        Candidate(
            model_id=model,
            side=side,
            usd_per_usable=10.0**-index,
            latency_s=1.0,
            usd_per_brief=10.0**-index,
        )
        for index, (model, side) in enumerate(sides(scores).items())
    ]


def _share(found: Iterable[bool]) -> float:
    return float(np.mean(list(found)))
