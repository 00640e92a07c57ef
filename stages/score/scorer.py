"""Scoring as a library: pure functions from an answer to its scorecard."""

import msgspec

from stages.contracts.brief import Expectations
from stages.contracts.graph import GraphReading, read_graph, read_graph_json
from stages.contracts.json_search import find_json
from stages.contracts.json_text import JsonValue
from stages.contracts.response import ANSWERED, Response, Status
from stages.contracts.scorecard import Finding, Scorecard
from stages.contracts.scoring_rules import ScoringRules
from stages.score.completeness import completeness
from stages.score.evidence import Witness
from stages.score.options import option_diff
from stages.score.overall import Verdict, scorecard
from stages.score.parameters import param_quality
from stages.score.status_quo import label_matcher
from stages.score.structure import violation_codes, violations
from stages.score.topology import survey
from stages.score.warnings import warnings


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
        reading = read_graph(response.parsed_graph) if response.status == "success" else None
        return self.score_reading(response, reading, expectations)

    def score_text(self, raw_text: str, response: Response, expectations: Expectations) -> Scorecard:
        """The scorecard of an answer from its raw text; `response` says what else there is to say about it.

        Its status becomes `success` or, where the text has no JSON or only `null`, `parse_failed`.
        """
        found = find_json(raw_text, _read_unless_null)
        status: Status = "parse_failed" if found.content is None else "success"
        if response.status != status or response.extraction_method != found.method:
            response = msgspec.structs.replace(response, status=status, extraction_method=found.method)
        return self.score_reading(response, found.content, expectations)

    def score_reading(self, response: Response, reading: GraphReading | None, expectations: Expectations) -> Scorecard:
        """The scorecard of a response whose graph was read before; `parsed_graph` is not looked at.

        `reading` is None where there is no graph, because the status is not `success`.
        """
        verdict = self._verdict(reading, expectations) if reading is not None else _without_graph(response.status)
        return scorecard(response, expectations.complexity, verdict, self._rules.weights.overall, self._digest)

    def _verdict(self, reading: GraphReading, expectations: Expectations) -> Verdict:
        rules, topology = self._rules, survey(reading.graph)
        witness = Witness(reading.graph, reading.edge_places)
        found = violations(reading, topology, witness, rules.limits)
        odd = tuple(warnings(reading, topology, witness))
        if found:
            return Verdict(
                codes=violation_codes(found, topology),
                violations=tuple(found),
                warnings=odd,
                node_count=reading.node_count,
                edge_count=reading.edge_count,
            )
        options = topology.by_kind.get("option", [])
        return Verdict(
            warnings=odd,
            node_count=reading.node_count,
            edge_count=reading.edge_count,
            sub_scores={
                "param_quality": param_quality(topology, rules),
                "option_diff": option_diff(options, expectations.expect_status_quo, self._is_status_quo, rules),
                "completeness": completeness(topology, expectations, self._generic_labels, rules),
            },
        )


def _without_graph(status: Status) -> Verdict:
    cause = "The answer has no graph" if status in ANSWERED else "There is no answer"
    finding = Finding(code="NO_GRAPH", message=f"{cause}: {status}.")
    return Verdict(codes=(finding.code,), violations=(finding,))


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
    """The scorecard of a graph that is at hand, whoever drafted it; its cell is called "graph".

    >>> score_graph([], Expectations(), ScoringRules()).violations[0].path
    '$'
    """
    response = Response(model_id="graph", brief_id="graph", sample=1, status="success", parsed_graph=graph)
    return score(response, expectations, rules)
