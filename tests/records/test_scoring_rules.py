"""The rules of scoring: what may stand in params.yaml under `score`, and what is refused with a reason."""

from typing import Any

import pytest
from pydantic import ValidationError

from graph_evaluator.records.params import ScoringRules
from graph_evaluator.score import rules_sha256
from tests.builders.cases import cases


def bent(*path: str, value: object) -> dict[str, Any]:
    rules: Any = ScoringRules().model_dump(mode="json")
    place = rules
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return dict(rules)


@cases("rules, reported", {
"too much": (bent("weights", "overall", "param_quality", value=0.35), "sum to 1, and sum to 1.05"),
"by a ten-millionth": ({"weights": {"completeness": {"readability_band": 0.2000001}}}, "sum to 1, and sum to 1"),
"NaN": (bent("weights", "overall", "completeness", value=float("nan")), "finite number"),
"a weight that is text": (bent("weights", "overall", "completeness", value="0.4"), "valid number"),
"no edges": (bent("limits", "max_edges", value=0), "greater than or equal to 1"),
"limits the wrong way round": (bent("limits", "max_options", value=1), "min_options must not exceed"),
"bands the wrong way round": (bent("thresholds", "readable_min_nodes", value=13), "must hold"),
"no pattern": (bent("status_quo_pattern", value="(["), "is not a regular expression: unterm"),
"empty": (bent("status_quo_pattern", value=""), "is empty, and so would be found in every label"),
})  # fmt: skip
def test_rules_that_cannot_be_meant_are_refused_with_the_reason(
    rules: dict[str, Any], reported: str
) -> None:
    with pytest.raises(ValidationError, match=reported):
        ScoringRules.model_validate(rules)


def test_a_whole_number_and_its_double_are_the_same_rules() -> None:
    assert rules_sha256(
        ScoringRules.model_validate(bent("thresholds", "max_inbound", value=1))
    ) == rules_sha256(ScoringRules())
