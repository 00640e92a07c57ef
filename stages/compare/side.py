"""A side of a comparison: one revision's scorecards and where they came from."""

from typing import Literal

import msgspec

from stages.contracts.run import Run
from stages.contracts.scorecard import Scorecard

WORKSPACE = "workspace"
"""The name of the working tree."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One side. `name` is what the user wrote, `revision` the commit (None: the working tree), `date` the commit's, ISO 8601.

    `rescored` says that the scorecards were made anew from the revision's answers, `recorded` that they are those of
    `results/scores.csv`, to four decimals, because the scorecards themselves are out of reach.
    """

    name: str
    revision: str | None
    run: Run
    scorecards: tuple[Scorecard, ...]
    date: str | None = None
    rescored: bool = False
    recorded: bool = False

    @property
    def rules(self) -> frozenset[str]:
        """The hashes of the scoring rules that made the scorecards."""
        return frozenset(card.scoring_rules for card in self.scorecards)


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """A side whose scorecards cannot be had: the revision exists, its results do not."""

    name: str
    revision: str | None
    reason: str


Place = Literal["base", "head"]
