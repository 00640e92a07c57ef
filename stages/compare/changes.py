"""What is shown beside a verdict and decides nothing: quality, failures, cost and latency of both
sides, and which briefs moved with which violations.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from stages.compare.pairing import Means, Pair, by_brief, rounded_away
from stages.contracts.measurement import Measurement
from stages.contracts.scorecard import Scorecard
from stages.statistics.interval import share_interval
from stages.statistics.summary import average


@dataclass(frozen=True, slots=True, kw_only=True)
class SideFigures:
    """One side of pairs. Means are over briefs; None: not measured.

    `failed` of the `answers` have no usable graph; a policy has one run on each brief, and an
    expected count. `failures` is their share with its interval: where none failed, up to about
    3 / n may. `usd_per_answer` is the mean over pairs of the mean cost of an answer.
    """

    expected: float
    quality: float | None
    answers: int
    failed: float
    failures: Measurement
    usd_per_answer: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """Both sides of the same pairs, and ratios of candidate over baseline, below 1 is less; None:
    not known on both sides.

    `latency_ratio` is the geometric mean over pairs: every pair weighs the same, whether its answer
    is short or long.
    """

    base: SideFigures
    head: SideFigures
    cost_ratio: float | None
    latency_ratio: float | None


@dataclass(frozen=True, slots=True)
class MovedCell:
    """One model on one brief: its mean scores before and after, and the violation codes gained and
    lost.

    A code is gained when some sample of the head has it and none of the base does; a failed
    fidelity check counts as one, and an answer without a graph as one that is named by its
    status.
    """

    model_id: str
    brief_id: str
    base: float
    head: float
    gained: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def difference(self) -> float:
        """Head less base."""
        return rounded_away(self.head - self.base)

    @property
    def moved(self) -> bool:
        """True when its score or its violations changed."""
        return bool(self.difference or self.gained or self.lost)


@dataclass(frozen=True, slots=True)
class Move:
    """One brief: the mean difference over models, and each model's scores and violations."""

    brief_id: str
    difference: float
    models: tuple[MovedCell, ...]


@dataclass(frozen=True, slots=True)
class Wins:
    """How many briefs the head won, lost and left equal, by the mean difference over models."""

    won: int
    lost: int
    equal: int


def count_wins(pairs: Iterable[Pair]) -> Wins:
    """The briefs won and lost; a failure scores 0, and so loses."""
    groups = by_brief(pairs).values()
    differences = [round(fmean(pair.difference for pair in group), 9) for group in groups]
    won = sum(difference > 0 for difference in differences)
    lost = sum(difference < 0 for difference in differences)
    return Wins(won, lost, len(differences) - won - lost)


def figures_of(pairs: Sequence[Pair], confidence: float) -> Figures | None:
    """What was measured of both sides besides their difference; None without a pair."""
    if not pairs:
        return None
    costs = _known_on_both(pairs, "est_cost_usd")
    base_usd = fmean(before for before, _ in costs) if costs else None
    head_usd = fmean(after for _, after in costs) if costs else None
    groups = by_brief(pairs).values()
    base = [[pair.base.means for pair in group] for group in groups]
    head = [[pair.head.means for pair in group] for group in groups]
    return Figures(
        base=_side_figures(base, base_usd, confidence),
        head=_side_figures(head, head_usd, confidence),
        cost_ratio=head_usd / base_usd if base_usd and head_usd is not None else None,
        latency_ratio=_latency_ratio(pairs),
    )


def _side_figures(
    briefs: Sequence[Sequence[Means]], usd: float | None, confidence: float
) -> SideFigures:
    scores = [average([means.score for means in of_models]) for of_models in briefs]
    qualities = [score.quality for score in scores if score.quality is not None]
    every = [means for of_models in briefs for means in of_models]
    answers = sum(means.answers for means in every)
    share, count = 1 - fmean(score.usable for score in scores), len(scores)
    low, upper = share_interval(share, count, confidence)
    high = upper if share > 0 else min(1.0, -math.log(1 - confidence) / count)
    return SideFigures(
        expected=fmean(score.expected for score in scores),
        quality=fmean(qualities) if qualities else None,
        answers=answers,
        failed=answers - math.fsum(means.usable for means in every),
        failures=Measurement(value=share, low=low, high=high, n=count),
        usd_per_answer=usd,
    )


def _latency_ratio(pairs: Iterable[Pair]) -> float | None:
    latencies = _known_on_both(pairs, "latency_ms")
    logs = [math.log(after / before) for before, after in latencies if min(before, after) > 0]
    return math.exp(fmean(logs)) if logs else None


def _known_on_both(pairs: Iterable[Pair], quantity: str) -> list[tuple[float, float]]:
    """The means of a measured quantity on base and head, of the pairs that have both."""
    means = []
    for pair in pairs:
        before = getattr(pair.base.means, quantity)
        after = getattr(pair.head.means, quantity)
        if before is not None and after is not None:
            means.append((before, after))
    return means


def moves(pairs: Iterable[Pair]) -> tuple[Move, ...]:
    """Every brief that moved at all, the largest difference first; equal ones sorted by brief
    id.
    """
    briefs = [_move(brief, group) for brief, group in by_brief(pairs).items()]
    moved = [move for move in briefs if any(cell.moved for cell in move.models)]
    return tuple(sorted(moved, key=lambda move: (-abs(move.difference), move.brief_id)))


def _move(brief: str, pairs: Sequence[Pair]) -> Move:
    difference = fmean(pair.difference for pair in pairs)
    return Move(brief, difference, tuple(map(_moved_cell, pairs)))


def moved_cells(moved: Iterable[Move]) -> tuple[MovedCell, ...]:
    """The cells whose scores or violations changed, the largest change of score first.

    Equal changes are sorted by brief and model.
    """
    cells = [cell for move in moved for cell in move.models if cell.moved]
    return tuple(sorted(cells, key=_rank))


def _rank(cell: MovedCell) -> tuple[float, str, str]:
    return -abs(cell.difference), cell.brief_id, cell.model_id


def _moved_cell(pair: Pair) -> MovedCell:
    base, head = pair.ends
    before, after = _codes(base.cards), _codes(head.cards)
    gained, lost = tuple(sorted(after - before)), tuple(sorted(before - after))
    return MovedCell(pair.model_id, pair.brief_id, base.expected, head.expected, gained, lost)


def _codes(cards: Iterable[Scorecard]) -> set[str]:
    """Violations, failed fidelity checks, and the statuses of answers without a graph."""
    codes: set[str] = set()
    for card in cards:
        if card.status != "success":
            codes.add(card.status)
            continue
        codes.update(card.violation_codes)
        codes.update(check.name for check in card.fidelity if check.outcome == "fail")
    return codes
