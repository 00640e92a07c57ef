"""What is worth a look, and the notices that are shown at the top of everything."""

from graph_evaluator.report.findings import PARTLY_SIMULATED, SIMULATED
from tests.builders.cases import cases
from tests.builders.scorecards import (
    card,
    findings,
    invalid,
    unanswered,
    unusable,
)


def messages(*cards):
    return [note.message for note in findings(*cards).notes]


def test_a_run_of_which_half_is_usable_and_whose_costs_are_unknown_has_no_note():
    cards = (card(est_cost_usd=None), invalid("a", "b2", "X"), card("b", "b2"))
    assert messages(*cards, unanswered("auth_failed", "a", "b3"), card("b", "b3")) == []


def test_notes_name_the_model_in_order_of_rank_then_the_brief():
    failed = (unusable("truncated", model, brief) for model in "ab" for brief in ("b1", "b3"))
    cards = (*failed, card("a", "b2", 0.1), card("b", "b2"), unanswered(brief="b4"))
    notes = findings(*cards).notes
    assert [note.model_id or note.brief_id for note in notes] == ["b", "a", "b1", "b3"]
    assert notes[2].message == "No model drafted a usable graph for b1."


OTHER_RULES = (
    "The scores come from 2 different sets of scoring rules and must not be compared: "
    "run dvc repro -f score."
)


@cases(
    "cards, notices",
    {
        "real": ([card()], ()),
        "simulated": ([card(simulated=True)], (SIMULATED,)),
        "partly simulated": ([card(simulated=True), card("b")], (PARTLY_SIMULATED,)),
        "unanswered": ([card(), unanswered(brief="b2")], ("1 answer is missing; dvc repro -f calls only for these.",)),
        "other rules": ([card(), card(brief="b2", scoring_rules="0" * 64)], (OTHER_RULES,)),
    },
)  # fmt: skip
def test_what_a_reader_must_know_first_is_a_notice(cards, notices):
    assert findings(*cards).notices == notices


def of_model(model, *scores):
    return [card(model, f"b{number}", score) for number, score in enumerate(scores)]


AT_CEILING = (1.0, 1.0, 1.0, 0.995, 1.0, 0.9)


@cases(
    "other, said",
    {
        "both": (of_model("b", *AT_CEILING), True),
        "one": (of_model("b", *AT_CEILING[2:], 0.9, 0.8), False),
        "too few graphs": (of_model("b", 1.0, 1.0), False),
    },
)
def test_a_score_that_no_longer_tells_models_apart_is_announced(other, said):
    notices = findings(*of_model("a", *AT_CEILING), *other).notices
    assert any("Form cannot separate" in notice for notice in notices) == said


@cases("stated, form_only", {"fewer than half": (("b1",), True), "half": (("b1", "b2"), False)})
def test_a_run_with_fewer_than_half_of_its_briefs_stated_is_form_only(stated, form_only):
    briefs = [f"b{number}" for number in range(1, 5)]
    found = findings(*(card(brief=brief, states_effects=brief in stated) for brief in briefs))
    assert [brief.brief_id for brief in found.briefs if not brief.form_only] == list(stated)
    shown = [notice.startswith("Form only: 75% (3/4) of the briefs") for notice in found.notices]
    assert shown == [True] * form_only
