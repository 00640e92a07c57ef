import random

from stages.contracts.scorecard import Finding
from stages.report.digest import PARTLY_SIMULATED, SIMULATED, what_ranks
from tests.report.records import card, config, digest, invalid, unanswered


def test_the_order_in_which_scorecards_come_makes_no_difference() -> None:
    cards = [card(model, f"b{number}", 0.1 * number) for model in "ab" for number in range(1, 6)]
    shuffled = random.Random(3).sample(cards, len(cards))
    configs = (config("a"), config("b", "fast"))
    assert digest(*shuffled, configs=configs).leaderboard == digest(*cards, configs=configs).leaderboard
    assert digest(*shuffled, configs=configs).cells == digest(*cards, configs=configs).cells


def test_simulated_results_say_that_they_say_nothing_about_real_models() -> None:
    assert digest(card(simulated=True)).notices == (SIMULATED,)
    assert digest(card(simulated=True), card("b")).notices == (PARTLY_SIMULATED,)
    assert digest(card()).notices == ()


def test_cells_without_an_answer_are_told_with_the_command_that_calls_them() -> None:
    assert digest(card(), unanswered(brief="b2")).notices == ("1 cell has no answer; dvc repro -f calls just those.",)


def test_scores_made_under_different_rules_are_told() -> None:
    (notice,) = digest(card(), card(brief="b2", scoring_rules="0" * 64)).notices
    assert "2 different sets of scoring rules" in notice


def test_warnings_are_counted_once_per_cell_the_most_frequent_first() -> None:
    odd, rare = Finding(code="ODD", message=""), Finding(code="A_RARE", message="")
    found = digest(card(warnings=(odd, odd, rare)), card(brief="b2", warnings=(odd,)))
    assert found.warnings == (("ODD", 2), ("A_RARE", 1))


def test_failures_stand_in_order_of_rank() -> None:
    found = digest(invalid("a", "b1", "X"), card("a", "b2", 0.1), invalid("b", "b1", "X"), card("b", "b2", 0.9))
    assert [failure.model_id for failure in found.failures] == ["b", "a"]


def test_it_says_which_score_ranks() -> None:
    assert what_ranks(digest(card()).leaderboard).startswith("Ranked by expected score")
    assert what_ranks(digest(card(), rank_by="overall_score").leaderboard).startswith("Ranked by overall score")


def test_models_carry_the_settings_that_are_sent() -> None:
    found = digest(card(), configs=(config("a", params={"temperature": 0.0, "max_output_tokens": 9000}),))
    assert found.models["a"].settings == (("max_output_tokens", "9000"), ("temperature", "0.0"))
