"""Scoring afresh where the rules differ."""

import pytest

from stages.compare.rescoring import rescored, to_rescore
from stages.contracts.brief import parse_brief
from stages.contracts.json_text import JsonValue, canonical
from stages.contracts.params import ScoringRules
from stages.contracts.response import Response
from stages.score.response_files import read_response
from stages.score.scorer import Scorer
from tests.compare.cards import card, side


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        pytest.param("new", "new", (False, False), id="both by today's rules"),
        pytest.param("old", "old", (False, False), id="both by the same old rules compare as they stand"),
        pytest.param("old", "new", (True, False), id="an older base"),
        pytest.param("new", "old", (False, True), id="an older head"),
        pytest.param("older", "old", (True, True), id="both older, and not alike"),
    ],
)
def test_a_side_by_other_rules_is_scored_afresh(base: str, head: str, expected: tuple[bool, bool]) -> None:
    assert to_rescore(side([card(rules=base)]), side([card(rules=head)]), "new") == expected


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        pytest.param("new", "new", (False, False), id="both by today's rules"),
        pytest.param("old", "old", (True, True), id="rules that were changed since"),
    ],
)
def test_the_working_tree_is_judged_by_todays_rules(base: str, head: str, expected: tuple[bool, bool]) -> None:
    workspace = side([card(rules=head)], "workspace", revision=None)
    assert to_rescore(side([card(rules=base)]), workspace, "new") == expected


def test_a_working_tree_without_scorecards_is_not_rescored() -> None:
    assert to_rescore(side([]), side([], "workspace", revision=None), "new") == (False, False)


TARGET = "---\nhas_numeric_target: true\n---\nShould we?\n"
GRAPH: JsonValue = {
    "nodes": [
        {"id": "g", "kind": "goal", "label": "Goal"},
        {"id": "d", "kind": "decision", "label": "Decision"},
        {"id": "a", "kind": "option", "label": "Keep it"},
        {"id": "b", "kind": "option", "label": "Change it"},
        {"id": "f", "kind": "factor", "label": "Staff hours"},
        {"id": "o", "kind": "outcome", "label": "Outcome"},
    ],
    "edges": [
        {"from": source, "to": target, "strength": {"mean": 0.3, "std": 0.1}, "exists_probability": 0.9}
        for source, target in (("d", "a"), ("d", "b"), ("a", "f"), ("b", "f"), ("f", "o"), ("o", "g"))
    ],
}


def test_the_answers_are_scored_with_the_expectations_of_their_own_briefs() -> None:
    files = {
        name: Response(model_id="m", brief_id=name, sample=1, status="success", parsed_graph=GRAPH)
        for name in ("b01", "gone")
    }
    answers = [read_response(canonical(each.to_json()), file=name) for name, each in files.items()]
    rules = ScoringRules()
    briefs = {"b01": parse_brief("b01", TARGET, file="b01.md")}
    found = rescored(side([card(rules="old")]), answers, briefs, Scorer(rules))
    assert (found.rescored, found.rules) == (True, frozenset({rules.sha256}))
    with_target, without = [each.completeness or 0.0 for each in found.scorecards]
    assert without - with_target == pytest.approx(rules.weights.completeness.goal_threshold)


def test_an_answer_that_is_no_graph_keeps_its_status() -> None:
    answer = Response(model_id="m", brief_id="b01", sample=1, status="parse_failed", raw_text="no")
    stored = read_response(canonical(answer.to_json()), file="r.json")
    (found,) = rescored(side([]), [stored], {}, Scorer(ScoringRules())).scorecards
    assert (found.status, found.expected_score) == ("parse_failed", 0.0)
