import pytest

from stages.contracts.scorecard import Finding, SubScore
from stages.report.cells import cell_result, in_modes
from tests.report.records import card, sub_score


def test_a_cell_keeps_the_figures_and_drops_the_evidence() -> None:
    odd = Finding(code="UNKNOWN_KIND", message="x")
    subs = (sub_score("strength_diversity", 0.75), sub_score("default_takeover", 0.5, defaults=2, causal_edges=8))
    cell = cell_result(card(warnings=(odd, odd), sub_scores={"param_quality": subs}))
    assert cell.warning_codes == ("UNKNOWN_KIND", "UNKNOWN_KIND")
    assert cell.sub_scores == {"param_quality.strength_diversity": 0.75, "param_quality.default_takeover": 0.5}
    assert cell.default_share == 0.25


@pytest.mark.parametrize(
    "subs",
    [(), (sub_score("default_takeover", 0.5),), (sub_score("default_takeover", 1.0, defaults=0, causal_edges=0),)],
    ids=["no sub-score", "not counted", "no causal edges"],
)
def test_a_default_share_that_was_not_counted_is_none(subs: tuple[SubScore, ...]) -> None:
    assert cell_result(card(sub_scores={"param_quality": subs})).default_share is None


def test_the_config_tells_the_target_mode_and_without_one_there_is_none() -> None:
    found = in_modes([cell_result(card("a")), cell_result(card("b"))], {"a": "deep"})
    assert [cell.target_mode for cell in found] == ["deep", None]
