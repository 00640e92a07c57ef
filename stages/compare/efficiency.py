"""What an answer takes on either side: valid graphs, cost, latency."""

import math
from collections.abc import Iterable, Sequence

import msgspec

from stages.compare.pairing import Pair
from stages.contracts.scorecard import Scorecard


class Efficiency(msgspec.Struct, frozen=True, kw_only=True):
    """Over the answered cells of the pairs. Ratios are head over base, below 1 is less; None: not known on both sides.

    `*_valid` of `*_answered` answers are structurally valid graphs. The costs are US dollars per answer, the mean over pairs of
    the mean over samples, and `cost_ratio` is their quotient. `latency_ratio` is the geometric mean over pairs of the quotient
    of the mean latencies: every pair weighs the same, whether its answer is short or long.
    """

    base_answered: int
    head_answered: int
    base_valid: int
    head_valid: int
    base_cost_usd: float | None
    head_cost_usd: float | None
    cost_ratio: float | None
    latency_ratio: float | None

    @property
    def base_valid_share(self) -> float | None:
        """Valid graphs per answer, 0..1."""
        return self.base_valid / self.base_answered if self.base_answered else None

    @property
    def head_valid_share(self) -> float | None:
        """Valid graphs per answer, 0..1."""
        return self.head_valid / self.head_answered if self.head_answered else None


def efficiency(pairs: Sequence[Pair]) -> Efficiency:
    """What the answers of these pairs took, on either side."""
    base = [card for each in pairs for card in each.base_cards if card.answered]
    head = [card for each in pairs for card in each.head_cards if card.answered]
    costs = _both(pairs, "est_cost_usd")
    base_cost = math.fsum(before for before, _ in costs) / len(costs) if costs else None
    head_cost = math.fsum(after for _, after in costs) / len(costs) if costs else None
    latencies = [(before, after) for before, after in _both(pairs, "latency_ms") if before > 0 and after > 0]
    logs = [math.log(after / before) for before, after in latencies]
    return Efficiency(
        base_answered=len(base),
        head_answered=len(head),
        base_valid=sum(card.structural_valid for card in base),
        head_valid=sum(card.structural_valid for card in head),
        base_cost_usd=base_cost,
        head_cost_usd=head_cost,
        cost_ratio=head_cost / base_cost if base_cost and head_cost is not None else None,
        latency_ratio=math.exp(math.fsum(logs) / len(logs)) if logs else None,
    )


def _both(pairs: Iterable[Pair], quantity: str) -> list[tuple[float, float]]:
    found = [(_mean(each.base_cards, quantity), _mean(each.head_cards, quantity)) for each in pairs]
    return [(before, after) for before, after in found if before is not None and after is not None]


def _mean(cards: Iterable[Scorecard], quantity: str) -> float | None:
    values: list[float | None] = [getattr(card, quantity) for card in cards if card.answered]
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
