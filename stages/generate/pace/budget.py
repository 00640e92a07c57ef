"""The hard cap on what a run may spend: money is reserved before a call and released after it."""

from typing import Literal


class Budget:
    """What may still be spent. Safe for the calls of one event loop; `cap_usd` None means no cap.

    Nothing is ever spent beyond the cap, as long as no call costs more than the upper estimate that was reserved for it.
    """

    def __init__(self, cap_usd: float | None) -> None:
        self.cap_usd = cap_usd
        self.spent_usd = 0.0
        self.reserved_usd = 0.0
        self._out = 0

    def reserve(self, upper_usd: float | None) -> Literal["reserved", "later", "never", "unknown"]:
        """Set the upper estimate of one call aside.

        "later": it may fit once calls that are out have come back. "never": it does not fit, and nothing is out that could give
        money back. "unknown": there is a cap and the call has no price.
        """
        if self.cap_usd is None:
            return "reserved"
        if upper_usd is None:
            return "unknown"
        if self.spent_usd + self.reserved_usd + upper_usd > self.cap_usd:
            return "later" if self._out else "never"
        self.reserved_usd += upper_usd
        self._out += 1
        return "reserved"

    def settle(self, upper_usd: float | None, cost_usd: float | None) -> None:
        """Release what was reserved for a call and book what it cost; None books the whole upper estimate."""
        cost = (upper_usd or 0.0) if cost_usd is None else cost_usd
        self.spent_usd += cost
        if self.cap_usd is not None and upper_usd is not None:
            self._out -= 1
            self.reserved_usd = self.reserved_usd - upper_usd if self._out else 0.0

    def refusal(self, upper_usd: float | None) -> str:
        """Why a call was refused, for people."""
        if upper_usd is None:
            return (
                "not called: runtime.max_cost_usd is set and the price of this model is not known; give its config a "
                "pricing, or set runtime.max_cost_usd to null"
            )
        return (
            f"not called: it may cost up to ${upper_usd:.4f}, and ${self.spent_usd:.4f} of runtime.max_cost_usd "
            f"(${self.cap_usd:g}) are spent; raise it and run again"
        )
