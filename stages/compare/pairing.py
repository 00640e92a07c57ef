"""Pairs the two sides' scorecards by model and brief."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from statistics import fmean
from typing import TypeAlias, TypeVar

from stages.contracts.scorecard import Scorecard
from stages.statistics.estimates import (
    ScoreEstimate,
    Scores,
    brief_score,
    mean_score_of,
)
from stages.statistics.summary import BriefScore

ModelAndBrief: TypeAlias = tuple[str, str]
"""Model id and brief id."""
Grouped = TypeVar("Grouped")
GroupName = TypeVar("GroupName", str, ModelAndBrief)


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What the answers to a brief are on average, or the runs of a policy on it; None: not
    measured.

    `answers` is how many there are, of which `usable` have a usable graph: of a policy one run, and
    the chance of it. `content` is the share of stated effects that usable graphs have right.
    """

    score: BriefScore
    answers: int
    usable: float
    est_cost_usd: float | None
    latency_ms: float | None
    content: float | None


PolicyMeans: TypeAlias = Mapping[str, Means]
"""The means of a policy by brief id, where it has an estimate."""


@dataclass(frozen=True, slots=True)
class PairEnd:
    """A model on a brief, on one side: its scorecards, the scores of its answers, and their means.

    Of a policy, the scorecards are those of answers that may count, and there are no scores.
    """

    cards: tuple[Scorecard, ...]
    scores: Scores
    means: Means

    @property
    def expected(self) -> float:
        """The mean expected score over samples."""
        return self.means.score.expected


@dataclass(frozen=True, slots=True)
class Pair:
    """A model on a brief that both sides answered."""

    model_id: str
    brief_id: str
    base: PairEnd
    head: PairEnd

    @property
    def ends(self) -> tuple[PairEnd, PairEnd]:
        """The base, then the head."""
        return self.base, self.head

    @property
    def difference(self) -> float:
        """Head less base: above zero, the head is better."""
        return rounded_away(self.head.expected - self.base.expected)

    @property
    def unchanged(self) -> bool:
        """True when both sides hold the same answers, by their fingerprints, with the same score;
        never of a policy.
        """
        if not (self.base.scores and self.head.scores) or self.difference:
            return False
        base, head = (_fingerprints(end.cards) for end in self.ends)
        return None not in base and base == head


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The pairs, sorted by model and brief, and what could not be paired.

    `only_base` and `only_head` were asked on one side only, `unpaired` on both and have no score on
    one of them. Among the cells that both sides asked, so many have no answer (`..._unanswered`);
    `lost` is their share for each model, on both sides together.
    """

    pairs: tuple[Pair, ...]
    only_base: tuple[ModelAndBrief, ...] = ()
    only_head: tuple[ModelAndBrief, ...] = ()
    unpaired: tuple[ModelAndBrief, ...] = ()
    base_unanswered: int = 0
    head_unanswered: int = 0
    lost: Mapping[str, float] = field(default_factory=dict)

    @property
    def base_cards(self) -> list[Scorecard]:
        """The base's scorecards of all pairs."""
        return [card for pair in self.pairs for card in pair.base.cards]

    @property
    def head_cards(self) -> list[Scorecard]:
        """The head's scorecards of all pairs."""
        return [card for pair in self.pairs for card in pair.head.cards]

    @property
    def asked(self) -> tuple[ModelAndBrief, ...]:
        """Every model and brief that both sides asked."""
        paired = ((pair.model_id, pair.brief_id) for pair in self.pairs)
        return (*paired, *self.unpaired)


