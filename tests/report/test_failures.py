import pytest

from stages.report.failures import Occurrence, failures_of, meaning_of, warnings_of
from stages.shared.records.response import ANSWERED, STATUSES
from stages.shared.records.scorecard import Finding, Scorecard
from tests.builders.cases import cases
from tests.builders.scorecards import card, cells, invalid, unanswered, unusable

NAMES = {"a": "A", "z": "Z"}


def failed(*cards: Scorecard) -> list[Occurrence]:
    return failures_of(cells(*cards), NAMES)


def test_failures_are_counted_in_cells_by_code() -> None:
    (one,) = failed(
        invalid("a", "b2", "FORBIDDEN_EDGE", "FORBIDDEN_EDGE"),
        invalid("z", "b1", "FORBIDDEN_EDGE"),
        invalid("z", "b2", "FORBIDDEN_EDGE"),
        card("a", "b3"),
    )
    assert (one.code, len(one.cells), one.of_cells, one.models) == (
        "FORBIDDEN_EDGE", 3, 4, (("Z", 2), ("A", 1)),
    )  # fmt: skip


def test_a_cell_without_a_graph_fails_with_its_status() -> None:
    found = failed(unusable("truncated"), unanswered(brief="b2"))
    assert [one.code for one in found] == ["server_error", "truncated"]


@cases(
    "cards, codes",
    {
        "what the next run calls again": (
            (unusable("refused"), unusable("refused", brief="b2"), unanswered(brief="b3")), ["server_error", "refused"],
        ),
        "then the most frequent, then by name": (
            (invalid("a", "b1", "Y", "Z"), invalid("a", "b2", "Z", "X")), ["Z", "X", "Y"],
        ),
        "nothing failed": ((card(),), []),
    },
)  # fmt: skip
def test_the_order_of_failures(cards: tuple[Scorecard, ...], codes: list[str]) -> None:
    assert [one.code for one in failed(*cards)] == codes


def test_warnings_are_counted_once_per_cell_the_most_frequent_first() -> None:
    odd, rare = Finding(code="ODD", message=""), Finding(code="A_RARE", message="")
    cards = (card(warnings=(odd, odd, rare)), card(brief="b2", warnings=(odd,)))
    found = warnings_of(cells(*cards), NAMES)
    assert [(one.code, len(one.cells)) for one in found] == [("ODD", 2), ("A_RARE", 1)]


@pytest.mark.parametrize("status", [one for one in STATUSES if one != "success"])
def test_every_status_but_success_has_a_meaning(status: str) -> None:
    assert meaning_of(status) != meaning_of("SOMETHING_NEW")


@pytest.mark.parametrize("status", sorted(set(STATUSES) - ANSWERED - {"invalid_request"}))
def test_statuses_without_an_answer_say_how_to_call_again(status: str) -> None:
    assert "dvc repro -f" in meaning_of(status)[1]
