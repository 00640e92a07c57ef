"""What `settle` writes: comparisons in planned interim analyses, and how each ended."""

from typing import Literal

from graph_evaluator.records.record import NOT_MEASURED, Array, Measurement, Record

SettlementEnding = Literal["verdict", "plan", "budget", "failures"]


class SettlePlan(Record):
    """The question, and the interim analyses that are planned."""

    baseline: str
    candidate: str
    purpose: str
    """For which the ledger has the answers that were called."""
    confidence: float
    """Of the intervals of all interim analyses together."""
    min_difference: float
    planned: Array[int]
    """Samples per cell at each interim analysis."""


class InterimAnalysis(Record):
    """The rule of `compare` on a number of samples per cell; null: not measured."""

    samples: int
    cells: int
    unanswered: int
    """Cells that have no answer."""
    confidence: float
    """Of the interval at this analysis."""
    difference: Measurement
    """In form."""
    content: Measurement = NOT_MEASURED
    """In content; not measured: it was not looked at."""
    verdict: str
    """One of those of `graph_evaluator.compare`."""
    reason: str


class Settlement(Record):
    """A settlement so far, with the verdict so far; `ended` is null until it ends."""

    plan: SettlePlan
    analyses: Array[InterimAnalysis] = ()
    ended: SettlementEnding | None = None
    verdict: str
    reason: str
    calls: int
    """Answers that were called for, by all runs of the command, as usd."""
    usd: float
    commands: Array[str] = ()
    """Record the outcome, at no cost."""

    @property
    def stopped(self) -> bool:
        """Whether the cap or failures ended it."""
        return self.ended in ("budget", "failures")


class Settlements(Record):
    """The last settlement of each plan, the latest at the end."""

    settlements: Array[Settlement]

    def with_last(self, settlement: Settlement) -> "Settlements":
        """These, and one that replaces that of the same plan."""
        others = [other for other in self.settlements if other.plan != settlement.plan]
        return Settlements(settlements=(*others, settlement))
