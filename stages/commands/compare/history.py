"""The runs along a branch, each against the one before. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from stages.commands.compare.comparison import Comparison, compare
from stages.commands.compare.sides import ComparedSide
from stages.shared.analysis.paired_test import Verdict
from stages.shared.analysis.summary import summarise
from stages.shared.records.params import CompareParams
from stages.shared.records.record import Measurement
from stages.shared.records.response import Run
from stages.shared.shell import numbers

OTHER_SET = "*"
"""Marks a run of other models or briefs than the one before."""


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
