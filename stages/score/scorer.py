"""Scoring as a library: pure functions from a response to its scorecard."""

import hashlib
from collections.abc import Iterable, Mapping

from stages.score.fidelity.checker import FIDELITY_RULES, Fidelity, FidelityChecker
from stages.score.fidelity.effects import Meaning
from stages.score.sub_scores import sub_scores
from stages.score.warnings import warnings
from stages.shared.records.brief import Brief, Expectations, Prompt
from stages.shared.records.codebook import Codebook
from stages.shared.records.graph import DraftGraph, SchemaProblem, read
from stages.shared.records.json_text import JsonValue, canonical
from stages.shared.records.params import SCORING_VERSION, OverallWeights, ScoringRules
from stages.shared.records.record import hashed_values
from stages.shared.records.response import Response
from stages.shared.records.scorecard import (
    CheckResult,
    Dimension,
    Finding,
    Scorecard,
    SubScore,
)
from stages.shared.structure.rules import violation_codes, violations
from stages.shared.structure.topology import Topology

_NO_GRAPH = DraftGraph(nodes=(), edges=())


class Scorer:
    """Scores responses by one set of rules, each with the expectations and the text of its brief.

    A response whose brief is not among `briefs` is scored with the default expectations; without a
    brief's text there are no fidelity checks. `prompt` is that of the answers, except of recorded
    ones that name one of `other_prompts`; `codebooks` are by the id of their brief.
    """

    def __init__(
        self,
        rules: ScoringRules,
        briefs: Iterable[Brief] = (),
        prompt: Prompt | None = None,
        other_prompts: Iterable[Prompt] = (),
        codebooks: Mapping[str, Codebook] | None = None,
    ) -> None:
        self.briefs = {brief.id: brief for brief in briefs}
        self._rules = rules
        self._rules_sha256 = rules_sha256(rules)
        self._codebooks = codebooks or {}
        self._checker = self._checker_with(prompt)
        self._other_checkers = {other.path: self._checker_with(other) for other in other_prompts}

    def _checker_with(self, prompt: Prompt | None) -> FidelityChecker:
        briefs = self.briefs.values()
        return FidelityChecker(prompt, briefs, self._codebooks, self._rules.min_content)

    @property
    def sha256(self) -> str:
        """The hash of everything that a score depends on besides the response: rules, briefs,
        codebooks and prompt.
        """
        briefs = {brief.id: brief.sha256 for brief in self.briefs.values()}
        checkers = [self._checker, *self._other_checkers.values()]
        prompts = [checker.prompt_sha256 for checker in checkers]
        codebooks = {brief: codebook.sha256 for brief, codebook in self._codebooks.items()}
        return _sha256([self._rules_sha256, briefs, codebooks, *prompts])

    def score(self, response: Response, *, traffic: bool = False) -> Scorecard:
        """The scorecard of a response, or of traffic. Never raises, whatever the answer."""
        brief = self.briefs.get(response.brief_id)
        codebook = self._codebooks.get(response.brief_id)
        named_prompt = str(response.request.get("prompt"))
        checker = self._other_checkers.get(named_prompt, self._checker)
        expectations = brief.expectations if brief else Expectations()
        graph, problems = _read_graph(response)
        topology = Topology(graph)
        pattern = self._rules.status_quo_pattern
        broken_rules: tuple[Finding, ...] = (_no_graph(response),)
        if response.status == "success":
            broken_rules = violations(topology, problems, self._rules.limits)
        parts: dict[Dimension, tuple[SubScore, ...]] = {}
        fidelity = Fidelity((), Meaning())
        if not broken_rules:
            parts = sub_scores(topology, expectations, self._rules)
            if brief and brief.body:
                fidelity = checker.check(topology, pattern, brief.id)
        dimensions = {dimension: weighted(marks) for dimension, marks in parts.items()}
        overall = _overall(dimensions, self._rules.weights.overall) if dimensions else None
        usable = not broken_rules and not self._fails(fidelity.checks)
        expected = overall if usable else None
        if response.answered and not usable:
            expected = 0.0
        return Scorecard(
            model_id=response.model_id,
            brief_id=response.brief_id,
            sample=response.sample,
            traffic=traffic,
            status=response.status,
            structural_valid=not broken_rules,
            usable=usable,
            violation_codes=violation_codes(broken_rules),
            param_quality=dimensions.get("param_quality"),
            option_diff=dimensions.get("option_diff"),
            completeness=dimensions.get("completeness"),
            overall_score=overall,
            expected_score=expected,
            node_count=graph.node_count,
            edge_count=graph.edge_count,
            violations=broken_rules,
            warnings=warnings(topology, pattern),
            sub_scores=parts,
            fidelity=fidelity.checks,
            content=fidelity.meaning.content,
            coded=fidelity.meaning.coded,
            effects=fidelity.meaning.results,
            complexity=expectations.complexity,
            scoring_version=SCORING_VERSION,
            scoring_rules=self._rules_sha256,
            fingerprint=response.fingerprint,
            failure_code=response.failure_code,
            extraction_method=response.extraction_method,
            measured=response.measured,
            prompt_sha256=checker.prompt_sha256,
            brief_sha256=brief.sha256 if brief else None,
            codebook_sha256=codebook.sha256 if codebook else None,
        )

    def score_graph(self, graph: JsonValue, brief_id: str) -> Scorecard:
        """The scorecard of a graph that is in memory, as an answer to a brief; its model is called
        "graph".

        >>> Scorer(ScoringRules()).score_graph([], "brief").violations[0].path
        '$'
        """
        response = Response(
            model_id="graph", brief_id=brief_id, sample=1, status="success", parsed_graph=graph
        )
        return self.score(response)

    def _fails(self, checks: Iterable[CheckResult]) -> bool:
        failed = {check.name for check in checks if check.outcome == "fail"}
        return not failed.isdisjoint(self._rules.fidelity)


