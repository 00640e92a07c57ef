"""Scoring as a library: pure functions from a response to its scorecard."""

import hashlib
from collections.abc import Iterable

from stages.contracts import graph as graph_format
from stages.contracts.brief import Brief, Expectations, Prompt
from stages.contracts.json_text import JsonValue, canonical
from stages.contracts.params import SCORING_VERSION, ScoringRules
from stages.contracts.record import hashed_values
from stages.contracts.response import Response
from stages.contracts.scorecard import (
    DIMENSIONS,
    CheckResult,
    Dimension,
    Finding,
    Scorecard,
    SubScore,
)
from stages.score.fidelity import FIDELITY_RULES, FidelityChecker
from stages.score.structure import violation_codes, violations
from stages.score.sub_scores import sub_scores
from stages.score.topology import Topology
from stages.score.warnings import warnings

_NO_GRAPH = graph_format.DraftGraph(nodes=(), edges=())


class Scorer:
    """Scores responses by one set of rules, each with the expectations and the text of its brief.

    A response whose brief is not among `briefs` is scored with the default expectations; without a brief's text there are no
    fidelity checks. `prompt` is that of the answers.
    """

    def __init__(
        self, rules: ScoringRules, briefs: Iterable[Brief] = (), prompt: Prompt | None = None
    ) -> None:
        self.briefs = {brief.id: brief for brief in briefs}
        self._rules = rules
        self._rules_sha256 = rules_sha256(rules)
        self._prompt = prompt
        self._checker = FidelityChecker(prompt.text if prompt else "", self.briefs.values())

    @property
    def sha256(self) -> str:
        """The hash of everything that a score depends on besides the response: rules, briefs and prompt."""
        briefs = {brief.id: brief.sha256 for brief in self.briefs.values()}
        prompt = self._prompt.sha256 if self._prompt else None
        return hashlib.sha256(canonical([self._rules_sha256, briefs, prompt])).hexdigest()

    def score(self, response: Response) -> Scorecard:
        """The scorecard of a response. Never raises, whatever the answer."""
        brief = self.briefs.get(response.brief_id)
        expectations = brief.expectations if brief else Expectations()
        succeeded = response.status == "success"
        graph, problems = graph_format.read(response.parsed_graph) if succeeded else (_NO_GRAPH, ())
        topology = Topology(graph)
        found = (
            violations(topology, problems, self._rules.limits)
            if succeeded
            else (_no_graph(response),)
        )
        scores: dict[Dimension, tuple[SubScore, ...]] = {}
        checks: tuple[CheckResult, ...] = ()
        param = option = complete = overall = None
        if not found:
            scores = sub_scores(topology, expectations, self._rules)
            checks = self._checker.check(graph, brief.id) if brief and brief.body else ()
            weights = self._rules.weights.overall
            param, option, complete = (weighted(scores[dimension]) for dimension in DIMENSIONS)
            overall = (
                param * weights.param_quality
                + option * weights.option_diff
                + complete * weights.completeness
            )
        failed = any(
            check.outcome == "fail" and check.name in self._rules.fidelity for check in checks
        )
        usable = not found and not failed
        without_usable_graph = 0.0 if response.answered else None
        return Scorecard(
            model_id=response.model_id,
            brief_id=response.brief_id,
            sample=response.sample,
            status=response.status,
            structural_valid=not found,
            usable=usable,
            violation_codes=violation_codes(found),
            param_quality=param,
            option_diff=option,
            completeness=complete,
            overall_score=overall,
            expected_score=overall if usable else without_usable_graph,
            node_count=graph.node_count,
            edge_count=graph.edge_count,
            violations=found,
            warnings=warnings(topology, self._rules.status_quo_pattern),
            sub_scores=scores,
            fidelity=checks,
            complexity=expectations.complexity,
            scoring_version=SCORING_VERSION,
            scoring_rules=self._rules_sha256,
            fingerprint=response.fingerprint,
            failure_code=response.failure_code,
            extraction_method=response.extraction_method,
            measured=response.measured,
            prompt_sha256=self._prompt.sha256 if self._prompt else None,
            brief_sha256=brief.sha256 if brief else None,
        )

    def score_graph(self, graph: JsonValue, brief_id: str) -> Scorecard:
        """The scorecard of a graph that is in memory, as an answer to a brief; its model is called "graph".

        >>> Scorer(ScoringRules()).score_graph([], "brief").violations[0].path
        '$'
        """
        return self.score(
            Response(
                model_id="graph", brief_id=brief_id, sample=1, status="success", parsed_graph=graph
            )
        )


def _no_graph(response: Response) -> Finding:
    cause = "The answer has no graph" if response.answered else "There is no answer"
    return Finding(code="NO_GRAPH", message=f"{cause}: {response.status}.")


def rules_sha256(rules: ScoringRules) -> str:
    """The hash of the rules, the fidelity checks' thresholds and word lists, and the scoring version."""
    return hashlib.sha256(
        canonical([SCORING_VERSION, hashed_values(rules), FIDELITY_RULES])
    ).hexdigest()


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
    """The scorecard of one response by the specification's rules alone: without the brief's text there are no fidelity checks.

    >>> answer = Response(model_id="m", brief_id="b", sample=1, status="success", parsed_graph={"nodes": [], "edges": []})
    >>> score(answer, Expectations(), ScoringRules()).violation_codes
    ('MISSING_GOAL', 'MISSING_DECISION', 'INSUFFICIENT_OPTIONS', 'MISSING_BRIDGE')
    """
    brief = Brief(id=response.brief_id, expectations=expectations, body="", sha256="")
    return Scorer(rules, [brief]).score(response)
