"""The runs along a branch, each with its verdict against the one before, and the verdicts that change under today's rules."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stages.compare.comparison import Comparison, compare
from stages.compare.sides import Side
from stages.compare.verdict import Verdict
from stages.contracts.interval import Interval, mean_interval
from stages.contracts.params import CompareParams


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One run. `overall` is the mean expected score over briefs, `cost_usd` that of all its answers, as far as it is known.

    `verdict` is against the run before, by the scores shown; None for the first, and where the two were scored by different
    rules. `then` is the verdict by the scores as they were recorded, when these were scored again.
    """

    revision: str | None
    date: str | None
    run_id: str
    prompt: str
    briefs: int
    overall: float | None
    interval: Interval | None
    answered: int
    usable: int
    cost_usd: float | None
    verdict: Verdict | None
    difference: float | None
    then: Verdict | None = None

    @property
    def changed(self) -> bool:
        """True when today's rules give another verdict than the rules of that time did."""
        return self.then is not None and self.verdict is not None and self.then != self.verdict


def history(sides: Sequence[Side], params: CompareParams, *, recorded: Sequence[Side] = ()) -> tuple[Step, ...]:
    """The steps from one side to the next, the oldest first.

    Args:
        sides: The runs, the oldest first.
        params: How two of them are compared.
        recorded: The same runs as they were recorded, when `sides` were scored again.
    """
    steps = []
    for index, side in enumerate(sides):
        found = _compared(sides, index, params)
        then = _compared(recorded, index, params) if recorded else None
        steps.append(_step(side, found, then, params.confidence))
    return tuple(steps)


def distinct(sides: Sequence[Side]) -> tuple[int, ...]:
    """The indices of the sides that differ from the one before: a commit that changed no score is not a run."""
    return tuple(
        index
        for index, side in enumerate(sides)
        if index == 0
        or (side.run.run_id, side.scorecards) != (sides[index - 1].run.run_id, sides[index - 1].scorecards)
    )


def _compared(sides: Sequence[Side], index: int, params: CompareParams) -> Comparison | None:
    if index == 0 or len(sides[index - 1].rules | sides[index].rules) > 1:
        return None
    return compare(sides[index - 1], sides[index], params)


def _step(side: Side, found: Comparison | None, then: Comparison | None, confidence: float) -> Step:
    scores: dict[str, list[float]] = {}
    for card in side.scorecards:
        if card.expected_score is not None:
            scores.setdefault(card.brief_id, []).append(card.expected_score)
    means = [math.fsum(group) / len(group) for _, group in sorted(scores.items())]
    answered = [card for card in side.scorecards if card.answered]
    costs = [card.measured.est_cost_usd for card in answered if card.measured.est_cost_usd is not None]
    return Step(
        revision=side.revision,
        date=side.date,
        run_id=side.run.run_id,
        prompt=side.run.prompt.path,
        briefs=len(means),
        overall=math.fsum(means) / len(means) if means else None,
        interval=mean_interval(means, confidence),
        answered=len(answered),
        usable=sum(card.usable for card in answered),
        cost_usd=math.fsum(costs) if costs else None,
        verdict=found.verdict if found else None,
        difference=found.scores.found.value if found else None,
        then=then.verdict if then else None,
    )
