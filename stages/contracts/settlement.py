"""`results/settle.json`: a comparison in planned looks, its design, the looks that were taken, and
how it ended.
"""

from typing import Literal

from stages.contracts.record import Array, Record

SettlementEnding = Literal["verdict", "briefs", "looks", "budget", "failures"]


class PlannedLook(Record):
    """One look before it is taken."""

    samples: int
    """Answers of each cell so far."""


class SettleDesign(Record):
    """The question and the looks at it. A settlement goes on while they are equal.

    `base_run` and `head_run` are the ids of the runs that the last look amounts to: hashes of
    prompt, models, briefs and settings.
    """

    base: str
    head: str
    base_prompt: str
    """SHA-256 of the prompt's text, as head_prompt."""
    head_prompt: str
    base_run: str
    head_run: str
    models: int
    briefs: int
    confidence: float
    """Of the intervals of all looks together."""
    margin: float
    """The smallest difference that matters."""
    looks: Array[PlannedLook]

    def same_sides(self, other: "SettleDesign") -> bool:
        """Whether both compare the same two prompts or models, in whatever order, looks and
        briefs.
        """
        return self._sides() == other._sides()

    def _sides(self) -> set[tuple[str, str]]:
        return {(self.base, self.base_prompt), (self.head, self.head_prompt)}


class TakenLook(Record):
    """One look that was taken. The intervals are those by which it was judged; null: not
    measured.
    """

    samples: int
    cells: int
    answers: int
    confidence: float | None = None
    """Of the intervals at this look."""
    value: float | None
    """Difference of expected scores, as low and high."""
    low: float | None
    high: float | None
    briefs: int
    verdict: str
    """One of those of `stages.compare`."""
    reason: str
    chance_left: float | None
    """Chance of a verdict at the last look, given this; null: unknown."""


class Settlement(Record):
    """A settlement so far. `calls` and `usd` were made since the first start of this design;
    `ended` is null until it ends.
    """

    design: SettleDesign
    looks: Array[TakenLook] = ()
    verdict: str | None = None
    reason: str | None = None
    ended: SettlementEnding | None = None
    stored_answers: int
    """Answers that were there before the first start."""
    stored_usd: float
    calls: int = 0
    usd: float = 0.0
    earlier_looks: int = 0
    """Of other designs, at the same sides; the error rate does not cover them."""
    commands: Array[str] = ()
    """Record the outcome, at no cost."""