def pair(
    base: Iterable[Scorecard],
    head: Iterable[Scorecard],
    *,
    base_policy: PolicyMeans | None = None,
    head_policy: PolicyMeans | None = None,
) -> Pairing:
    """Pair two sides' scorecards. A cell without an answer has no score; it is left out and
    counted. A side that is a policy comes with its means.
    """
    old, new = _cells(base), _cells(head)
    shared = sorted(old.keys() & new.keys())
    pairs: list[Pair] = []
    unpaired: list[ModelAndBrief] = []
    for key in shared:
        model_id, brief_id = key
        base_end = _pair_end(old[key], brief_id, base_policy)
        head_end = _pair_end(new[key], brief_id, head_policy)
        if base_end is None or head_end is None:
            unpaired.append(key)
        else:
            pairs.append(Pair(model_id, brief_id, base_end, head_end))
    base_cards = [card for key in shared for card in old[key]]
    head_cards = [card for key in shared for card in new[key]]
    cards_of_model = _group([*base_cards, *head_cards], lambda card: card.model_id)
    return Pairing(
        pairs=tuple(pairs),
        only_base=tuple(sorted(old.keys() - new.keys())),
        only_head=tuple(sorted(new.keys() - old.keys())),
        unpaired=tuple(unpaired),
        base_unanswered=_unanswered(base_cards),
        head_unanswered=_unanswered(head_cards),
        lost={model: _unanswered(cards) / len(cards) for model, cards in cards_of_model.items()},
    )


def _pair_end(
    cards: tuple[Scorecard, ...], brief_id: str, policy: PolicyMeans | None
) -> PairEnd | None:
    """One side of a pair; None where there is no answer, or no estimate of the policy."""
    scores: Scores = ()
    if policy is not None:
        means = policy.get(brief_id)
    else:
        scores = _scores(cards)
        means = _means(cards, scores)
    return PairEnd(cards, scores, means) if means else None


def _unanswered(cards: Sequence[Scorecard]) -> int:
    return sum(not card.answered for card in cards)


def rounded_away(difference: float) -> float:
    """The difference of two scores, 0 where rounding explains it: git keeps four decimals."""
    return difference if abs(difference) > 1e-4 else 0.0


def by_model(pairs: Iterable[Pair]) -> dict[str, tuple[Pair, ...]]:
    """The pairs of each model, sorted by model id."""
    return _group(pairs, lambda pair: pair.model_id)


def by_brief(pairs: Iterable[Pair]) -> dict[str, tuple[Pair, ...]]:
    """The pairs of each brief, sorted by brief id."""
    return _group(pairs, lambda pair: pair.brief_id)


def mean_score(answered: Iterable[Scorecard], confidence: float) -> ScoreEstimate:
    """The mean expected score of answered cells over models on each brief, then over briefs."""
    models: defaultdict[str, dict[str, BriefScore]] = defaultdict(dict)
    for (model_id, brief_id), cards in _cells(answered).items():
        models[model_id][brief_id] = brief_score(_scores(cards))
    return mean_score_of(models, confidence)


def _cells(cards: Iterable[Scorecard]) -> dict[ModelAndBrief, tuple[Scorecard, ...]]:
    """The scorecards of each model and brief, by sample."""
    by_sample = sorted(cards, key=lambda card: card.sample)
    return _group(by_sample, lambda card: (card.model_id, card.brief_id))


def _group(
    values: Iterable[Grouped], name_of: Callable[[Grouped], GroupName]
) -> dict[GroupName, tuple[Grouped, ...]]:
    """The values by name, the names sorted, the values of a name in their order."""
    by_name = sorted(values, key=name_of)
    return {name: tuple(group) for name, group in groupby(by_name, key=name_of)}


def _scores(cards: Iterable[Scorecard]) -> Scores:
    return tuple(card.expected_score if card.usable else None for card in cards if card.answered)


def _means(cards: Sequence[Scorecard], scores: Scores) -> Means | None:
    """The means over the answered cells, which have these scores; None without one."""
    if not scores:
        return None
    answered = [card for card in cards if card.answered]
    return Means(
        score=brief_score(scores),
        answers=len(answered),
        usable=sum(card.usable for card in answered),
        est_cost_usd=_mean([card.measured.est_cost_usd for card in answered]),
        latency_ms=_mean([card.measured.latency_ms for card in answered]),
        content=_mean([card.content for card in answered if card.usable]),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _fingerprints(cards: Iterable[Scorecard]) -> list[str | None]:
    """The fingerprints of the answers, sorted; None, for one that is not known, first."""
    fingerprints = [card.fingerprint for card in cards if card.answered]
    return sorted(fingerprints, key=lambda fingerprint: fingerprint or "")
