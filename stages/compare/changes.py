"""What changed besides the mean score: usable graphs, cost, latency, and which briefs moved with which violations."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from stages.compare.pairing import Pair, by_brief
from stages.contracts.scorecard import Scorecard


@dataclass(frozen=True, slots=True, kw_only=True)
class Efficiency:
    """Over the answered cells of the pairs. Ratios are head over base, below 1 is less; None: not known on both sides.

    `*_usable` of `*_answered` answers are usable graphs. `*_cost_usd` is the mean over pairs of the mean cost of an answer.
    `latency_ratio` is the geometric mean over pairs: every pair weighs the same, whether its answer is short or long.
    """

    base_answered: int
    head_answered: int
    base_usable: int
    head_usable: int
    base_cost_usd: float | None
    head_cost_usd: float | None
    cost_ratio: float | None
    latency_ratio: float | None


@dataclass(frozen=True, slots=True)
class MovedCell:
    """One model on one brief: its mean scores over samples before and after, and the violation codes gained and lost.

    A code is gained when some sample of the head has it and none of the base does; a failed fidelity check counts as one, and an answer
    without a graph as one that is named by its status.
    """

    model_id: str
    brief_id: str
    base: float
    head: float
    gained: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def moved(self) -> bool:
        """True when its score or its violations changed."""
        return bool(self.base != self.head or self.gained or self.lost)


@dataclass(frozen=True, slots=True)
class Move:
    """One brief: the mean difference over models, and each model's scores and violations."""

    brief_id: str
    difference: float
    models: tuple[MovedCell, ...]


def efficiency(pairs: Sequence[Pair]) -> Efficiency:
    """What the answers of these pairs cost, on either side."""
    base = [card.usable for each in pairs for card in each.base_cards if card.answered]
    head = [card.usable for each in pairs for card in each.head_cards if card.answered]
    costs = _both(pairs, "est_cost_usd")
    base_cost, head_cost = map(fmean, zip(*costs, strict=True)) if costs else (None, None)
    logs = [
        math.log(after / before)
        for before, after in _both(pairs, "latency_ms")
        if before > 0 and after > 0
    ]
    return Efficiency(
        base_answered=len(base),
        head_answered=len(head),
        base_usable=sum(base),
        head_usable=sum(head),
        base_cost_usd=base_cost,
        head_cost_usd=head_cost,
        cost_ratio=head_cost / base_cost if base_cost and head_cost is not None else None,
        latency_ratio=math.exp(fmean(logs)) if logs else None,
    )


def moves(pairs: Iterable[Pair]) -> tuple[Move, ...]:
    """Every brief that moved at all, the largest difference first; equal differences sorted by brief id."""
    found = [
        Move(brief, fmean(each.difference for each in group), tuple(map(_cell, group)))
        for brief, group in by_brief(pairs).items()
    ]
    moved = [each for each in found if any(cell.moved for cell in each.models)]
    return tuple(sorted(moved, key=lambda each: (-abs(each.difference), each.brief_id)))


def moved_cells(moved: Iterable[Move]) -> tuple[MovedCell, ...]:
    """The cells whose scores or violations changed, the largest change of score first; equal changes sorted by brief and model."""
    cells = [cell for move in moved for cell in move.models if cell.moved]
    return tuple(
        sorted(cells, key=lambda cell: (-abs(cell.head - cell.base), cell.brief_id, cell.model_id))
    )


def _both(pairs: Iterable[Pair], quantity: str) -> list[tuple[float, float]]:
    found = [(_mean(each.base_cards, quantity), _mean(each.head_cards, quantity)) for each in pairs]
    return [(before, after) for before, after in found if before is not None and after is not None]


def _mean(cards: Iterable[Scorecard], quantity: str) -> float | None:
    values = (getattr(card.measured, quantity) for card in cards if card.answered)
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _cell(pair: Pair) -> MovedCell:
    before, after = _codes(pair.base_cards), _codes(pair.head_cards)
    gained, lost = (tuple(sorted(codes)) for codes in (after - before, before - after))
    return MovedCell(pair.model_id, pair.brief_id, pair.base, pair.head, gained, lost)


def _codes(cards: Iterable[Scorecard]) -> frozenset[str]:
    found: set[str] = set()
    for card in cards:
        failed = (check.name for check in card.fidelity if check.outcome == "fail")
        found.update(
            (*card.violation_codes, *failed) if card.status == "success" else (card.status,)
        )
    return frozenset(found)
