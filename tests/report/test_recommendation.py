import numpy
import pytest

from stages.contracts.interval import mean_interval
from stages.contracts.scorecard import Scorecard
from stages.report.recommendation import Recommendation
from tests.report.records import card, config, findings, invalid, row, unanswered

WOBBLE = (0.0, 0.02, -0.02, 0.01, -0.01, 0.03, -0.03, 0.0)


def drafted(model: str, level: float, cost: float | None = 0.01, shift: int = 0) -> list[Scorecard]:
    """Eight briefs around a level; a shift makes the model wobble on other briefs than its rivals."""
    wobble = WOBBLE[shift:] + WOBBLE[:shift]
    return [card(model, f"b{number}", level + off, est_cost_usd=cost) for number, off in enumerate(wobble)]


def advice(*cards: Scorecard) -> Recommendation:
    (one,) = findings(*cards).recommendations
    return one


def test_a_real_lead_is_recommended_with_its_size() -> None:
    one = advice(*drafted("good", 0.8, cost=0.5), *drafted("poor", 0.4, shift=3))
    assert (one.verdict, one.model_id, one.tied) == ("leads", "good", ("good",))
    assert row(one.rivals).behind
    assert row(one.rivals).n == 8
    assert row(one.rivals).difference == pytest.approx(0.4)
    assert "0.400" in one.reason


def test_models_that_cannot_be_told_apart_are_named_with_the_cheapest() -> None:
    one = advice(
        *drafted("dear", 0.803, cost=0.5),
        *drafted("cheap", 0.8, cost=0.01, shift=3),
        *drafted("poor", 0.3, cost=0.001, shift=5),
    )
    assert (one.verdict, one.model_id, one.leader, one.tied) == ("tied", "cheap", "dear", ("dear", "cheap"))
    assert "DEAR and CHEAP cannot be told apart" in one.reason
    assert "$0.0100 per usable graph" in one.reason


def test_all_models_that_cannot_be_told_apart_are_named() -> None:
    one = advice(*drafted("a", 0.803), *drafted("b", 0.802, shift=3), *drafted("c", 0.801, shift=5))
    assert one.reason.startswith(
        "A, B and C cannot be told apart by expected score on 8 briefs; A is the cheapest of them"
    )


def test_a_single_rival_is_judged_at_the_whole_confidence() -> None:
    rival = row(advice(*drafted("a", 0.8), *drafted("b", 0.7, shift=3)).rivals)
    differences = [0.1 + one - other for one, other in zip(WOBBLE, WOBBLE[3:] + WOBBLE[:3], strict=True)]
    expected = mean_interval(differences, 0.95, bounds=(-1.0, 1.0))
    assert expected is not None
    assert (rival.low, rival.high) == pytest.approx((expected.low, expected.high))


def test_pairing_by_brief_finds_a_lead_that_hard_briefs_would_hide() -> None:
    levels = [0.1, 0.3, 0.5, 0.7, 0.9, 0.2, 0.6, 0.8]
    ahead = [card("ahead", f"b{number}", level + 0.05 + number / 1000) for number, level in enumerate(levels)]
    behind = [card("behind", f"b{number}", level) for number, level in enumerate(levels)]
    assert advice(*ahead, *behind).verdict == "leads"


def test_one_brief_is_never_enough_for_a_lead() -> None:
    assert advice(card("a", score=1.0), card("b", score=0.1)).verdict == "tied"


def test_a_single_candidate_is_named_as_such() -> None:
    one = advice(*drafted("alone", 0.7))
    assert (one.verdict, one.model_id) == ("only_candidate", "alone")


@pytest.mark.parametrize(
    "cards",
    [(invalid("a", "b1", "CYCLE_DETECTED"),), (unanswered(),)],
    ids=["only invalid graphs", "no answer"],
)
def test_without_a_usable_graph_nothing_is_recommended(cards: tuple[Scorecard, ...]) -> None:
    one = advice(*cards)
    assert (one.verdict, one.model_id, one.leader) == ("nothing_scored", None, None)


def test_a_candidate_without_usable_graphs_is_no_rival() -> None:
    assert advice(*drafted("a", 0.7), unanswered(model="b")).verdict == "only_candidate"


def test_a_tie_without_known_costs_recommends_none() -> None:
    one = advice(*drafted("a", 0.8, cost=None), *drafted("b", 0.8, cost=None, shift=3))
    assert (one.verdict, one.model_id) == ("tied", None)
    assert "none of them has a known cost" in one.reason


def test_a_tie_with_some_unknown_costs_says_so() -> None:
    one = advice(*drafted("a", 0.8, cost=None), *drafted("b", 0.8, cost=0.1, shift=3))
    assert one.model_id == "b"
    assert "of those whose cost is known" in one.reason


def test_each_mode_has_its_own_advice_in_a_fixed_order() -> None:
    configs = (config("a", "deep"), config("b", "fast"))
    advised = findings(card("a"), card("b"), card("c"), configs=configs).recommendations
    assert [(one.mode, one.model_id) for one in advised] == [("fast", "b"), ("deep", "a"), (None, "c")]


def test_more_rivals_need_a_clearer_lead() -> None:
    leader, rival = drafted("leader", 0.8), drafted("rival", 0.79, shift=1)
    others = [one for number in range(5) for one in drafted(f"other{number}", 0.5, shift=number)]
    alone, among = (row(advice(*cards).rivals) for cards in ([*leader, *rival], [*leader, *rival, *others]))
    assert (alone.model_id, among.model_id) == ("rival", "rival")
    assert among.low < alone.low


def test_a_tie_names_the_briefs_that_were_shared() -> None:
    one = advice(
        card("a", "b1", 0.9), card("a", "b2", 0.8), card("a", "b3", 0.7), card("b", "b1", 0.5), card("b", "b9", 0.5)
    )
    assert row(one.rivals).n == 1
    assert "on 1 brief;" in one.reason


def test_equal_models_seldom_seem_to_lead() -> None:
    draw = numpy.random.default_rng(11)
    leads = 0
    for _ in range(60):
        hardness = draw.normal(0.7, 0.1, 10)
        cards = [
            card(model, f"b{brief}", float(min(1.0, level + draw.normal(0, 0.05))))
            for model in "abc"
            for brief, level in enumerate(hardness)
        ]
        leads += advice(*cards).verdict == "leads"
    assert leads <= 4
