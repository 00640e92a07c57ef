import pytest

from stages.contracts.params import ReportParams
from stages.contracts.scorecard import Scorecard
from stages.report.cells import with_responses
from stages.report.findings import find
from tests.builders.scorecards import (
    card,
    config,
    findings,
    frame,
    invalid,
    labelled,
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


@pytest.mark.parametrize(
    "cards",
    [
        (card(), card(brief="b2")),
        (card(), invalid("a", "b2", "X"), card("b", "b2")),
        (card(est_cost_usd=None), unanswered("auth_failed", "a", "b2"), card("b", "b2")),
    ],
    ids=["no failure", "half are usable", "in tables"],
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


def test_a_model_that_gives_the_same_labels_for_two_briefs_is_flagged() -> None:
    labels = {
        "a": ("Price", "Churn", "Profit"),
        "b": ("price ", "Profit", "CHURN"),
        "c": ("Price", "Churn", "Profit"),
    }
    cells = with_responses(
        frame(card("m", "a"), card("m", "b"), invalid("m", "c", "X"), card("other", "a")),
        lambda cell: labelled(cell, labels[cell.brief_id]),
    )
    (flag,) = [
        one for one in find(None, cells, {}, ReportParams()).flags if one.kind == "repeated_labels"
    ]
    assert flag.message == "m gave graphs with the same labels for 2 briefs: a, b."


@pytest.mark.parametrize(
    "second",
    [("Price", "Churn", "Margin"), ("Price", "Profit")],
    ids=["another label", "too few labels to tell"],
)
def test_other_labels_and_other_samples_of_a_brief_are_not(second: tuple[str, ...]) -> None:
    labels = {"a": ("Price", "Churn", "Profit"), "b": second}
    cells = with_responses(
        frame(card("m", "a"), card("m", "a", sample=2), card("m", "b")),
        lambda cell: labelled(cell, labels[cell.brief_id]),
    )
    assert not [
        one for one in find(None, cells, {}, ReportParams()).flags if one.kind == "repeated_labels"
    ]


BODIES = {
    "ferry": "Battery ferry or rebuilt diesel engine for the harbour crossing",
    "farm": "Herbal leys with sheep, or a drill",
}


@pytest.mark.parametrize(
    ("labels", "flagged"),
    [
        pytest.param(
            ("Battery ferry", "Diesel engine", "Harbour"),
            ["farm (words of ferry)"],
            id="another brief's words",
        ),
        pytest.param(("Herbal leys", "Sheep", "Battery drill"), [], id="its own words"),
        pytest.param(("Nurses", "Beds", "Ferry"), [], id="words of no brief of the run"),
    ],
)
def test_a_graph_in_the_words_of_another_brief_of_the_run_is_flagged(
    labels: tuple[str, ...], flagged: list[str]
) -> None:
    cells = with_responses(
        frame(card("m", "farm"), card("n", "ferry")),
        lambda cell: labelled(cell, labels if cell.model_id == "m" else ()),
    )
    found = [
        one
        for one in find(None, cells, {}, ReportParams(), bodies=BODIES).flags
        if one.kind == "other_brief"
    ]
    expected = [f"m gave for 1 brief a graph in the words of another: {one}." for one in flagged]
    assert [(one.model_id, one.message) for one in found] == [
        ("m", message) for message in expected
    ]


def test_japanese_words_are_compared_in_pairs_of_characters() -> None:
    labels = ("旅館の客室", "露天風呂", "弁当")
    cells = with_responses(
        frame(card("m", "bento"), card("n", "ryokan")),
        lambda cell: labelled(cell, labels if cell.model_id == "m" else ()),
    )
    bodies = {"bento": "冷凍弁当を通販で売る", "ryokan": "旅館に露天風呂付き客室をつくる"}
    (flag,) = [
        one
        for one in find(None, cells, {}, ReportParams(), bodies=bodies).flags
        if one.kind == "other_brief"
    ]
    assert "bento (words of ryokan)" in flag.message
