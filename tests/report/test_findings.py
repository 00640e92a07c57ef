"""What is worth a look, and the notices that are shown at the top of everything."""

import pytest

from stages.report.findings import PARTLY_SIMULATED, SIMULATED
from stages.shared.records.scorecard import Scorecard
from tests.builders.cases import cases
from tests.builders.scorecards import (
    card,
    config,
    findings,
    invalid,
    sub_score,
    unanswered,
    unfaithful,
    unusable,
)


def messages(*cards: Scorecard) -> list[str]:
    return [note.message for note in findings(*cards).notes]


FEW = "A gave a usable graph in 33% (1/3) of its answers."
NO_GRAPH = "No model drafted a usable graph for b1."


@cases(
    "cards, message",
    {
        "few are usable": ((card(), invalid("a", "b2", "X"), invalid("a", "b3", "X")), FEW),
        "none for a brief": ((invalid("a", "b1", "X"), *(card("a", f"c{n}") for n in "123")), NO_GRAPH),
    },
)  # fmt: skip
def test_what_would_mislead_is_noted(cards: tuple[Scorecard, ...], message: str) -> None:
    assert message in messages(*cards)


@cases(
    "cards",
    {
        "no failure": (card(), card(brief="b2")),
        "half are usable": (card(), invalid("a", "b2", "X"), card("b", "b2")),
        "in tables": (card(est_cost_usd=None), unanswered("auth_failed", "a", "b2"), card("b", "b2")),
    },
)  # fmt: skip
def test_a_run_without_trouble_has_no_note(cards: tuple[Scorecard, ...]) -> None:
    assert messages(*cards) == []


def test_failed_fidelity_checks_are_noted() -> None:
    cards = (
        unfaithful("a", "b1", "grounding"),
        unfaithful("a", "b2", "grounding", "target"),
        card("a", "b3"),
        card("a", "b4"),
    )
    assert messages(*cards)[0] == (
        "A gave a usable graph in 50% (2/4) of its answers; failed checks: Grounding in 2, Target in 1."
    )


def test_notes_name_the_model_in_order_of_rank_then_the_brief() -> None:
    cards = (
        *(unusable("truncated", model, brief) for model in "ab" for brief in ("b1", "b3")),
        card("a", "b2", 0.1),
        card("b", "b2"),
    )
    assert [(note.model_id, note.brief_id) for note in findings(*cards).notes] == [
        ("b", None),
        ("a", None),
        (None, "b1"),
        (None, "b3"),
    ]


def test_a_shutdown_date_is_noted() -> None:
    configs = (config("a", deprecated_on="2027-01-14"), config("b"))
    (note,) = findings(card("a"), card("b"), configs=configs).notes
    assert (note.model_id, note.message) == (
        "a", "A is switched off on 2027-01-14: then its results cannot be reproduced.",
    )  # fmt: skip


@pytest.mark.parametrize(("graphs", "said"), [(6, True), (5, False)])
def test_a_sub_score_that_is_the_same_in_enough_graphs_is_noted(graphs: int, said: bool) -> None:
    cards = [
        card("a", f"b{number}", sub_scores={"param_quality": (
            sub_score("std_variation", number / 10), sub_score("default_takeover", 1.0)
        )})
        for number in range(graphs)
    ]  # fmt: skip
    message = (
        "The same in every valid graph, so without influence on the ranking: default takeover."
    )
    assert messages(*cards) == [message] * said


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
