from stages.report.counts import Counts, count_cells
from tests.report.records import card, cells, invalid, unanswered, unusable


def test_cells_are_counted_by_what_became_of_them() -> None:
    counts = count_cells(cells(card(), invalid("a", "b2", "CYCLE_DETECTED"), unusable("truncated"), unanswered()))
    assert (counts.cells, counts.answered, counts.scored, counts.invalid, counts.unanswered) == (4, 3, 1, 1, 1)
    assert counts.by_status == (("success", 2), ("truncated", 1), ("server_error", 1))
    assert (counts.of("truncated"), counts.of("refused")) == (1, 0)


def test_the_valid_share_is_over_all_cells() -> None:
    counts = count_cells(cells(card(), unanswered()))
    assert (counts.valid_share, counts.answered_share) == (0.5, 0.5)


def test_nothing_has_no_share() -> None:
    counts = count_cells([])
    assert counts == Counts(cells=0, answered=0, scored=0, invalid=0, by_status=())
    assert counts.valid_share is None
    assert counts.answered_share is None
