"""What changed besides the mean score: usable graphs, cost, latency, and which briefs moved with which violations."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stages.compare.pairing import Pair, by_brief
from stages.contracts.scorecard import Scorecard


@dataclass(frozen=True, slots=True, kw_only=True)
class Efficiency:
    """Over the answered cells of the pairs. Ratios are head over base, below 1 is less; None: not known on both sides.

    `*_usable` of `*_answered` answers are usable graphs. The costs are US dollars per answer, the mean over pairs of
    the mean over samples, and `cost_ratio` is their quotient. `latency_ratio` is the geometric mean over pairs of the quotient
    of the mean latencies: every pair weighs the same, whether its answer is short or long.
    """

    base_answered: int
    head_answered: int
    base_usable: int
    head_usable: int
    base_cost_usd: float | None
    head_cost_usd: float | None
    cost_ratio: float | None
    latency_ratio: float | None


@dataclass(frozen=True, slots=True, order=True)
class ViolationChange:
    """A violation code, and the models in whose answers it appeared, or from which it disappeared."""

    code: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelMove:
    """One model's scores on the brief, before and after: the means over samples."""

    model_id: str
    base: float
    head: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One brief: the mean difference over models, each model's scores, and the violations gained and lost."""

    brief_id: str
    difference: float
    models: tuple[ModelMove, ...]
    gained: tuple[ViolationChange, ...]
    lost: tuple[ViolationChange, ...]


@dataclass(frozen=True, slots=True)
class MovedCell:
    """One model on one brief: its mean scores before and after, and the violation codes gained and lost."""

    model_id: str
    brief_id: str
    base: float
    head: float
    gained: tuple[str, ...]
    lost: tuple[str, ...]


def efficiency(pairs: Sequence[Pair]) -> Efficiency:
    """What the answers of these pairs cost, on either side."""
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
        base_usable=sum(card.usable for card in base),
        head_usable=sum(card.usable for card in head),
        base_cost_usd=base_cost,
        head_cost_usd=head_cost,
        cost_ratio=head_cost / base_cost if base_cost and head_cost is not None else None,
        latency_ratio=math.exp(math.fsum(logs) / len(logs)) if logs else None,
    )


def moves(pairs: Iterable[Pair]) -> tuple[Move, ...]:
    """Every brief that moved at all, the largest difference first; equal differences sorted by brief id.

    A violation is gained when some sample of the head has it and none of the base does; a failed fidelity check counts as one, and an
    answer without a graph as one that is named by its status.
    """
    found = [_move(brief, group) for brief, group in by_brief(pairs).items()]
    moved = [
        each for each in found if each.gained or each.lost or any(model.base != model.head for model in each.models)
    ]
    return tuple(sorted(moved, key=lambda each: (-abs(each.difference), each.brief_id)))


def moved_cells(moved: Iterable[Move]) -> tuple[MovedCell, ...]:
    """The cells whose scores or violations changed, the largest change of score first; equal changes sorted by brief and model."""
    cells = [
        MovedCell(
            model.model_id,
            move.brief_id,
            model.base,
            model.head,
            *(
                tuple(change.code for change in changes if model.model_id in change.models)
                for changes in (move.gained, move.lost)
            ),
        )
        for move in moved
        for model in move.models
    ]
    changed = [cell for cell in cells if cell.base != cell.head or cell.gained or cell.lost]
    return tuple(sorted(changed, key=lambda cell: (-abs(cell.head - cell.base), cell.brief_id, cell.model_id)))


def _both(pairs: Iterable[Pair], quantity: str) -> list[tuple[float, float]]:
    found = [(_mean(each.base_cards, quantity), _mean(each.head_cards, quantity)) for each in pairs]
    return [(before, after) for before, after in found if before is not None and after is not None]


def _mean(cards: Iterable[Scorecard], quantity: str) -> float | None:
    values: list[float | None] = [getattr(card.measured, quantity) for card in cards if card.answered]
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def _move(brief_id: str, pairs: Sequence[Pair]) -> Move:
    codes = {each.model_id: (_codes(each.base_cards), _codes(each.head_cards)) for each in pairs}
    return Move(
        brief_id=brief_id,
        difference=math.fsum(each.difference for each in pairs) / len(pairs),
        models=tuple(ModelMove(each.model_id, each.base, each.head) for each in pairs),
        gained=_listed({model: after - before for model, (before, after) in codes.items()}),
        lost=_listed({model: before - after for model, (before, after) in codes.items()}),
    )


def _codes(cards: Iterable[Scorecard]) -> frozenset[str]:
    return frozenset(
        code
        for card in cards
        for code in ((*card.violation_codes, *_failed_checks(card)) if card.status == "success" else (card.status,))
    )


def _failed_checks(card: Scorecard) -> list[str]:
    return [check.name for check in card.fidelity if check.outcome == "fail"]


def _listed(by_model: dict[str, frozenset[str]]) -> tuple[ViolationChange, ...]:
    codes = sorted({code for found in by_model.values() for code in found})
    return tuple(
        ViolationChange(code, tuple(sorted(model for model, found in by_model.items() if code in found)))
        for code in codes
    )
