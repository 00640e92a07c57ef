"""Scoring as a library: pure functions from a response to its scorecard."""

from collections.abc import Callable, Iterable, Mapping

from graph_evaluator.graph.causal_model import CausalModel, Topology
from graph_evaluator.graph.choice import recommend
from graph_evaluator.records.brief import Brief, Expectations, Prompt
from graph_evaluator.records.codebook import Codebook
from graph_evaluator.records.graph import read
from graph_evaluator.records.json_text import JsonValue, sha256_of
from graph_evaluator.records.params import SCORING_VERSION, ScoringRules
from graph_evaluator.records.recommendation import Recommendation
from graph_evaluator.records.response import Answer, Cell, Response
from graph_evaluator.records.scorecard import (
    CHECKS,
    DIMENSION_WEIGHTS,
    CheckResult,
    DecidingNumber,
    Dimension,
    Finding,
    Scorecard,
    SubScore,
)
from graph_evaluator.score.fidelity.checks import check_graph
from graph_evaluator.score.fidelity.effects import Meaning, identify_options
from graph_evaluator.score.fidelity.subject import BriefContent, Draft, example_labels
from graph_evaluator.score.structure import violation_codes, violations, warnings
from graph_evaluator.score.sub_scores import sub_scores

AskOwnChecks = Callable[[Cell, JsonValue, Brief], tuple[CheckResult, ...]]
"""What a team's own checks say about a valid graph: `own_checks.OwnChecks.results`."""


