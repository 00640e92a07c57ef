"""The overall score and the scorecard: what was found about an answer, beside what the response says of it."""

from collections.abc import Iterable

import msgspec

from stages.contracts.brief import Complexity
from stages.contracts.response import ANSWERED, Response
from stages.contracts.scorecard import Dimension, Finding, Scorecard, SubScore
from stages.contracts.scoring_rules import SCORING_VERSION, OverallWeights


class Verdict(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What scoring found about one answer; `sub_scores` is None when the graph is invalid or there is none."""

    codes: tuple[str, ...] = ()
    violations: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    node_count: int | None = None
    edge_count: int | None = None
    sub_scores: dict[Dimension, tuple[SubScore, ...]] | None = None


def weighted(sub_scores: Iterable[SubScore]) -> float:
    """The sum of value x weight, added one after the other as doubles: the dimension; 0 for none.

    >>> weighted([SubScore(name="a", value=0.5, weight=0.4, counted={}, message="")])
    0.2
    """
    total = 0.0
    for sub_score in sub_scores:
        total += sub_score.value * sub_score.weight
    return total


def scorecard(
    response: Response, complexity: Complexity, verdict: Verdict, weights: OverallWeights, rules_sha256: str
) -> Scorecard:
    """The scorecard of a response. `expected_score` is 0 for an answer that is unusable or invalid, None without one."""
    sub_scores = verdict.sub_scores
    param = choice = whole = overall = None
    if sub_scores is not None:
        param, choice = weighted(sub_scores["param_quality"]), weighted(sub_scores["option_diff"])
        whole = weighted(sub_scores["completeness"])
        overall = param * weights.param_quality + choice * weights.option_diff + whole * weights.completeness
    unscored = 0.0 if response.status in ANSWERED else None
    return Scorecard(
        model_id=response.model_id,
        brief_id=response.brief_id,
        sample=response.sample,
        status=response.status,
        structural_valid=overall is not None,
        violation_codes=verdict.codes,
        param_quality=param,
        option_diff=choice,
        completeness=whole,
        overall_score=overall,
        expected_score=unscored if overall is None else overall,
        node_count=verdict.node_count,
        edge_count=verdict.edge_count,
        violations=verdict.violations,
        warnings=verdict.warnings,
        sub_scores=sub_scores or {},
        complexity=complexity,
        scoring_version=SCORING_VERSION,
        scoring_rules=rules_sha256,
        fingerprint=response.fingerprint,
        failure_code=response.failure_code,
        extraction_method=response.extraction_method,
        latency_ms=response.latency_ms,
        input_tokens=response.input_tokens,
        cached_tokens=response.cached_tokens,
        cache_write_tokens=response.cache_write_tokens,
        output_tokens=response.output_tokens,
        reasoning_tokens=response.reasoning_tokens,
        est_cost_usd=response.est_cost_usd,
        pricing_source=response.pricing_source,
        attempts=response.attempts,
        draws=response.draws,
        simulated=response.simulated,
        created_at=response.created_at,
    )
