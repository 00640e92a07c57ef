"""Which model to take for each target mode: one whose lead is real, else the set that cannot be told apart and its cheapest."""

from typing import Literal

import msgspec

from stages.contracts.model_config import TargetMode

Verdict = Literal["leads", "tied", "only_candidate", "nothing_scored"]


class Rival(msgspec.Struct, frozen=True, kw_only=True):
    """The leader against another candidate of the mode, paired by brief: leader minus rival, over `n` shared briefs."""

    model_id: str
    n: int
    difference: float | None
    low: float | None
    high: float | None
    behind: bool
    """True when the interval lies above zero: the rival is really worse."""


class Recommendation(msgspec.Struct, frozen=True, kw_only=True):
    """The advice for one mode, with the reason in a sentence (plain text: escape it where it is shown).

    `model_id` is the model to take: the leader when its lead is real or it is the only candidate, the cheapest of `tied`
    otherwise, None when nothing was scored or no price is known. `tied` holds the leader and whoever is not shown to be
    worse, in order of rank.
    """

    mode: TargetMode | None
    verdict: Verdict
    model_id: str | None
    leader: str | None
    tied: tuple[str, ...]
    rivals: tuple[Rival, ...]
    reason: str
    simulated: bool
