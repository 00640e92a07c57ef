from stages.contracts.response import ANSWERED, STATUSES
from stages.report.failures import by_code, failures_of
from stages.report.meanings import STATUS_MEANINGS, UNKNOWN, meaning_of
from tests.report.records import card, cells, invalid, unanswered, unusable


def test_failures_are_counted_by_model_and_code_with_repeats_apart() -> None:
    found = failures_of(
        cells(invalid("a", "b1", "FORBIDDEN_EDGE", "FORBIDDEN_EDGE"), invalid("a", "b2", "FORBIDDEN_EDGE"), card("b"))
    )
    assert [(one.model_id, one.code, one.cells, one.occurrences, one.of_cells) for one in found] == [
        ("a", "FORBIDDEN_EDGE", 2, 3, 2)
    ]
    assert found[0].briefs == ("b1", "b2")


def test_the_status_stands_for_a_cell_without_a_graph() -> None:
    found = failures_of(cells(unusable("truncated"), unanswered(brief="b2", failure_code="500")))
    assert [(one.code, one.doing, one.failure_codes) for one in found] == [
        ("truncated", "model", ()),
        ("server_error", "infrastructure", ("500",)),
    ]


def test_the_same_code_at_two_models_is_one_kind() -> None:
    found = by_code(
        failures_of(cells(unusable("refused"), unusable("refused", brief="b2"), unusable("refused", "z"))), 10
    )
    assert [(one.code, one.cells, one.of_cells, one.models) for one in found] == [
        ("refused", 3, 10, (("a", 2), ("z", 1)))
    ]


def test_what_the_next_run_can_mend_by_itself_stands_first() -> None:
    found = by_code(failures_of(cells(unusable("refused"), unusable("refused", brief="b2"), unanswered(brief="b3"))), 3)
    assert [one.code for one in found] == ["server_error", "refused"]


def test_nothing_failed_gives_nothing() -> None:
    assert failures_of(cells(card())) == ()


def test_every_status_but_success_has_a_meaning() -> None:
    assert set(STATUS_MEANINGS) == set(STATUSES) - {"success"}


def test_a_code_without_a_description_says_so() -> None:
    assert meaning_of("SOMETHING_NEW") is UNKNOWN


def test_statuses_without_an_answer_say_how_to_call_again_or_what_to_mend() -> None:
    for status in set(STATUSES) - ANSWERED - {"invalid_request"}:
        assert "dvc repro -f" in meaning_of(status).mend, status