def _read_graph(response: Response) -> tuple[DraftGraph, tuple[SchemaProblem, ...]]:
    if response.status != "success":
        return _NO_GRAPH, ()
    return read(response.parsed_graph)


def _no_graph(response: Response) -> Finding:
    cause = "The answer has no graph" if response.answered else "There is no answer"
    return Finding(code="NO_GRAPH", message=f"{cause}: {response.status}.")


def rules_sha256(rules: ScoringRules) -> str:
    """The hash of the rules, the fidelity checks' thresholds and word lists, and the scoring
    version.
    """
    return _sha256([SCORING_VERSION, hashed_values(rules), FIDELITY_RULES])


def _sha256(value: object) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def weighted(sub_scores: Iterable[SubScore]) -> float:
    """The sum of value x weight, added one after the other as doubles: the dimension; 0 for none.

    >>> weighted([SubScore(name="a", value=0.5, weight=0.4, counted={}, message="")])
    0.2
    """
    total = 0.0
    for sub_score in sub_scores:
        total += sub_score.value * sub_score.weight
    return total


def _overall(dimensions: Mapping[Dimension, float], weights: OverallWeights) -> float:
    return (
        dimensions["param_quality"] * weights.param_quality
        + dimensions["option_diff"] * weights.option_diff
        + dimensions["completeness"] * weights.completeness
    )


def score(response: Response, expectations: Expectations, rules: ScoringRules) -> Scorecard:
    """The scorecard of one response by the specification's rules alone: without the brief's text
    there are no fidelity checks.

    >>> graph = {"nodes": [], "edges": []}
    >>> answer = Response(
    ...     model_id="m", brief_id="b", sample=1, status="success", parsed_graph=graph
    ... )
    >>> score(answer, Expectations(), ScoringRules()).violation_codes
    ('MISSING_GOAL', 'MISSING_DECISION', 'INSUFFICIENT_OPTIONS', 'MISSING_BRIDGE')
    """
    brief = Brief(id=response.brief_id, expectations=expectations, body="", sha256="")
    return Scorer(rules, [brief]).score(response)
