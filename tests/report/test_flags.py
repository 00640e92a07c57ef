import pytest

from stages.contracts.scorecard import Scorecard
from tests.report.records import card, digest, invalid, sub_score, unanswered, unusable

DEFAULTS = {"param_quality": (sub_score("default_takeover", 0.0, defaults=3, causal_edges=5),)}


@pytest.mark.parametrize(
    ("cards", "kind"),
    [
        ((card("a", score=0.9), invalid("a", "b2", "X"), card("b", score=0.6), card("b", "b2", 0.6)), "flattered_mean"),
        ((card(), unanswered(brief="b2")), "unanswered"),
        ((card(), invalid("a", "b2", "X"), invalid("a", "b3", "X")), "few_valid"),
        ((card(sub_scores=DEFAULTS),), "many_defaults"),
        ((card(), unusable("truncated", brief="b2")), "truncated"),
        ((card(est_cost_usd=None),), "cost_unknown"),
        ((unanswered(),), "brief_unanswered"),
        ((invalid("a", "b1", "X"),), "brief_without_graph"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_would_mislead_is_flagged(cards: tuple[Scorecard, ...], kind: str) -> None:
    assert kind in [flag.kind for flag in digest(*cards).flags]


def test_a_run_without_trouble_has_no_flag() -> None:
    assert digest(card(), card(brief="b2")).flags == ()
