import pytest

from tests.report.records import card, config, digest

DYING = (config("a", deprecated_on="2027-01-14"), config("b"))


def test_a_model_that_is_switched_off_one_day_is_flagged_with_the_day() -> None:
    found = digest(card("a", created_at="2026-11-21T10:00:00Z"), card("b"), configs=DYING)
    (flag,) = [flag for flag in found.flags if flag.kind == "retiring"]
    assert (flag.model_id, flag.message) == (
        "a",
        "a is switched off on 2027-01-14; from then on its results cannot be reproduced.",
    )
    assert found.notices == ()


@pytest.mark.parametrize("answered_by", ["a", "b"])
def test_results_that_can_no_longer_be_reproduced_are_marked_by_the_newest_answer_of_all(answered_by: str) -> None:
    late = "2027-01-14T00:00:00Z"
    found = digest(*(card(model, created_at=late if model == answered_by else None) for model in "ab"), configs=DYING)
    message = "a was switched off on 2027-01-14: its results can no longer be reproduced."
    assert message in found.notices
    assert [flag.message for flag in found.flags if flag.kind == "retired"] == [message]


def test_without_a_time_of_any_answer_nothing_is_called_gone() -> None:
    found = digest(card("a"), configs=DYING)
    assert [flag.kind for flag in found.flags if flag.model_id == "a"] == ["retiring"]


def test_a_model_without_a_day_or_without_cells_is_not_spoken_of() -> None:
    assert not [flag for flag in digest(card("b"), configs=DYING).flags if flag.kind.startswith("retir")]
