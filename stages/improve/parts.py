"""The three parts of the briefs: those that the proposer learns from, those that choose among its
candidates, and those that prove the best one. Pure.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from stages.contracts.brief import Brief
from stages.contracts.improvement import BriefParts, BriefRole
from stages.statistics.draw import deal

MIN_PROVING, MIN_IN_ALL = 8, 12
"""The fewest briefs that prove, and in all."""
_SEED = "parts 1"


def draw_parts(briefs: Sequence[Brief], earlier: BriefParts) -> BriefParts:
    """The parts with every brief in one, within each complexity: half of them prove, eight at
    least, a quarter each learns and chooses. A brief stays in its part.
    """
    complexities = {brief.id: brief.expectations.complexity for brief in briefs}
    shares = _shares(len(complexities | earlier.parts))
    parts = deal(complexities, shares, earlier.parts, _SEED)
    return earlier.model_copy(update={"parts": parts})


def _shares(briefs: int) -> Mapping[BriefRole, Fraction]:
    proving = max(Fraction(1, 2), Fraction(MIN_PROVING, max(briefs, MIN_PROVING)))
    other = (1 - proving) / 2
    return {"prove": proving, "learn": other, "choose": other}
