"""The rules of scoring: what may stand in params.yaml under `score`, and what is refused with a reason."""

from typing import Any

import pytest
from pydantic import ValidationError

from stages.contracts.params import ScoringRules
from stages.score import rules_sha256


def bent(*path: str, value: object) -> dict[str, Any]:
    rules: Any = ScoringRules().model_dump(mode="json")
    place = rules
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return dict(rules)


@pytest.mark.parametrize(
    ("rules", "reported"),
    [
        pytest.param(bent("weights", "overall", "param_quality", value=0.35), "sum to 1, and sum to 1.05", id="too much"),
        pytest.param(
            bent("weights", "option_diff", "status_quo_present", value=0.24), "sum to 1, and sum to 0.99", id="too little"
        ),
        pytest.param(
            {"weights": {"completeness": {"readability_band": 0.2000001}}}, "sum to 1, and sum to 1", id="by a ten-millionth"
        ),
        pytest.param(bent("weights", "overall", "completeness", value=float("nan")), "finite number", id="NaN"),
        pytest.param(bent("weights", "overall", "completeness", value="0.4"), "valid number", id="a weight that is text"),
        pytest.param(bent("limits", "max_nodes", value=True), "valid integer", id="a limit that is a boolean"),
        pytest.param(bent("limits", "max_edges", value=0), "greater than or equal to 1", id="no edges"),
        pytest.param(bent("limits", "max_options", value=1), "min_options must not exceed", id="limits the wrong way round"),
        pytest.param(bent("thresholds", "default_mean", value=float("inf")), "finite number", id="an infinite default"),
        pytest.param(bent("thresholds", "max_inbound", value=0.0), "greater than 0", id="a bound of nothing"),
        pytest.param(bent("thresholds", "default_zero_at_percent", value=101), "less than or equal to 100", id="101 percent"),
        pytest.param(bent("thresholds", "readable_min_nodes", value=13), "must hold", id="bands the wrong way round"),
        pytest.param(bent("status_quo_pattern", value="(["), "is not a regular expression: unterm", id="no pattern"),
        pytest.param(bent("status_quo_pattern", value=""), "is empty, and so would be found in every label", id="empty"),
        pytest.param(bent("generic_labels", value=[1]), "valid string", id="a label that is a number"),
        pytest.param(bent("limits", "max_node", value=50), "not permitted", id="a key that is no key"),
    ],
)  # fmt: skip
def test_rules_that_cannot_be_meant_are_refused_with_the_reason(
    rules: dict[str, Any], reported: str
) -> None:
    with pytest.raises(ValidationError, match=reported):
        ScoringRules.model_validate(rules)


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param({"weights": {"overall": {"param_quality": 1, "option_diff": 0, "completeness": 0}}}, id="whole numbers"),
        pytest.param({"weights": {"completeness": {"readability_band": 0.2 + 1e-10}}}, id="within rounding of 1"),
        pytest.param({"limits": {"min_options": 3, "max_options": 3}}, id="one number of options"),
        pytest.param(
            {"thresholds": {"readable_min_nodes": 7, "readable_max_nodes": 7, "crowded_max_nodes": 7}}, id="one number of nodes"
        ),
        pytest.param({"generic_labels": []}, id="no generic label"),
    ],
)  # fmt: skip
def test_rules_at_their_bounds_are_accepted(rules: dict[str, Any]) -> None:
    assert rules_sha256(ScoringRules.model_validate(rules)) != rules_sha256(ScoringRules())


def test_a_whole_number_and_its_double_are_the_same_rules() -> None:
    assert rules_sha256(
        ScoringRules.model_validate(bent("thresholds", "max_inbound", value=1))
    ) == rules_sha256(ScoringRules())
