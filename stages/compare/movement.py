"""What moved: the briefs whose scores changed most, and the violations that they gained or lost."""

import math
from collections.abc import Iterable, Sequence

import msgspec

from stages.compare.pairing import Pair, by_brief
from stages.contracts.scorecard import Scorecard


class CodeMove(msgspec.Struct, frozen=True, order=True):
    """A violation code, and the models in whose answers it appeared or from which it went."""

    code: str
    models: tuple[str, ...]


class ModelMove(msgspec.Struct, frozen=True):
    """One model's scores on the brief, before and after: the means over samples."""

    model_id: str
    base: float
    head: float


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """One brief: the mean difference over models, each model's scores, and the violations gained and lost."""

    brief_id: str
    difference: float
    models: tuple[ModelMove, ...]
    gained: tuple[CodeMove, ...]
    lost: tuple[CodeMove, ...]


def moves(pairs: Iterable[Pair]) -> tuple[Move, ...]:
    """Every brief that moved at all, the farthest first; equal distances in the order of the briefs' ids.

    A violation is gained when some sample of the head has it and none of the base does; what is no answer, or none that parses,
    counts as a violation by the name of its status.
    """
    found = [_move(brief, group) for brief, group in by_brief(pairs).items()]
    moved = [
        each for each in found if each.gained or each.lost or any(model.base != model.head for model in each.models)
    ]
    return tuple(sorted(moved, key=lambda each: (-abs(each.difference), each.brief_id)))


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
        code for card in cards for code in (card.violation_codes if card.status == "success" else (card.status,))
    )


def _listed(by_model: dict[str, frozenset[str]]) -> tuple[CodeMove, ...]:
    codes = sorted({code for found in by_model.values() for code in found})
    return tuple(CodeMove(code, tuple(sorted(m for m, found in by_model.items() if code in found))) for code in codes)
