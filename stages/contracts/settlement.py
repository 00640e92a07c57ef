"""`results/settle.json`: a comparison in planned looks, its design, the looks that were taken, and
how it ended.
"""

from typing import Literal

from pydantic import Field

from stages.contracts.record import Array, Record

Boundary = Literal["obrien-fleming", "pocock"]
SettlementEnding = Literal["verdict", "briefs", "looks", "budget", "failures"]

_PLANNED = "By the plan; the share of settlements that have a verdict at this look or before."


class Spread(Record):
    """How much scores vary, as planned with; `assumed` names what the stored answers did not
    show.
    """

    brief_sd: float = Field(
        description="Standard deviation over briefs of the true difference (mean over models)."
    )
    answer_sd: float = Field(description="Standard deviation of the answers to one cell.")
    usable_rate: float = Field(description="Share of answers with a usable graph.")
    quality: float = Field(description="Mean score of usable graphs.")
    assumed: Array[str]


class PlannedLook(Record):
    """One look before it is taken."""

    samples: int = Field(description="Answers of each cell so far.")
    widening: float | None = Field(
        description="The interval's length over that without looks; null: no verdict."
    )
    half_width: float | None = Field(
        description="Of the interval that is expected, to either side."
    )
    reachable: bool = Field(
        description="Whether a verdict is to be expected here, with the difference `smallest`."
    )
    chance_if_equal: float = Field(description=f"{_PLANNED} If nothing changed.")
    chance_if_changed: float = Field(description=f"{_PLANNED} If the difference is `reference`.")


class SettleDesign(Record):
    """The plan, made before the first call and kept until the settlement ends.

    `base_run` and `head_run` are the ids of the runs that the last look amounts to: hashes of
    prompt, models, briefs and settings.
    """

    base: str
    head: str
    base_prompt: str = Field(description="SHA-256 of the prompt's text, as head_prompt.")
    head_prompt: str
    base_run: str
    head_run: str
    scoring_rules: str
    models: int
    briefs: int
    confidence: float
    margin: float = Field(description="The smallest difference that matters.")
    boundary: Boundary = Field(description="How the error rate is spent over the looks.")
    spread: Spread
    reference: float
    smallest: float | None = Field(
        description="The smallest true difference that is found four times in five."
    )
    looks: Array[PlannedLook]

    def settles(self, other: "SettleDesign") -> bool:
        """Whether both ask the same question in the same looks; the spread may have become better
        known.
        """
        return self._question() == other._question()

    def same_sides(self, other: "SettleDesign") -> bool:
        """Whether both compare the same two prompts or models, in whatever order, looks and
        briefs.
        """
        return self._sides() == other._sides()

    def _question(self) -> tuple[dict[str, object], list[int]]:
        settings = self.model_dump(exclude={"spread", "smallest", "looks"})
        return settings, [look.samples for look in self.looks]

    def _sides(self) -> set[tuple[str, str]]:
        return {(self.base, self.base_prompt), (self.head, self.head_prompt)}


class TakenLook(Record):
    """One look that was taken. The interval is that by which it was judged; null: not measured."""

    samples: int
    cells: int
    answers: int
    value: float | None
    low: float | None
    high: float | None
    briefs: int
    verdict: str = Field(description="One of those of `stages.compare`.")
    reason: str
    chance_left: float | None = Field(
        description="Chance of a verdict at the last look, given this; null: unknown."
    )


class Settlement(Record):
    """A settlement so far. `calls` and `usd` were made since the first start of this design;
    `ended` is null until it ends.
    """

    design: SettleDesign
    looks: Array[TakenLook] = ()
    verdict: str | None = None
    reason: str | None = None
    ended: SettlementEnding | None = None
    stored_answers: int = Field(description="Answers that were there before the first start.")
    stored_usd: float
    calls: int = 0
    usd: float = 0.0
    earlier_looks: int = Field(
        0, description="Of other designs, at the same sides; the error rate does not cover them."
    )
    commands: Array[str] = Field((), description="Record the outcome, at no cost.")
