import random

from stages.report.findings import find
from stages.report.flags import PARTLY_SIMULATED, SIMULATED
from stages.shared.records.params import CompareParams, ReportParams
from stages.shared.records.scorecard import Scorecard
from tests.builders.cases import cases
from tests.builders.scorecards import card, cells, config, findings, invalid, unanswered


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


def of_model(model: str, *scores: float) -> list[Scorecard]:
    return [card(model, f"b{number}", score) for number, score in enumerate(scores)]


AT_CEILING = (1.0, 1.0, 1.0, 0.995, 1.0, 0.9)


@cases(
    "other, said",
    {
        "both": (of_model("b", *AT_CEILING), True),
        "one": (of_model("b", *AT_CEILING[2:], 0.9, 0.8), False),
        "too few graphs": (of_model("b", 1.0, 1.0), False),
        "among its usable graphs": ([*of_model("b", *AT_CEILING), invalid("b", "b9", "X")], True),
    },
)
def test_a_score_that_no_longer_tells_models_apart_is_announced(
    other: list[Scorecard], said: bool
) -> None:
    notices = findings(*of_model("a", *AT_CEILING), *other).notices
    assert any("The score no longer tells" in notice for notice in notices) == said


@cases(
    "stated, form_only",
    {
        "none": ((), True),
        "fewer than half": (("b1",), True),
        "half": (("b1", "b2"), False),
        "not read": (("b1", "b2", "b3", "b4"), False),
    },
)
def test_a_run_with_fewer_than_half_of_its_briefs_stated_is_form_only(
    stated: tuple[str, ...], form_only: bool
) -> None:
    found = findings(*(card("a", f"b{number}") for number in range(1, 5)), stated=stated)
    assert [brief.form_only for brief in found.briefs].count(False) == len(stated)
    shown = [notice for notice in found.notices if notice.startswith("Form only: ")]
    assert bool(shown) == form_only
    assert all("graph-evaluator briefs draft ID --by MODEL" in notice for notice in shown)


def test_a_brief_whose_graphs_have_a_content_states_effects() -> None:
    assert not findings(card(content=0.5), stated=()).briefs[0].form_only
