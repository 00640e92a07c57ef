import pytest

from stages.report.failures import failures_by_code, failures_by_model, meaning_of, warnings_by_code
from stages.report.ranking import rank_models
from stages.shared.records.response import ANSWERED, STATUSES
from stages.shared.records.scorecard import Finding, Scorecard
from tests.builders.scorecards import card, findings, frame, invalid, row, unanswered, unusable


def by_model(*cards: Scorecard) -> list[dict[str, object]]:
    cells = frame(*cards)
    found = failures_by_model(cells, rank_models(cells, 0.95)).to_dict("records")
    return [{str(key): value for key, value in one.items()} for one in found]


def test_failures_are_counted_in_cells_by_model_and_code() -> None:
    (one,) = by_model(
        invalid("a", "b2", "FORBIDDEN_EDGE", "FORBIDDEN_EDGE"),
        invalid("a", "b1", "FORBIDDEN_EDGE"),
        card("b"),
    )
    assert (one["model_id"], one["code"], one["cells"], one["of_cells"], one["briefs"]) == (
        "a", "FORBIDDEN_EDGE", 2, 2, ("b1", "b2"),
    )  # fmt: skip


def test_a_cell_without_a_graph_fails_with_its_status() -> None:
    found = by_model(unusable("truncated"), unanswered(brief="b2", failure_code="500"))
    assert [(one["code"], one["answered"], one["failure_codes"]) for one in found] == [
        ("truncated", True, ()),
        ("server_error", False, ("500",)),
    ]


def test_the_most_frequent_code_comes_first_and_statuses_before_violations() -> None:
    found = by_model(
        invalid("a", "b1", "X", "B"),
        invalid("a", "b2", "X", "A"),
        unusable("refused", brief="b3"),
        unanswered(brief="b4"),
    )
    assert [one["code"] for one in found] == ["X", "refused", "server_error", "A", "B"]


def test_models_come_in_order_of_rank() -> None:
    found = by_model(
        invalid("a", "b1", "X"), card("a", "b2", 0.1), invalid("b", "b1", "X"), card("b", "b2", 0.9)
    )
    assert [one["model_id"] for one in found] == ["b", "a"]


def test_the_same_code_of_two_models_is_one_row() -> None:
    found = findings(
        unusable("refused"),
        unusable("refused", brief="b2"),
        unusable("refused", "z", failure_code="x"),
    )
    one = row(found.codes)
    assert (one.code, one.cells, one.of_cells, one.models, one.failure_codes) == (
        "refused", 3, 3, (("A", 2), ("Z", 1)), ("x",),
    )  # fmt: skip


def test_what_the_next_run_calls_again_comes_first() -> None:
    found = findings(unusable("refused"), unusable("refused", brief="b2"), unanswered(brief="b3"))
    assert found.codes["code"].tolist() == ["server_error", "refused"]


def test_the_most_frequent_code_of_all_models_comes_first_then_by_name() -> None:
    found = findings(invalid("a", "b1", "Y", "Z"), invalid("a", "b2", "Z", "X"))
    assert found.codes["code"].tolist() == ["Z", "X", "Y"]


def test_nothing_failed_gives_no_row() -> None:
    found = findings(card())
    assert (len(found.failures), len(found.codes)) == (0, 0)
    assert failures_by_code(found.failures, 1).empty


def test_warnings_are_counted_once_per_cell_the_most_frequent_first() -> None:
    odd, rare = Finding(code="ODD", message=""), Finding(code="A_RARE", message="")
    found = warnings_by_code(
        frame(card(warnings=(odd, odd, rare)), card(brief="b2", warnings=(odd,)))
    )
    assert list(zip(found["code"], found["cells"], strict=True)) == [("ODD", 2), ("A_RARE", 1)]


@pytest.mark.parametrize("status", [one for one in STATUSES if one != "success"])
def test_every_status_but_success_has_a_meaning(status: str) -> None:
    assert meaning_of(status) != meaning_of("SOMETHING_NEW")


def test_a_code_without_a_description_is_shown_as_such() -> None:
    assert meaning_of("SOMETHING_NEW")[0] == "There is no description of this code."


def test_every_violation_and_warning_has_a_meaning_of_its_own() -> None:
    assert meaning_of("CYCLE_DETECTED")[0].startswith(
        "Directed edges lead from a node back to itself"
    )
    assert "format" in meaning_of("ODD_EDGE")[0]


@pytest.mark.parametrize("status", sorted(set(STATUSES) - ANSWERED - {"invalid_request"}))
def test_statuses_without_an_answer_say_how_to_call_again(status: str) -> None:
    assert "dvc repro -f" in meaning_of(status)[1]
