"""The scorecard of a response: verdict, scores and evidence. The one function that other code needs is `score`."""

from collections.abc import Iterable

import msgspec

from stages.contracts.brief import Expectations
from stages.contracts.graph import GraphReading, read_graph, read_graph_json
from stages.contracts.json_search import find_json
from stages.contracts.json_text import JsonValue
from stages.contracts.response import ANSWERED, Response
from stages.contracts.scorecard import Dimension, Finding, Scorecard, SubScore
from stages.contracts.scoring_rules import SCORING_VERSION, ScoringRules
from stages.score.completeness import completeness
from stages.score.evidence import Witness
from stages.score.options import option_diff
from stages.score.parameters import param_quality
from stages.score.status_quo import label_matcher
from stages.score.structure import violation_codes, violations
from stages.score.topology import survey
from stages.score.warnings import warnings


def weighted(sub_scores: Iterable[SubScore]) -> float:
    """The sum of value x weight, added one after the other as doubles: the dimension.

    >>> weighted([])
    0.0
    """
    total = 0.0
    for sub_score in sub_scores:
        total += sub_score.value * sub_score.weight
    return total


class Scorer:
    """Scores responses by one set of rules, which is prepared once.

    Args:
        rules: The weights, thresholds, limits and word lists.
    """

    def __init__(self, rules: ScoringRules) -> None:
        self._rules = rules
        self._digest = rules.sha256
        self._is_status_quo = label_matcher(rules.status_quo_pattern)
        self._generic_labels = frozenset(label.strip().lower() for label in rules.generic_labels)

    def score(self, response: Response, expectations: Expectations) -> Scorecard:
        """The scorecard of a response to a brief with these expectations. Never raises, whatever the answer."""
        if response.status != "success":
            return self._ungraphed(response, expectations)
        return self.score_reading(response, read_graph(response.parsed_graph), expectations)

    def score_reading(self, response: Response, reading: GraphReading, expectations: Expectations) -> Scorecard:
        """The scorecard of a successful response whose graph was read before; `parsed_graph` is not looked at."""
        topology = survey(reading.graph)
        rules = self._rules
        found = violations(reading, topology, rules.limits)
        odd = warnings(topology, Witness(reading.graph, reading.edge_places))
        if found:
            codes = violation_codes(found, topology)
            return self._card(response, expectations, codes, found, odd, reading.node_count, reading.edge_count)
        parameters = param_quality(topology, rules)
        options = option_diff(
            topology.by_kind["option"],
            expect_status_quo=expectations.expect_status_quo,
            is_status_quo=self._is_status_quo,
            rules=rules,
        )
        complete = completeness(topology, expectations, self._generic_labels, rules)
        return self._card(
            response, expectations, (), (), odd, reading.node_count, reading.edge_count, parameters, options, complete
        )

    def score_text(self, raw_text: str, response: Response, expectations: Expectations) -> Scorecard:
        """The scorecard of an answer from its raw text; `response` says what else there is to say about it.

        Its status is then `success` or, where the text has no JSON or only `null`, `parse_failed`.
        """
        found = find_json(raw_text, _read_unless_null)
        if found.content is None:
            return self._ungraphed(msgspec.structs.replace(response, status="parse_failed"), expectations)
        response = msgspec.structs.replace(response, status="success", extraction_method=found.method)
        return self.score_reading(response, found.content, expectations)

    def _ungraphed(self, response: Response, expectations: Expectations) -> Scorecard:
        cause = "The answer has no graph" if response.status in ANSWERED else "There is no answer"
        finding = Finding(code="NO_GRAPH", message=f"{cause}: {response.status}.")
        return self._card(response, expectations, ("NO_GRAPH",), (finding,), (), None, None)

    def _card(
        self,
        response: Response,
        expectations: Expectations,
        codes: tuple[str, ...],
        found: Iterable[Finding],
        odd: Iterable[Finding],
        node_count: int | None,
        edge_count: int | None,
        parameters: tuple[SubScore, ...] | None = None,
        options: tuple[SubScore, ...] | None = None,
        complete: tuple[SubScore, ...] | None = None,
    ) -> Scorecard:
        param = choice = whole = overall = None
        expected = 0.0 if response.status in ANSWERED else None
        sub_scores: dict[Dimension, tuple[SubScore, ...]] = {}
        if parameters is not None and options is not None and complete is not None:
            weights = self._rules.weights.overall
            param, choice, whole = weighted(parameters), weighted(options), weighted(complete)
            overall = param * weights.param_quality + choice * weights.option_diff + whole * weights.completeness
            expected = overall
            sub_scores = {"param_quality": parameters, "option_diff": options, "completeness": complete}
        return Scorecard(
            model_id=response.model_id,
            brief_id=response.brief_id,
            sample=response.sample,
            status=response.status,
            structural_valid=overall is not None,
            violation_codes=codes,
            param_quality=param,
            option_diff=choice,
            completeness=whole,
            overall_score=overall,
            expected_score=expected,
            node_count=node_count,
            edge_count=edge_count,
            violations=tuple(found),
            warnings=tuple(odd),
            sub_scores=sub_scores,
            complexity=expectations.complexity,
            scoring_version=SCORING_VERSION,
            scoring_rules=self._digest,
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


def _read_unless_null(text: str) -> GraphReading | None:
    return None if text == "null" else read_graph_json(text)


def score(response: Response, expectations: Expectations, rules: ScoringRules) -> Scorecard:
    """The scorecard of one response; for many responses by the same rules make one `Scorer`.

    >>> answer = Response(model_id="m", brief_id="b", sample=1, status="success", parsed_graph={"nodes": [], "edges": []})
    >>> score(answer, Expectations(), ScoringRules()).violation_codes
    ('MISSING_GOAL', 'MISSING_DECISION', 'INSUFFICIENT_OPTIONS', 'MISSING_BRIDGE')
    """
    return Scorer(rules).score(response, expectations)


def score_graph(graph: JsonValue, expectations: Expectations, rules: ScoringRules) -> Scorecard:
    """The scorecard of a graph that is at hand, whoever drafted it."""
    response = Response(model_id="graph", brief_id="graph", sample=1, status="success", parsed_graph=graph)
    return score(response, expectations, rules)
