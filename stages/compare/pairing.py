"""Pairs the two sides' scorecards by model and brief, and averages the samples."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from stages.contracts.scorecard import Scorecard

Measure = Literal["expected_score", "overall_score"]
Key: TypeAlias = tuple[str, str]
"""Model id and brief id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A (model, brief) that both sides have: the scorecards of its samples, and the scores among them (at least one each)."""

    model_id: str
    brief_id: str
    base_cards: tuple[Scorecard, ...]
    head_cards: tuple[Scorecard, ...]
    base_scores: tuple[float, ...]
    head_scores: tuple[float, ...]

    @property
    def base(self) -> float:
        """The mean over the base's samples."""
        return math.fsum(self.base_scores) / len(self.base_scores)

    @property
    def head(self) -> float:
        """The mean over the head's samples."""
        return math.fsum(self.head_scores) / len(self.head_scores)

    @property
    def difference(self) -> float:
        """Head less base: above zero, the head is better."""
        return self.head - self.base

    @property
    def same_answers(self) -> bool:
        """True when both sides hold the very same answers, known by their fingerprints."""
        base = sorted(card.fingerprint or "" for card in self.base_cards if card.answered)
        return (
            bool(base)
            and "" not in base
            and base == sorted(card.fingerprint or "" for card in self.head_cards if card.answered)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The pairs, by model and brief, and what could not be paired.

    `only_base` and `only_head` were asked on one side only. `unpaired` were asked on both and have no score on one of them.
    `base_unanswered` and `head_unanswered` count the cells, among those that both sides asked, in which no answer came.
    """

    pairs: tuple[Pair, ...]
    only_base: tuple[Key, ...]
    only_head: tuple[Key, ...]
    unpaired: tuple[Key, ...]
    base_unanswered: int
    head_unanswered: int


def pair(base: Iterable[Scorecard], head: Iterable[Scorecard], measure: Measure = "expected_score") -> Pairing:
    """Pair two sides' scorecards.

    A cell in which no answer came has no score, is left out of the mean of its samples and counted. With `expected_score` a
    failure that is the model's doing counts 0; with `overall_score` only valid graphs count.
    """
    base_cells, head_cells = _by_key(base), _by_key(head)
    both = sorted(base_cells.keys() & head_cells.keys())
    candidates = [_paired(key, base_cells[key], head_cells[key], measure) for key in both]
    return Pairing(
        pairs=tuple(each for each in candidates if each.base_scores and each.head_scores),
        only_base=tuple(sorted(base_cells.keys() - head_cells.keys())),
        only_head=tuple(sorted(head_cells.keys() - base_cells.keys())),
        unpaired=tuple(
            (each.model_id, each.brief_id) for each in candidates if not (each.base_scores and each.head_scores)
        ),
        base_unanswered=_unanswered(base_cells, both),
        head_unanswered=_unanswered(head_cells, both),
    )


def by_model(pairs: Iterable[Pair]) -> dict[str, tuple[Pair, ...]]:
    """The pairs of each model, in the order of the models' ids."""
    groups: defaultdict[str, list[Pair]] = defaultdict(list)
    for each in pairs:
        groups[each.model_id].append(each)
    return {model: tuple(groups[model]) for model in sorted(groups)}


def by_brief(pairs: Iterable[Pair]) -> dict[str, tuple[Pair, ...]]:
    """The pairs of each brief, in the order of the briefs' ids."""
    groups: defaultdict[str, list[Pair]] = defaultdict(list)
    for each in pairs:
        groups[each.brief_id].append(each)
    return {brief: tuple(groups[brief]) for brief in sorted(groups)}


def _by_key(cards: Iterable[Scorecard]) -> dict[Key, tuple[Scorecard, ...]]:
    groups: defaultdict[Key, list[Scorecard]] = defaultdict(list)
    for card in cards:
        groups[card.model_id, card.brief_id].append(card)
    return {key: tuple(sorted(group, key=lambda card: card.sample)) for key, group in groups.items()}


def _paired(key: Key, base: tuple[Scorecard, ...], head: tuple[Scorecard, ...], measure: Measure) -> Pair:
    return Pair(
        model_id=key[0],
        brief_id=key[1],
        base_cards=base,
        head_cards=head,
        base_scores=_scores(base, measure),
        head_scores=_scores(head, measure),
    )


def _scores(cards: Iterable[Scorecard], measure: Measure) -> tuple[float, ...]:
    found = (card.expected_score if measure == "expected_score" else card.overall_score for card in cards)
    return tuple(score for score in found if score is not None)


def _unanswered(cells: Mapping[Key, Sequence[Scorecard]], keys: Iterable[Key]) -> int:
    return sum(not card.answered for key in keys for card in cells[key])