class Scorer:
    """Scores responses by one set of rules, each with the expectations and the text of its brief.

    A response whose brief is not among `briefs` is scored with the default expectations; without a
    brief's text there are no fidelity checks. `prompt` is that of the answers, except of recorded
    ones that name one of `other_prompts`; `codebooks` are by the id of their brief. `failing` has
    the hashes of the team's own checks that can make a graph unusable, by name.
    """

    def __init__(
        self,
        rules: ScoringRules,
        briefs: Iterable[Brief] = (),
        prompt: Prompt | None = None,
        other_prompts: Iterable[Prompt] = (),
        codebooks: Mapping[str, Codebook] | None = None,
        own_checks: AskOwnChecks | None = None,
        failing: Mapping[str, str] | None = None,
    ) -> None:
        self._rules = rules
        self._own_checks = own_checks
        self._rules_sha256 = rules_sha256(rules, failing or {})
        self._examples = example_labels(prompt.text if prompt else "")
        self._other_examples = {other.path: example_labels(other.text) for other in other_prompts}
        coded = codebooks or {}
        self.briefs = {brief.id: BriefContent(brief, coded.get(brief.id)) for brief in briefs}

    def score(self, response: Response) -> Scorecard:
        """The scorecard of a response. Never raises, whatever the answer."""
        rules = self._rules
        cell, answer = response.cell, response.answer
        content = self.briefs.get(cell.brief_id)
        expectations = content.expectations if content else Expectations()
        named_prompt = str(response.request.get("prompt"))
        examples = self._other_examples.get(named_prompt, self._examples)
        has_graph = answer.status == "success"
        graph, problems = read(answer.graph if has_graph else None)
        topology = Topology(graph)
        broken_rules = violations(topology, problems) if has_graph else (_no_graph(answer),)
        parts: dict[Dimension, tuple[SubScore, ...]] = {}
        checks: tuple[CheckResult, ...] = ()
        meaning = Meaning()
        recommendation: Recommendation | None = None
        deciding: tuple[DecidingNumber, ...] = ()
        right_choice: bool | None = None
        if not broken_rules:
            parts = sub_scores(topology, expectations, rules)
            model = CausalModel(topology, rules.status_quo_pattern)
            stated_options: dict[str, str] = {}
            if content and content.body:
                draft = Draft(model)
                checks, meaning = check_graph(draft, content, examples, rules)
                stated_options = identify_options(draft, content)
            recommendation, deciding = recommend(model, stated_options)
            recommended = recommendation.recommended if recommendation else ()
            right_choice = expectations.is_right_choice([one.stated for one in recommended])
            if content and self._own_checks:
                checks += self._own_checks(cell, answer.graph, content.brief)
        dimensions = {
            dimension: _weighted_sum((mark.value, mark.weight) for mark in marks)
            for dimension, marks in parts.items()
        }
        weighted = [(value, DIMENSION_WEIGHTS[name]) for name, value in dimensions.items()]
        overall = _weighted_sum(weighted) if weighted else None
        failed = {check.name for check in checks if check.outcome == "fail"}
        usable = not broken_rules and failed.isdisjoint({*rules.fidelity, *rules.checks})
        score_of_failure = 0.0 if answer.answered else None
        found_warnings = warnings(topology)
        asked = response.request.get("model")
        return Scorecard(
            model_id=cell.model_id,
            brief_id=cell.brief_id,
            sample=cell.sample,
            status=answer.status,
            structural_valid=not broken_rules,
            usable=usable,
            violation_codes=violation_codes(broken_rules),
            param_quality=dimensions.get("param_quality"),
            option_diff=dimensions.get("option_diff"),
            completeness=dimensions.get("completeness"),
            overall_score=overall,
            expected_score=overall if usable else score_of_failure,
            node_count=graph.node_count,
            edge_count=graph.edge_count,
            violations=broken_rules,
            warning_codes=tuple(warning.code for warning in found_warnings),
            warnings=found_warnings,
            sub_score_values={
                f"{dimension}.{mark.name}": mark.value
                for dimension, marks in parts.items()
                for mark in marks
            },
            sub_scores=parts,
            checks={check.name: check.outcome for check in checks},
            own_checks={
                check.name: _own_value(check) for check in checks if check.name not in CHECKS
            },
            fidelity=checks,
            content=meaning.content,
            states_effects=bool(expectations.effects),
            exact_names=expectations.exact_names,
            effects=meaning.results,
            recommendation=recommendation,
            deciding=deciding,
            right_choice=right_choice,
            effect_counts=meaning.counts,
            drawn_effects=meaning.drawn,
            invented_effects=None if meaning.drawn is None else len(meaning.invented),
            invented=meaning.invented,
            complexity=expectations.complexity,
            scoring_version=SCORING_VERSION,
            scoring_rules=self._rules_sha256,
            asked_model=asked if isinstance(asked, str) else None,
            fingerprint=answer.fingerprint,
            failure_code=answer.failure_code,
            extraction_method=answer.extraction_method,
            draws=len(response.answers),
            measured=answer.measured,
            cost=response.cost,
            codebook_sha256=content.codebook_sha256 if content else None,
        )

    def score_graph(self, graph: JsonValue, brief_id: str) -> Scorecard:
        """The scorecard of a graph that is in memory, as an answer to a brief; its model is called
        "graph".

        >>> Scorer(ScoringRules()).score_graph([], "brief").violations[0].path
        '$'
        """
        answer = Answer(status="success", graph=graph)
        return self.score(Response(cell=Cell("graph", brief_id, 1), answer=answer))


def _no_graph(answer: Answer) -> Finding:
    """Why there is nothing to score."""
    cause = "The answer has no graph" if answer.answered else "There is no answer"
    return Finding(code="NO_GRAPH", message=f"{cause}: {answer.status}.")


def _own_value(check: CheckResult) -> bool | float | None:
    """What a check of the team's own gave."""
    if check.outcome == "not_applicable":
        return None
    return check.outcome == "pass" if check.share is None else check.share


def rules_sha256(rules: ScoringRules, failing: Mapping[str, str]) -> str:
    """The hash of what decides scores: the rules, the scoring version, which stands for our code,
    and `failing`, the hashes of the team's own checks that can make a graph unusable.
    """
    values = rules.model_dump(mode="json")
    values["checks"] = dict(failing)
    covered = [SCORING_VERSION, values]
    return sha256_of(covered)


def _weighted_sum(weighted: Iterable[tuple[float, float]]) -> float:
    """The sum of value x weight, added one after the other as doubles; 0 for none."""
    total = 0.0
    for value, weight in weighted:
        total += value * weight
    return total
