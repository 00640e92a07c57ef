from collections.abc import Mapping

import pytest

from stages.shared.records.response import RecordedCounts
from stages.shared.records.scorecard import Scorecard
from tests.builders.cases import cases
from tests.builders.scorecards import (
    card,
    config,
    findings,
    invalid,
    labelled,
    manifest,
    sub_score,
    unanswered,
    unfaithful,
    unusable,
)


def kinds(*cards: Scorecard) -> list[str]:
    return [flag.kind for flag in findings(*cards).flags]


@pytest.mark.parametrize(
    ("cards", "kind"),
    [
        ((card(), invalid("a", "b2", "X"), invalid("a", "b3", "X")), "few_usable"),
        ((unanswered(),), "brief_without_graph"),
        ((invalid("a", "b1", "X"),), "brief_without_graph"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_would_mislead_is_flagged(cards: tuple[Scorecard, ...], kind: str) -> None:
    assert kind in kinds(*cards)


@cases(
    "cards",
    {
        "no failure": (card(), card(brief="b2")),
        "half are usable": (card(), invalid("a", "b2", "X"), card("b", "b2")),
        "in tables": (
            card(est_cost_usd=None),
            unanswered("auth_failed", "a", "b2"),
            card("b", "b2"),
        ),
    },
)
def test_a_run_without_trouble_has_no_flag(cards: tuple[Scorecard, ...]) -> None:
    assert kinds(*cards) == []


def test_failed_fidelity_checks_are_flagged_with_the_checks() -> None:
    cards = (
        unfaithful("a", "b1", "grounding"),
        unfaithful("a", "b2", "grounding", "target"),
        card("a", "b3"),
        card("a", "b4"),
    )
    (flag,) = [flag for flag in findings(*cards).flags if flag.kind == "unfaithful"]
    assert (flag.model_id, flag.message) == (
        "a",
        "A failed a fidelity check in 50% (2/4) of its answers, which do not belong to their briefs: grounding 2, target 1.",
    )


def test_flags_name_the_model_in_order_of_rank_then_the_brief() -> None:
    cards = (
        *(unusable("truncated", model, brief) for model in "ab" for brief in ("b1", "b3")),
        card("a", "b2", 0.1),
        card("b", "b2"),
    )
    assert [(flag.model_id, flag.brief_id) for flag in findings(*cards).flags] == [
        ("b", None),
        ("a", None),
        (None, "b1"),
        (None, "b3"),
    ]


DEPRECATED = (config("a", deprecated_on="2027-01-14"), config("b"))


def test_a_shutdown_date_is_flagged() -> None:
    found = findings(card("a", created_at="2027-01-13T10:00:00Z"), card("b"), configs=DEPRECATED)
    (flag,) = [flag for flag in found.flags if flag.kind == "shutdown_date"]
    assert (flag.model_id, flag.message) == (
        "a",
        "A is switched off on 2027-01-14; from then on its results cannot be reproduced.",
    )
    assert found.notices == ()


@pytest.mark.parametrize("answered_by", ["a", "b"])
def test_results_that_can_no_longer_be_reproduced_are_marked_by_the_newest_answer_of_all(
    answered_by: str,
) -> None:
    late = "2027-01-14T00:00:00Z"
    cards = [card(model, created_at=late if model == answered_by else None) for model in "ab"]
    found = findings(*cards, configs=DEPRECATED)
    message = "A was switched off on 2027-01-14: its results can no longer be reproduced."
    assert found.notices == (message,)
    assert [flag.message for flag in found.flags if flag.kind == "shut_down"] == [message]


def test_without_the_time_of_any_answer_no_model_is_called_shut_down() -> None:
    assert [flag.kind for flag in findings(card("a"), configs=DEPRECATED).flags] == [
        "shutdown_date"
    ]


def test_a_model_without_a_shutdown_date_or_without_cells_is_not_flagged() -> None:
    assert findings(card("b"), configs=DEPRECATED).flags == ()


def flags_of_labels(labels: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The flags of equal labels where model m drafts these for each brief."""
    graphs = [card("m", brief, sample=sample) for brief in labels for sample in (1, 2)]
    cards = [*graphs, invalid("m", "z", "X")]
    responses = [labelled(one.cell, labels.get(one.brief_id, LABELS)) for one in cards]
    flags = findings(*cards, configs=(), responses=responses).flags
    return [flag.message for flag in flags if flag.kind == "repeated_labels"]


LABELS = ("Price", "Churn", "Profit")


@cases(
    "second, flagged",
    {
        "the same in another order": (("price ", "Profit", "CHURN"), True),
        "another label": (("Price", "Churn", "Margin"), False),
        "too few labels to tell": (("Price", "Profit"), False),
    },
)
def test_a_model_that_gives_the_same_labels_for_two_briefs_is_flagged(
    second: tuple[str, ...], flagged: bool
) -> None:
    message = "m gave graphs with the same labels for 2 briefs: a, b."
    found = flags_of_labels({"a": LABELS, "b": second})
    assert found == [message] * flagged


def with_scores(*scores: float) -> list[Scorecard]:
    """Cards with one sub-score of their score and one that is the same in all."""
    cards: list[Scorecard] = []
    for number, score in enumerate(scores):
        parts = (sub_score("std_variation", score), sub_score("default_takeover", 1.0))
        cards.append(card("a", f"b{number}", score, sub_scores={"param_quality": parts}))
    return cards


def test_a_sub_score_that_is_the_same_for_all_is_flagged() -> None:
    (flag,) = findings(*with_scores(*[1.0] * 5, *[0.9] * 5)).flags
    assert flag.message == (
        "The same in every valid graph, so without influence on the ranking: default takeover."
    )


def test_a_few_equal_scores_say_nothing_about_the_score() -> None:
    assert kinds(*with_scores(*[1.0] * 5)) == []


def test_briefs_that_are_not_recorded_are_flagged_and_no_failures() -> None:
    counts = RecordedCounts(
        answers_sha256="0", prompt=None, answers=1, not_recorded=2, left_out=0, without_answer=0
    )
    run = manifest("a", briefs=3).model_copy(update={"recorded": {"a": counts}})
    found = findings(card("a"), run=run)
    (message,) = (flag.message for flag in found.flags if flag.kind == "not_recorded")
    assert "no recorded answer to 2 briefs" in message
    assert found.total.cells == found.total.answered == 1
