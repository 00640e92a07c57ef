"""A comparison that could not be made: a side's results cannot be had, or are not what they should be."""

import msgspec

from stages.compare.verdict import Verdict


class Unmeasured(msgspec.Struct, frozen=True, kw_only=True):
    """The names of the sides, and every reason why they could not be compared."""

    base: str
    head: str
    reasons: tuple[str, ...]
    verdict: Verdict = "could not measure"

    @property
    def reason(self) -> str:
        """All reasons in one sentence."""
        return "; ".join(self.reasons)
