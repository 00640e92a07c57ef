"""Which pairs are shown: over all briefs, in equal parts from small, middle and large score
differences, shuffled by a seed. Pure.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

from stages.shared.records.commands import PairKey, PairSide, ReviewKey, ShownGraph, review_id
from stages.shared.records.errors import input_error
from stages.shared.shell import numbers

Size = Literal["small", "middle", "large"]
SIZES: dict[Size, tuple[float, float]] = {
    "small": (0.0, 0.05),
    "middle": (0.05, 0.15),
    "large": (0.15, 1.0),
}
"""Classes of differences of two scores: from the first number (included) to the second (excluded,
but for 1).
"""

CONTROLS = REPEATS = 4
FEWEST_PAIRS = 16
MAX_GRAPHS_OF_BRIEF = 60
"""Graphs of one brief that pairs are drawn from at most, so that their number stays small in large
runs."""
PAIR_SIDES: tuple[PairSide, PairSide] = ("left", "right")


@dataclass(frozen=True, slots=True)
class GraphCandidate:
    """A graph that can be shown, and its score, 0 to 1."""

    brief_id: str
    shown: ShownGraph
    score: float


CandidatePair: TypeAlias = tuple[GraphCandidate, GraphCandidate]
Buckets: TypeAlias = dict[tuple[Size, str], list[CandidatePair]]
"""The possible pairs by size of difference and brief, in random order, equal scores last."""


def draw_pairs(
    candidates: Iterable[GraphCandidate], count: int, seed: int, sides: tuple[str, ...] = ()
) -> ReviewKey:
    """The pairs of a review in the order in which they are shown; equal seeds and candidates give
    equal pairs.

    Of at most `count` pairs four are control pairs (a graph and its damaged copy) and four repeat
    an earlier pair with its sides exchanged. The others are as many of each size of score
    difference as there are, and spread over the briefs. With two `sides`, models or revisions, a
    pair has a graph of each, by the same model where they are revisions.

    Raises:
        InputError: no brief has two different graphs.
    """
    random = np.random.default_rng(seed)
    by_brief = _by_brief(candidates, random)
    buckets = _buckets(by_brief, len(sides) == 2, random)
    drawn = _choose(buckets, count - CONTROLS - REPEATS, list(by_brief))
    if not drawn:
        of_each = f", one of {sides[0]} and one of {sides[1]}" if sides else ""
        message = f"no brief has two different valid graphs to compare{of_each}"
        raise input_error("results", "", message)
    pairs = [*(_place(pair, random) for pair in drawn), *_controls(drawn, random)]
    shuffled = [pairs[place] for place in random.permutation(len(pairs))]
    key = _named(_with_repeats(shuffled, random))
    return ReviewKey(review=review_id(key), seed=seed, sides=sides, pairs=tuple(key))


def size_of(difference: float) -> Size:
    """The class of a difference of two scores, whatever its sign; rounded, so that 0.8 and 0.75
    differ by 0.05.
    """
    distance = round(abs(difference), 9)
    return next(size for size, (_, end) in SIZES.items() if distance < end or end == 1.0)


def pairs_lines(key: ReviewKey, candidates: Iterable[GraphCandidate], wanted: int) -> list[str]:
    """What was drawn, and why it is less than was wanted, for the person who asked."""
    scores = {(graph.brief_id, graph.shown): graph.score for graph in candidates}
    plain = [pair for pair in key.pairs if pair.kind == "pair"]
    sizes = [
        size_of(scores[pair.brief_id, pair.left] - scores[pair.brief_id, pair.right])
        for pair in plain
    ]
    counts = ", ".join(f"{sizes.count(size)} {size}" for size in SIZES)
    pairs = numbers.counted(len(key.pairs), "pair")
    briefs = numbers.counted(len({pair.brief_id for pair in plain}), "brief")
    lines = [f"{pairs} over {briefs}; differences of scores: {counts}"]
    if len(key.pairs) < wanted:
        reason = "there are no more pairs of different valid graphs"
        fix = "more samples or models give more"
        lines.append(f"--pairs {wanted} cannot be reached: {reason}; {fix}")
    return lines


def _by_brief(
    candidates: Iterable[GraphCandidate], random: np.random.Generator
) -> dict[str, list[GraphCandidate]]:
    """The graphs of each brief, in random order."""
    ordered = sorted(
        candidates,
        key=lambda graph: (
            graph.brief_id,
            graph.shown.side,
            graph.shown.model_id,
            graph.shown.sample,
        ),
    )
    by_brief: defaultdict[str, list[GraphCandidate]] = defaultdict(list)
    for place in random.permutation(len(ordered)):
        by_brief[ordered[place].brief_id].append(ordered[place])
    return {brief: graphs[:MAX_GRAPHS_OF_BRIEF] for brief, graphs in by_brief.items()}


def _buckets(
    by_brief: dict[str, list[GraphCandidate]], two_sides: bool, random: np.random.Generator
) -> Buckets:
    buckets: defaultdict[tuple[Size, str], list[CandidatePair]] = defaultdict(list)
    for brief, graphs in by_brief.items():
        pairs = combinations(graphs, 2)
        possible = [pair for pair in pairs if _may_compare(*pair, two_sides)]
        shuffled = [possible[place] for place in random.permutation(len(possible))]
        shuffled.sort(key=_is_tie)
        for first, second in shuffled:
            buckets[size_of(first.score - second.score), brief].append((first, second))
    return dict(buckets)


def _is_tie(pair: CandidatePair) -> bool:
    first, second = pair
    return abs(first.score - second.score) <= 1e-9


def _may_compare(first: GraphCandidate, second: GraphCandidate, two_sides: bool) -> bool:
    """True for different answers, and of the two sides where there are two."""
    left, right = first.shown, second.shown
    if left.fingerprint is not None and left.fingerprint == right.fingerprint:
        return False
    same_model = left.model_id == right.model_id or left.side == left.model_id
    return not two_sides or (left.side != right.side and same_model)


def _choose(buckets: Buckets, count: int, briefs: Sequence[str]) -> list[CandidatePair]:
    """The pairs: sizes in turn, the brief with the fewest pairs so far."""
    drawn: list[CandidatePair] = []
    pairs_of_brief: Counter[str] = Counter()
    sizes = list(SIZES)
    while len(drawn) < count and any(buckets.values()):
        turn = len(drawn) % len(sizes)
        filled = {size for (size, _), pairs in buckets.items() if pairs}
        size = next(size for size in sizes[turn:] + sizes[:turn] if size in filled)
        possible = [brief for brief in briefs if buckets.get((size, brief))]
        brief = min(possible, key=pairs_of_brief.__getitem__)
        drawn.append(buckets[size, brief].pop(0))
        pairs_of_brief[brief] += 1
    return drawn


def _place(pair: CandidatePair, random: np.random.Generator) -> PairKey:
    left, right = pair if random.integers(2) else pair[::-1]
    return PairKey(pair="", kind="pair", brief_id=left.brief_id, left=left.shown, right=right.shown)


def _controls(drawn: Sequence[CandidatePair], random: np.random.Generator) -> list[PairKey]:
    """A graph of each of some briefs, beside its damaged copy."""
    graphs: dict[str, ShownGraph] = {}
    for place in random.permutation(len(drawn)):
        better = max(drawn[place], key=lambda graph: graph.score)
        graphs.setdefault(better.brief_id, better.shown)
    return [
        PairKey(
            pair="",
            kind="control",
            brief_id=brief,
            left=shown,
            right=shown,
            damaged=PAIR_SIDES[random.integers(2)],
        )
        for brief, shown in list(graphs.items())[:CONTROLS]
    ]


def _with_repeats(pairs: Sequence[PairKey], random: np.random.Generator) -> list[PairKey]:
    """The pairs, and some of the first half once more in the last third, their sides exchanged."""
    start = 2 * len(pairs) // 3
    last = list(pairs[start:])
    plain = [pair for pair in pairs if pair.kind == "pair"]
    for place in random.permutation((len(plain) + 1) // 2)[:REPEATS]:
        pair = plain[place]
        repeat = pair.model_copy(update={"kind": "repeat", "left": pair.right, "right": pair.left})
        last.insert(int(random.integers(len(last) + 1)), repeat)
    return [*pairs[:start], *last]


def _named(pairs: Sequence[PairKey]) -> list[PairKey]:
    """The pairs with their names in order, and each repeat with the name of the pair that it
    repeats.
    """
    names = {
        (pair.brief_id, pair.left, pair.right): f"p{number:02}"
        for number, pair in enumerate(pairs, start=1)
        if pair.kind == "pair"
    }
    named = []
    for number, pair in enumerate(pairs, start=1):
        repeats = names[pair.brief_id, pair.right, pair.left] if pair.kind == "repeat" else None
        named.append(pair.model_copy(update={"pair": f"p{number:02}", "repeats": repeats}))
    return named
