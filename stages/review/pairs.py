"""Which pairs are shown: over all briefs, in equal parts from small, middle and large score differences, shuffled by a seed. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from stages.contracts.errors import InputError, Problem
from stages.contracts.review import SIZES, PairKey, ReviewKey, ShownGraph, Size, review_id, size_of

CONTROLS = REPEATS = 4
FEWEST = 16
_MOST_PER_BRIEF = 60
"""Graphs of one brief that pairs are drawn from at most, so that their number stays small in large runs."""


@dataclass(frozen=True, slots=True)
class GraphCandidate:
    """A graph that can be shown, and its score, 0 to 1."""

    brief_id: str
    shown: ShownGraph
    score: float


@dataclass(frozen=True, slots=True)
class _Pair:
    first: GraphCandidate
    second: GraphCandidate

    @property
    def size(self) -> Size:
        return size_of(self.first.score - self.second.score)

    @property
    def equal(self) -> bool:
        """Whether the scores have no order that people could agree with."""
        return math.isclose(self.first.score, self.second.score, rel_tol=0, abs_tol=1e-9)


def draw_pairs(candidates: Iterable[GraphCandidate], count: int, seed: int, sides: tuple[str, ...] = ()) -> ReviewKey:
    """The pairs of a review, in the order in which they are shown, with what is behind them.

    Four are control pairs (a graph and its damaged copy) and four repeat an earlier pair with its sides exchanged. The others are as
    many of each size of score difference as there are, and spread over the briefs; graphs that were shown less often come first.

    Args:
        candidates: The graphs, in any order.
        count: Pairs in total, `FEWEST` or more; fewer are drawn where there are not as many.
        seed: Equal seeds and candidates give equal pairs.
        sides: The two sides that are compared, two models or two revisions: a pair then has a graph of each, by the same model where
            the sides are revisions. Without sides a pair has any two answers to a brief.

    Raises:
        InputError: no brief has two different graphs.
    """
    random = np.random.default_rng(seed)
    by_brief = _by_brief(candidates, random)
    buckets = _buckets(by_brief, len(sides) == 2, random)
    drawn = _drawn(buckets, count - CONTROLS - REPEATS, list(by_brief))
    if not drawn:
        message = "no brief has two different valid graphs to compare" + (
            f", one of {sides[0]} and one of {sides[1]}" if sides else ""
        )
        raise InputError([Problem("results", "", message)])
    pairs = [_shown(pair, random) for pair in drawn]
    pairs += _controls(drawn, random)
    pairs = [pairs[place] for place in random.permutation(len(pairs))]
    named = [
        pair.model_copy(update={"pair": f"p{number:02}"})
        for number, pair in enumerate(_repeated(pairs, random), start=1)
    ]
    names = {_content(pair): pair.pair for pair in named if pair.kind == "pair"}
    key = tuple(
        pair.model_copy(update={"repeats": names[_content(_exchanged(pair))]}) if pair.kind == "repeat" else pair
        for pair in named
    )
    return ReviewKey(review=review_id(key), seed=seed, sides=sides, pairs=key)


def _by_brief(candidates: Iterable[GraphCandidate], random: np.random.Generator) -> dict[str, list[GraphCandidate]]:
    """The candidates of each brief, briefs and candidates in random order."""
    ordered = sorted(candidates, key=lambda one: (one.brief_id, one.shown.side, one.shown.model_id, one.shown.sample))
    found: dict[str, list[GraphCandidate]] = {}
    for place in random.permutation(len(ordered)):
        found.setdefault(ordered[place].brief_id, []).append(ordered[place])
    return {brief: graphs[:_MOST_PER_BRIEF] for brief, graphs in found.items()}


def _buckets(
    by_brief: dict[str, list[GraphCandidate]], two_sides: bool, random: np.random.Generator
) -> dict[tuple[Size, str], list[_Pair]]:
    """The possible pairs by size and brief, in random order."""
    found: dict[tuple[Size, str], list[_Pair]] = {}
    for brief, graphs in by_brief.items():
        possible = [_Pair(*two) for two in combinations(graphs, 2) if _different(*two, two_sides)]
        for place in random.permutation(len(possible)):
            found.setdefault((possible[place].size, brief), []).append(possible[place])
    return found


def _different(first: GraphCandidate, second: GraphCandidate, two_sides: bool) -> bool:
    one, other = first.shown, second.shown
    if one.fingerprint is not None and one.fingerprint == other.fingerprint:
        return False
    if not two_sides:
        return True
    return one.side != other.side and (one.model_id == other.model_id or one.side == one.model_id)


def _drawn(buckets: dict[tuple[Size, str], list[_Pair]], count: int, briefs: Sequence[str]) -> list[_Pair]:
    """The pairs: sizes in turn, the brief with the fewest pairs so far, equal scores last, the graphs shown least so far."""
    drawn: list[_Pair] = []
    of_brief: Counter[str] = Counter()
    shown: Counter[ShownGraph] = Counter()
    sizes = list(SIZES)
    while len(drawn) < count:
        turn = len(drawn) % len(sizes)
        open_ = [
            (size, brief) for size in sizes[turn:] + sizes[:turn] for brief in briefs if buckets.get((size, brief))
        ]
        if not open_:
            break
        size, brief = min((each for each in open_ if each[0] == open_[0][0]), key=lambda each: of_brief[each[1]])
        bucket = buckets[size, brief]
        pair = min(bucket, key=lambda one: (one.equal, shown[one.first.shown] + shown[one.second.shown]))
        bucket.remove(pair)
        drawn.append(pair)
        of_brief[brief] += 1
        shown.update((pair.first.shown, pair.second.shown))
    return drawn


def _shown(pair: _Pair, random: np.random.Generator) -> PairKey:
    left, right = (pair.first, pair.second) if random.integers(2) else (pair.second, pair.first)
    return PairKey(pair="", kind="pair", brief_id=left.brief_id, left=left.shown, right=right.shown)


def _controls(drawn: Sequence[_Pair], random: np.random.Generator) -> list[PairKey]:
    """Graphs of as many different briefs as possible beside their damaged copies."""
    found: dict[str, GraphCandidate] = {}
    for place in random.permutation(len(drawn)):
        found.setdefault(
            drawn[place].first.brief_id, max(drawn[place].first, drawn[place].second, key=lambda one: one.score)
        )
    damaged: list[Literal["left", "right"]] = ["left", "right"]
    return [
        PairKey(
            pair="",
            kind="control",
            brief_id=one.brief_id,
            left=one.shown,
            right=one.shown,
            damaged=damaged[random.integers(2)],
        )
        for one in list(found.values())[:CONTROLS]
    ]


def _repeated(pairs: Sequence[PairKey], random: np.random.Generator) -> list[PairKey]:
    """The pairs with repeats of some of the first half, each at a random place in the last third."""
    start = 2 * len(pairs) // 3
    last = list(pairs[start:])
    plain = [pair for pair in pairs if pair.kind == "pair"]
    for place in random.permutation((len(plain) + 1) // 2)[:REPEATS]:
        repeat = _exchanged(plain[place]).model_copy(update={"kind": "repeat"})
        last.insert(int(random.integers(len(last) + 1)), repeat)
    return [*pairs[:start], *last]


def _exchanged(pair: PairKey) -> PairKey:
    return pair.model_copy(update={"left": pair.right, "right": pair.left})


def _content(pair: PairKey) -> tuple[str, ShownGraph, ShownGraph]:
    return pair.brief_id, pair.left, pair.right
