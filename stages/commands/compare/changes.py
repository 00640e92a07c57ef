"""What is shown beside a verdict and decides nothing: quality, failures, cost and latency of both
sides, and which briefs moved with which violations. Pure.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from stages.commands.compare.pairs import Pair, PairEnd, by_brief, score_differences
from stages.shared.analysis.summary import Summary, Weights, summarise
from stages.shared.records.measurement import Measurement


@dataclass(frozen=True, slots=True)
class Figures:
    """Both sides of the same pairs, and ratios of candidate over baseline; None: not known on both
    sides.

    `cost_ratio` is of the costs of an answer, `latency_ratio` the geometric mean over pairs, so
    that a long answer weighs no more than a short one.
    """

    baseline: Summary
    candidate: Summary
    cost_ratio: float | None
    latency_ratio: float | None


@dataclass(frozen=True, slots=True)
class MovedCell:
    """One model on one brief: both sides' mean scores and contents, and the codes gained and
    lost.
    """

    model_id: str
    brief_id: str
    scores: tuple[float, float]
    contents: tuple[float | None, float | None]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    difference: float
    moved: bool


@dataclass(frozen=True, slots=True)
class Move:
    """One brief: the mean difference of the score over models, and each model's cell."""

    brief_id: str
    difference: float
    models: tuple[MovedCell, ...]


@dataclass(frozen=True, slots=True)
class Wins:
    """How many briefs the candidate won, lost and left equal, by the mean difference over
    models.
    """

    won: int
    lost: int
    equal: int


def count_wins(pairs: Iterable[Pair]) -> Wins:
    """The briefs won and lost by score; a failure scores 0, and so loses."""
    differences = [round(difference, 9) for difference in score_differences(pairs).values()]
    won = sum(difference > 0 for difference in differences)
    lost = sum(difference < 0 for difference in differences)
    return Wins(won, lost, len(differences) - won - lost)


def figures_of(pairs: Sequence[Pair], confidence: float) -> Figures | None:
    """What was measured of both sides besides their difference; None without a pair."""
    if not pairs:
        return None
    baseline = _together([pair.baseline for pair in pairs], confidence)
    candidate = _together([pair.candidate for pair in pairs], confidence)
    before, after = baseline.cost.per_answer, candidate.cost.per_answer
    cost_ratio = after / before if before and after is not None else None
    return Figures(baseline, candidate, cost_ratio, _latency_ratio(pairs))


def _together(ends: Sequence[PairEnd], confidence: float) -> Summary:
    weights = [end.weights for end in ends if end.weights]
    of_policy = Weights(
        [weight for of_end in weights for weight in of_end.called],
        [weight for of_end in weights for weight in of_end.counted],
    )
    cells = [cell for end in ends for cell in end.cells]
    return summarise(cells, of_policy if weights else None, confidence=confidence)


def _latency_ratio(pairs: Iterable[Pair]) -> float | None:
    logs = []
    for pair in pairs:
        before = pair.baseline.summary.latency.per_answer_ms
        after = pair.candidate.summary.latency.per_answer_ms
        if before and after:
            logs.append(math.log(after / before))
    return math.exp(fmean(logs)) if logs else None


def failure_rate(summary: Summary, confidence: float) -> Measurement:
    """The share of answers without a usable graph, over briefs; where none failed among n briefs,
    up to about 3 / n may.
    """
    usable = summary.usable_rate
    if usable.value is None or usable.n < 1:
        return usable
    low, high = usable.ends or (0.0, 1.0)
    if usable.value == 1:
        low = 1 - min(1.0, -math.log(1 - confidence) / usable.n)
    return Measurement(value=1 - usable.value, low=1 - high, high=1 - low, n=usable.n)


def moves_of(pairs: Iterable[Pair]) -> tuple[Move, ...]:
    """Every brief that moved at all, the largest difference first; equal ones sorted by brief
    id.
    """
    pairs = list(pairs)
    cells = by_brief(pairs)
    moves = [
        Move(brief, difference, tuple(map(_moved_cell, cells[brief])))
        for brief, difference in score_differences(pairs).items()
    ]
    moved = [move for move in moves if any(cell.moved for cell in move.models)]
    return tuple(sorted(moved, key=lambda move: (-abs(move.difference), move.brief_id)))


def _moved_cell(pair: Pair) -> MovedCell:
    before, after = pair.baseline, pair.candidate
    gained = tuple(sorted(after.codes - before.codes))
    lost = tuple(sorted(before.codes - after.codes))
    return MovedCell(
        model_id=pair.model_id,
        brief_id=pair.brief_id,
        scores=(before.expected, after.expected),
        contents=(before.content, after.content),
        gained=gained,
        lost=lost,
        difference=pair.difference,
        moved=bool(pair.difference or pair.content_difference or gained or lost),
    )
