"""Pairs the two sides' scorecards by model and brief."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from stages.contracts.scorecard import Scorecard

Key: TypeAlias = tuple[str, str]
"""Model id and brief id."""
Scores: TypeAlias = tuple[float | None, ...]
"""Of each answered sample: the score of a usable graph, None for an answer without one."""
Item = TypeVar("Item")
Name = TypeVar("Name", str, Key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A model on a brief that both sides have: its scorecards, and the scores of its answers (at least one on each side)."""

    model_id: str
    brief_id: str
    base_cards: tuple[Scorecard, ...]
    head_cards: tuple[Scorecard, ...]
    base_scores: Scores
    head_scores: Scores

    @property
    def base(self) -> float:
        """The base's mean expected score over samples."""
        return _mean(self.base_scores)

    @property
    def head(self) -> float:
        """The head's mean expected score over samples."""
        return _mean(self.head_scores)

    @property
    def difference(self) -> float:
        """Head less base: above zero, the head is better."""
        return self.head - self.base

    @property
    def same_answers(self) -> bool:
        """True when both sides hold the same answers, by their fingerprints."""
        base, head = (
            [card.fingerprint for card in cards if card.answered]
            for cards in (self.base_cards, self.head_cards)
        )
        return bool(base) and None not in base and sorted(map(str, base)) == sorted(map(str, head))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The pairs, sorted by model and brief, and what could not be paired.

    `only_base` and `only_head` were asked on one side only, `unpaired` on both and have no score on one of them. Among the cells that both
    sides asked, so many have no answer (`..._unanswered`); `lost` is their share for each model, on both sides together.
    """

    pairs: tuple[Pair, ...]
    only_base: tuple[Key, ...] = ()
    only_head: tuple[Key, ...] = ()
    unpaired: tuple[Key, ...] = ()
    base_unanswered: int = 0
    head_unanswered: int = 0
    lost: Mapping[str, float] = field(default_factory=dict)

    @property
    def asked(self) -> tuple[Key, ...]:
        """Every model and brief that both sides asked."""
        return (*((each.model_id, each.brief_id) for each in self.pairs), *self.unpaired)


def pair(base: Iterable[Scorecard], head: Iterable[Scorecard]) -> Pairing:
    """Pair two sides' scorecards. A cell without an answer has no score; it is left out and counted."""
    old, new = _cells(base), _cells(head)
    both = sorted(old.keys() & new.keys())
    pairs = [
        Pair(
            model_id=key[0],
            brief_id=key[1],
            base_cards=old[key],
            head_cards=new[key],
            base_scores=_scores(old[key]),
            head_scores=_scores(new[key]),
        )
        for key in both
    ]
    unanswered = [
        [not card.answered for key in both for card in cells[key]] for cells in (old, new)
    ]
    cards = _grouped(
        (card for key in both for card in old[key] + new[key]), lambda card: card.model_id
    )
    return Pairing(
        pairs=tuple(each for each in pairs if each.base_scores and each.head_scores),
        only_base=tuple(sorted(old.keys() - new.keys())),
        only_head=tuple(sorted(new.keys() - old.keys())),
        unpaired=tuple(
            (each.model_id, each.brief_id)
            for each in pairs
            if not (each.base_scores and each.head_scores)
        ),
        base_unanswered=sum(unanswered[0]),
        head_unanswered=sum(unanswered[1]),
        lost={
            model: sum(not card.answered for card in group) / len(group)
            for model, group in cards.items()
        },
    )


def by_model(pairs: Iterable[Pair]) -> dict[str, tuple[Pair, ...]]:
    """The pairs of each model, sorted by model id."""
    return _grouped(pairs, lambda each: each.model_id)


def by_brief(pairs: Iterable[Pair]) -> dict[str, tuple[Pair, ...]]:
    """The pairs of each brief, sorted by brief id."""
    return _grouped(pairs, lambda each: each.brief_id)


def scores_by_model(cards: Iterable[Scorecard]) -> dict[str, dict[str, Scores]]:
    """The scores of each model's answers by brief."""
    models = _grouped(cards, lambda card: card.model_id)
    return {
        model: {key[1]: _scores(cell) for key, cell in _cells(group).items()}
        for model, group in models.items()
    }


def _cells(cards: Iterable[Scorecard]) -> dict[Key, tuple[Scorecard, ...]]:
    groups = _grouped(cards, lambda card: (card.model_id, card.brief_id))
    return {
        key: tuple(sorted(group, key=lambda card: card.sample)) for key, group in groups.items()
    }


def _grouped(items: Iterable[Item], name: Callable[[Item], Name]) -> dict[Name, tuple[Item, ...]]:
    groups: defaultdict[Name, list[Item]] = defaultdict(list)
    for item in items:
        groups[name(item)].append(item)
    return {each: tuple(groups[each]) for each in sorted(groups)}


def _scores(cards: Iterable[Scorecard]) -> Scores:
    return tuple(card.expected_score if card.usable else None for card in cards if card.answered)


def _mean(scores: Scores) -> float:
    return math.fsum(score or 0.0 for score in scores) / len(scores)
