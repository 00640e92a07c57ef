"""Scoring afresh where the rules differ."""

import pytest

from stages.compare.rescoring import rescored, to_rescore
from stages.contracts.brief import Expectations, parse_brief
from stages.contracts.response import Response
from stages.contracts.scorecard import Scorecard
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


def test_the_answers_are_scored_with_the_expectations_of_their_own_briefs() -> None:
    seen: list[tuple[str, bool]] = []

    def score(response: Response, expectations: Expectations) -> Scorecard:
        seen.append((response.brief_id, expectations.has_numeric_target))
        return card(0.5, brief=response.brief_id, rules="new")

    responses = [Response(model_id="m", brief_id=name, sample=1, status="success") for name in ("b01", "gone")]
    briefs = {"b01": parse_brief("b01", "---\nhas_numeric_target: true\n---\nShould we?\n", file="b01.md")}
    found = rescored(side([card(rules="old")]), responses, briefs, score)
    assert seen == [("b01", True), ("gone", False)]
    assert (found.rescored, found.rules) == (True, frozenset({"new"}))
