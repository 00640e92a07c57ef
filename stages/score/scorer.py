"""Scoring as a library: pure functions from an answer to its scorecard."""

from collections.abc import Iterable, Iterator

from stages.contracts.brief import Expectations
from stages.contracts.graph import GraphReading
from stages.contracts.json_text import JsonValue
from stages.contracts.response import ANSWERED, Response, Status
from stages.contracts.scorecard import Dimension, Finding, Scorecard, SubScore
from stages.contracts.scoring_rules import ScoringRules
from stages.score.answer import Answer, parsed_answer, text_answer
from stages.score.completeness import completeness
from stages.score.evidence import Witness
from stages.score.options import option_diff
from stages.score.overall import Verdict, scorecard
from stages.score.parameters import param_quality
from stages.score.status_quo import label_matcher
from stages.score.structure import violation_codes, violations
from stages.score.topology import Topology, survey
from stages.score.warnings import warnings

_AT_ONCE = 32
_PARTS_AT_ONCE = 10_000  # nodes and edges
SubScores = dict[Dimension, tuple[SubScore, ...]]


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
        return next(self.score_all([parsed_answer(response, expectations)]))

    def score_text(self, raw_text: str, response: Response, expectations: Expectations) -> Scorecard:
        """The scorecard of an answer from its raw text; `response` says what else there is to say about it."""
        return next(self.score_all([text_answer(raw_text, response, expectations)]))

    def score_all(self, answers: Iterable[Answer]) -> Iterator[Scorecard]:
        """The scorecard of each answer, in their order.

        Each rule is applied to some answers before the next rule, which is a quarter faster than each answer by itself:
        the code of one rule stays in the processor's caches. So some answers are held, however many there are; fewer
        where they are large.
        """
        stream = iter(answers)
        while some := _next_few(stream):
            verdicts = self._verdicts(
                [(answer.reading, answer.expectations) for answer in some if answer.reading is not None]
            )
            for answer in some:
                response = answer.response
                verdict = next(verdicts) if answer.reading is not None else _without_graph(response.status)
                complexity = answer.expectations.complexity
                yield scorecard(response, complexity, verdict, self._rules.weights.overall, self._digest)

    def _verdicts(self, readings: list[tuple[GraphReading, Expectations]]) -> Iterator[Verdict]:
        limits = self._rules.limits
        drafts = [
            (reading, survey(reading.graph), Witness(reading.graph, reading.edge_places)) for reading, _ in readings
        ]
        broken = [violations(*draft, limits) for draft in drafts]
        odd = [tuple(warnings(*draft)) for draft in drafts]
        valid = [
            (topology, expectations)
            for (_, topology, _), (_, expectations), found in zip(drafts, readings, broken, strict=True)
            if not found
        ]
        sub_scores = self._sub_scores(valid)
        for (reading, topology, _), found, strange in zip(drafts, broken, odd, strict=True):
            yield Verdict(
                codes=violation_codes(found, topology) if found else (),
                violations=tuple(found),
                warnings=strange,
                node_count=reading.node_count,
                edge_count=reading.edge_count,
                sub_scores=None if found else next(sub_scores),
            )

    def _sub_scores(self, valid: list[tuple[Topology, Expectations]]) -> Iterator[SubScores]:
        rules = self._rules
        params = [param_quality(topology, rules) for topology, _ in valid]
        choices = [
            option_diff(topology.by_kind["option"], expects.expect_status_quo, self._is_status_quo, rules)
            for topology, expects in valid
        ]
        wholes = [completeness(topology, expects, self._generic_labels, rules) for topology, expects in valid]
        for param, choice, whole in zip(params, choices, wholes, strict=True):
            yield {"param_quality": param, "option_diff": choice, "completeness": whole}


def _next_few(answers: Iterator[Answer]) -> list[Answer]:
    """The answers that are scored at once; none at the end."""
    some: list[Answer] = []
    parts = 0
    for answer in answers:
        some.append(answer)
        if answer.reading is not None:
            parts += len(answer.reading.graph.nodes) + len(answer.reading.graph.edges)
        if len(some) == _AT_ONCE or parts > _PARTS_AT_ONCE:
            break
    return some


def _without_graph(status: Status) -> Verdict:
    cause = "The answer has no graph" if status in ANSWERED else "There is no answer"
    finding = Finding(code="NO_GRAPH", message=f"{cause}: {status}.")
    return Verdict(codes=(finding.code,), violations=(finding,))


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
