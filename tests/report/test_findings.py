import random

from stages.report.findings import PARTLY_SIMULATED, SIMULATED, find
from stages.shared.records.params import CompareParams, ReportParams
from tests.builders.scorecards import card, cells, config, findings, unanswered


def test_the_order_of_scorecards_makes_no_difference() -> None:
    cards = [card(model, f"b{number}", 0.1 * number) for model in "ab" for number in range(1, 6)]
    shuffled = random.Random(3).sample(cards, len(cards))
    configs = (config("a"), config("b", "fast"))
    one, other = findings(*shuffled, configs=configs), findings(*cards, configs=configs)
    assert one == other


def test_simulated_results_say_that_they_say_nothing_about_real_models() -> None:
    assert findings(card(simulated=True)).notices == (SIMULATED,)
    assert findings(card(simulated=True), card("b")).notices == (PARTLY_SIMULATED,)
    assert findings(card()).notices == ()


def test_cells_without_an_answer_are_announced_with_the_command_that_calls_them() -> None:
    assert findings(card(), unanswered(brief="b2")).notices == (
        "1 cell has no answer; dvc repro -f calls only those.",
    )


def test_scores_of_different_rules_are_announced() -> None:
    (notice,) = findings(card(), card(brief="b2", scoring_rules="0" * 64)).notices
    assert "2 different sets of scoring rules" in notice


def test_responses_without_a_manifest_are_reported_by_their_cells() -> None:
    given = cells(card("b", "x"), card("a", "y", sample=3))
    run = find(None, given, {}, ReportParams(), CompareParams(), answers={}).run
    assert (run.run_id, run.prompt.path, list(run.models), list(run.briefs), run.samples) == (
        "unknown", "unknown", ["a", "b"], ["x", "y"], 3,
    )  # fmt: skip


def test_every_model_has_one_name() -> None:
    assert findings(card("a"), card("b")).names == {"a": "A", "b": "B"}
