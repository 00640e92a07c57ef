"""Pairs the two sides' scorecards by model and brief."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from stages.contracts.scorecard import Scorecard

Key: TypeAlias = tuple[str, str]
"""Model id and brief id."""
Scores: TypeAlias = tuple[float | None, ...]
"""Of each answered sample: the score of a usable graph, None for an answer without one."""


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
            [card.fingerprint for card in cards if card.answered] for cards in (self.base_cards, self.head_cards)
        )
        return bool(base) and None not in base and sorted(map(str, base)) == sorted(map(str, head))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The pairs, sorted by model and brief, and what could not be paired.

    `only_base` and `only_head` were asked on one side only. `unpaired` were asked on both and have no score on one of them.
    Among the cells that both sides asked, `base_unanswered` and `head_unanswered` have no answer; `lost` is their share for each
    model, on both sides together.
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
    base_cells, head_cells = _by_key(base), _by_key(head)
    both = sorted(base_cells.keys() & head_cells.keys())
    candidates = [
        Pair(
            model_id=key[0],
            brief_id=key[1],
            base_cards=base_cells[key],
            head_cards=head_cells[key],
            base_scores=_scores(base_cells[key]),
            head_scores=_scores(head_cells[key]),
        )
        for key in both
    ]
    return Pairing(
        pairs=tuple(each for each in candidates if each.base_scores and each.head_scores),
        only_base=tuple(sorted(base_cells.keys() - head_cells.keys())),
        only_head=tuple(sorted(head_cells.keys() - base_cells.keys())),
        unpaired=tuple(
            (each.model_id, each.brief_id) for each in candidates if not (each.base_scores and each.head_scores)
        ),
        base_unanswered=sum(not card.answered for key in both for card in base_cells[key]),
        head_unanswered=sum(not card.answered for key in both for card in head_cells[key]),
        lost=_lost(card for key in both for card in (*base_cells[key], *head_cells[key])),
    )


def by_model(pairs: Iterable[Pair]) -> dict[str, tuple[Pair, ...]]:
    """The pairs of each model, sorted by model id."""
    groups: defaultdict[str, list[Pair]] = defaultdict(list)
    for each in pairs:
        groups[each.model_id].append(each)
    return {model: tuple(groups[model]) for model in sorted(groups)}


def by_brief(pairs: Iterable[Pair]) -> dict[str, tuple[Pair, ...]]:
    """The pairs of each brief, sorted by brief id."""
    groups: defaultdict[str, list[Pair]] = defaultdict(list)
    for each in pairs:
        groups[each.brief_id].append(each)
    return {brief: tuple(groups[brief]) for brief in sorted(groups)}


def scores_by_model(cards: Iterable[Scorecard]) -> dict[str, dict[str, Scores]]:
    """The scores of each model's answers by brief."""
    found: defaultdict[str, dict[str, Scores]] = defaultdict(dict)
    for (model, brief), group in _by_key(cards).items():
        found[model][brief] = _scores(group)
    return dict(found)


def _by_key(cards: Iterable[Scorecard]) -> dict[Key, tuple[Scorecard, ...]]:
    groups: defaultdict[Key, list[Scorecard]] = defaultdict(list)
    for card in cards:
        groups[card.model_id, card.brief_id].append(card)
    return {key: tuple(sorted(group, key=lambda card: card.sample)) for key, group in groups.items()}


def _scores(cards: Iterable[Scorecard]) -> Scores:
    return tuple(card.expected_score if card.usable else None for card in cards if card.answered)


def _lost(cards: Iterable[Scorecard]) -> dict[str, float]:
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for card in cards:
        groups[card.model_id].append(not card.answered)
    return {model: sum(lost) / len(lost) for model, lost in sorted(groups.items())}


def _mean(scores: Sequence[float | None]) -> float:
    return math.fsum(score or 0.0 for score in scores) / len(scores)
