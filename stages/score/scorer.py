"""Scoring as a library: pure functions from a response to its scorecard."""

from collections.abc import Iterable

from stages.contracts import graph as graph_format
from stages.contracts.brief import Expectations
from stages.contracts.json_text import JsonValue
from stages.contracts.params import SCORING_VERSION, ScoringRules
from stages.contracts.response import Response
from stages.contracts.scorecard import Dimension, Finding, Scorecard, SubScore
from stages.score.completeness import completeness
from stages.score.options import option_diff
from stages.score.parameters import param_quality
from stages.score.structure import violation_codes, violations
from stages.score.topology import Topology
from stages.score.warnings import warnings


class Scorer:
    """Scores responses by one set of rules.

    Args:
        rules: The weights, thresholds, limits and word lists.
    """

    def __init__(self, rules: ScoringRules) -> None:
        self._rules = rules
        self._rules_sha256 = rules.sha256

    def score(self, response: Response, expectations: Expectations) -> Scorecard:
        """The scorecard of a response to a brief with these expectations. Never raises, whatever the answer."""
        if response.status != "success":
            cause = "The answer has no graph" if response.answered else "There is no answer"
            missing = Finding(code="NO_GRAPH", message=f"{cause}: {response.status}.")
            return self._scorecard(response, expectations, (missing,))
        graph, problems = graph_format.read(response.parsed_graph)
        topology = Topology(graph)
        found = violations(topology, problems, self._rules.limits)
        sub_scores: dict[Dimension, tuple[SubScore, ...]] = {}
        if not found:
            sub_scores = {
                "param_quality": param_quality(topology, self._rules),
                "option_diff": option_diff(topology.of_kind("option"), expectations.expect_status_quo, self._rules),
                "completeness": completeness(topology, expectations, self._rules),
            }
        return self._scorecard(response, expectations, found, topology, sub_scores)

    def _scorecard(
        self,
        response: Response,
        expectations: Expectations,
        found: tuple[Finding, ...],
        topology: Topology | None = None,
        sub_scores: dict[Dimension, tuple[SubScore, ...]] | None = None,
    ) -> Scorecard:
        weights = self._rules.weights.overall
        param = option = complete = overall = None
        if sub_scores:
            param, option = weighted(sub_scores["param_quality"]), weighted(sub_scores["option_diff"])
            complete = weighted(sub_scores["completeness"])
            overall = param * weights.param_quality + option * weights.option_diff + complete * weights.completeness
        without_score = 0.0 if response.answered else None
        return Scorecard(
            model_id=response.model_id,
            brief_id=response.brief_id,
            sample=response.sample,
            status=response.status,
            structural_valid=not found,
            violation_codes=violation_codes(found),
            param_quality=param,
            option_diff=option,
            completeness=complete,
            overall_score=overall,
            expected_score=without_score if overall is None else overall,
            node_count=topology.graph.node_count if topology else None,
            edge_count=topology.graph.edge_count if topology else None,
            violations=found,
            warnings=warnings(topology) if topology else (),
            sub_scores=sub_scores or {},
            complexity=expectations.complexity,
            scoring_version=SCORING_VERSION,
            scoring_rules=self._rules_sha256,
            fingerprint=response.fingerprint,
            failure_code=response.failure_code,
            extraction_method=response.extraction_method,
            measured=response.measured,
        )


def weighted(sub_scores: Iterable[SubScore]) -> float:
    """The sum of value x weight, added one after the other as doubles: the dimension; 0 for none.

    >>> weighted([SubScore(name="a", value=0.5, weight=0.4, counted={}, message="")])
    0.2
    """
    total = 0.0
    for sub_score in sub_scores:
        total += sub_score.value * sub_score.weight
    return total


def score(response: Response, expectations: Expectations, rules: ScoringRules) -> Scorecard:
    """The scorecard of one response; for many responses by the same rules make one `Scorer`.

    >>> answer = Response(model_id="m", brief_id="b", sample=1, status="success", parsed_graph={"nodes": [], "edges": []})
    >>> score(answer, Expectations(), ScoringRules()).violation_codes
    ('MISSING_GOAL', 'MISSING_DECISION', 'INSUFFICIENT_OPTIONS', 'MISSING_BRIDGE')
    """
    return Scorer(rules).score(response, expectations)


def score_graph(graph: JsonValue, expectations: Expectations, rules: ScoringRules) -> Scorecard:
    """The scorecard of a graph that is in memory, whoever drafted it; its cell is called "graph".

    >>> score_graph([], Expectations(), ScoringRules()).violations[0].path
    '$'
    """
    response = Response(model_id="graph", brief_id="graph", sample=1, status="success", parsed_graph=graph)
    return score(response, expectations, rules)
