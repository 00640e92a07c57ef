"""The rules of scoring: what may stand in params.yaml under `score`, and what is refused with a reason."""

import pytest
from pydantic import ValidationError

from graph_evaluator.records.params import ScoringRules
from tests.builders.cases import cases


def bent(*path, value):
    rules = ScoringRules().model_dump(mode="json")
    place = rules
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return dict(rules)


@cases("rules, reported", {
"no pattern": (bent("status_quo_pattern", value="(["), "is not a regular expression: unterm"),
"empty": (bent("status_quo_pattern", value=""), "is empty and would match every label"),
})  # fmt: skip
def test_rules_that_cannot_be_meant_are_refused_with_the_reason(rules, reported):
    with pytest.raises(ValidationError, match=reported):
        ScoringRules.model_validate(rules)
