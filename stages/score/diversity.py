"""How much the parameters of causal edges differ. Sub-scores of equal counts are one record, made once."""

from functools import lru_cache

from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import SubScore
from stages.score.evidence import MAX_NAMED, counted


@lru_cache(maxsize=4096)
def strength_diversity(tenths: frozenset[int], edges: int, full: int, weight: float) -> SubScore:
    """How many |mean| differ after rounding to one decimal: `min(distinct / full, 1)`, 0 without edges.

    >>> strength_diversity(frozenset((3, 6)), 4, full=3, weight=0.25).value
    0.6666666666666666
    """
    return SubScore(
        name="strength_diversity",
        value=min(len(tenths) / full, 1.0),
        weight=weight,
        counted={"distinct_means": _decimals(tenths), "causal_edges": edges, "full_marks_at": full},
        message=f"{counted(len(tenths), 'distinct strength')} on {counted(edges, 'causal edge')}; full marks from {full}.",
    )


@lru_cache(maxsize=4096)
def exists_prob_diversity(tenths: frozenset[int], edges: int, full: int, weight: float) -> SubScore:
    """How many existence probabilities differ after rounding to one decimal: `min(distinct / full, 1)`, 0 without edges.

    >>> exists_prob_diversity(frozenset((9,)), 4, full=2, weight=0.2).value
    0.5
    """
    distinct = counted(len(tenths), "distinct probability", "distinct probabilities")
    return SubScore(
        name="exists_prob_diversity",
        value=min(len(tenths) / full, 1.0),
        weight=weight,
        counted={"distinct_probabilities": _decimals(tenths), "causal_edges": edges, "full_marks_at": full},
        message=f"{distinct} on {counted(edges, 'causal edge')}; full marks from {full}.",
    )


@lru_cache(maxsize=4096)
def std_variation(distinct: int, edges: int, weight: float) -> SubScore:
    """1 when standard deviations differ at all, compared exactly; 0 when all are one, or there is none.

    >>> std_variation(1, 4, weight=0.15).value
    0.0
    """
    return SubScore(
        name="std_variation",
        value=1.0 if distinct > 1 else 0.0,
        weight=weight,
        counted={"distinct_stds": distinct, "causal_edges": edges},
        message=f"{counted(distinct, 'distinct standard deviation')} on {counted(edges, 'causal edge')}.",
    )


def _decimals(tenths: frozenset[int]) -> list[JsonValue]:
    return [number / 10 for number in sorted(tenths)[:MAX_NAMED]]
