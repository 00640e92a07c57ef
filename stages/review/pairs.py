"""Which pairs are shown: over all briefs, in equal parts from small, middle and large score differences, shuffled by a seed. Pure."""

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


_Pair = tuple[GraphCandidate, GraphCandidate]
_Buckets = dict[tuple[Size, str], list[_Pair]]
"""The possible pairs by size of difference and brief, in random order."""


def draw_pairs(
    candidates: Iterable[GraphCandidate], count: int, seed: int, sides: tuple[str, ...] = ()
) -> ReviewKey:
    """The pairs of a review in the order in which they are shown; equal seeds and candidates give equal pairs.

    Of at most `count` pairs four are control pairs (a graph and its damaged copy) and four repeat an earlier pair with its sides exchanged.
    The others are as many of each size of score difference as there are, and spread over the briefs; graphs that were shown less often come
    first. With two `sides`, models or revisions, a pair has a graph of each, by the same model where they are revisions.

    Raises:
        InputError: no brief has two different graphs.
    """
    random = np.random.default_rng(seed)
    by_brief = _by_brief(candidates, random)
    drawn = _drawn(
        _buckets(by_brief, len(sides) == 2, random), count - CONTROLS - REPEATS, list(by_brief)
    )
    if not drawn:
        of_each = f", one of {sides[0]} and one of {sides[1]}" if sides else ""
        raise InputError(
            [Problem("results", "", f"no brief has two different valid graphs to compare{of_each}")]
        )
    pairs = [*(_shown(pair, random) for pair in drawn), *_controls(drawn, random)]
    pairs = _with_repeats([pairs[place] for place in random.permutation(len(pairs))], random)
    names = {
        (pair.brief_id, pair.left, pair.right): f"p{at:02}"
        for at, pair in enumerate(pairs, 1)
        if pair.kind == "pair"
    }
    key = []
    for at, pair in enumerate(pairs, start=1):
        repeats = names[pair.brief_id, pair.right, pair.left] if pair.kind == "repeat" else None
        key.append(pair.model_copy(update={"pair": f"p{at:02}", "repeats": repeats}))
    return ReviewKey(review=review_id(key), seed=seed, sides=sides, pairs=tuple(key))


def _by_brief(
    candidates: Iterable[GraphCandidate], random: np.random.Generator
) -> dict[str, list[GraphCandidate]]:
    ordered = sorted(
        candidates,
        key=lambda one: (one.brief_id, one.shown.side, one.shown.model_id, one.shown.sample),
    )
    found: dict[str, list[GraphCandidate]] = {}
    for place in random.permutation(len(ordered)):
        found.setdefault(ordered[place].brief_id, []).append(ordered[place])
    return {brief: graphs[:_MOST_PER_BRIEF] for brief, graphs in found.items()}


def _buckets(
    by_brief: dict[str, list[GraphCandidate]], two_sides: bool, random: np.random.Generator
) -> _Buckets:
    found: _Buckets = {}
    for brief, graphs in by_brief.items():
        possible = [
            two
            for two in combinations(graphs, 2)
            if _different(two[0].shown, two[1].shown, two_sides)
        ]
        for place in random.permutation(len(possible)):
            first, second = possible[place]
            found.setdefault((size_of(first.score - second.score), brief), []).append(
                (first, second)
            )
    return found


def _different(one: ShownGraph, other: ShownGraph, two_sides: bool) -> bool:
    if one.fingerprint is not None and one.fingerprint == other.fingerprint:
        return False
    same_model = one.model_id == other.model_id or one.side == one.model_id
    return not two_sides or (one.side != other.side and same_model)


def _drawn(buckets: _Buckets, count: int, briefs: Sequence[str]) -> list[_Pair]:
    """The pairs: sizes in turn, the brief with the fewest pairs so far, equal scores last, the graphs shown least so far."""
    drawn: list[_Pair] = []
    of_brief: Counter[str] = Counter()
    shown: Counter[ShownGraph] = Counter()
    sizes = list(SIZES)

    def rank(pair: _Pair) -> tuple[bool, int]:
        first, second = pair
        return abs(first.score - second.score) <= 1e-9, shown[first.shown] + shown[second.shown]

    while len(drawn) < count and any(buckets.values()):
        turn = len(drawn) % len(sizes)
        size = next(
            size
            for size in sizes[turn:] + sizes[:turn]
            if any(buckets.get((size, brief)) for brief in briefs)
        )
        brief = min((one for one in briefs if buckets.get((size, one))), key=of_brief.__getitem__)
        pair = min(buckets[size, brief], key=rank)
        buckets[size, brief].remove(pair)
        drawn.append(pair)
        of_brief[brief] += 1
        shown.update(one.shown for one in pair)
    return drawn


def _shown(pair: _Pair, random: np.random.Generator) -> PairKey:
    left, right = pair if random.integers(2) else pair[::-1]
    return PairKey(pair="", kind="pair", brief_id=left.brief_id, left=left.shown, right=right.shown)


def _controls(drawn: Sequence[_Pair], random: np.random.Generator) -> list[PairKey]:
    found: dict[str, ShownGraph] = {}
    for place in random.permutation(len(drawn)):
        better = max(drawn[place], key=lambda one: one.score)
        found.setdefault(better.brief_id, better.shown)
    sides: list[Literal["left", "right"]] = ["left", "right"]
    return [
        PairKey(
            pair="",
            kind="control",
            brief_id=brief,
            left=one,
            right=one,
            damaged=sides[random.integers(2)],
        )
        for brief, one in list(found.items())[:CONTROLS]
    ]


def _with_repeats(pairs: Sequence[PairKey], random: np.random.Generator) -> list[PairKey]:
    start = 2 * len(pairs) // 3
    last = list(pairs[start:])
    plain = [pair for pair in pairs if pair.kind == "pair"]
    for place in random.permutation((len(plain) + 1) // 2)[:REPEATS]:
        pair = plain[place]
        repeat = pair.model_copy(update={"kind": "repeat", "left": pair.right, "right": pair.left})
        last.insert(int(random.integers(len(last) + 1)), repeat)
    return [*pairs[:start], *last]
