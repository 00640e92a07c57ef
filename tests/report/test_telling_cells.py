from stages.report.telling_cells import telling_cells
from tests.report.records import card, digest, invalid, unanswered, unusable

FOUND = digest(
    card("a", "b1", 0.9), card("a", "b2", 0.5), card("b", "b1", 0.6), card("b", "b2", 0.2),
    invalid("a", "b3", "X", "Y"), invalid("b", "b3", "X"), invalid("c", "b3", "X", "Z"), unusable("truncated", "c"),
    unanswered("server_error", "c", "b2"),
)  # fmt: skip


def test_the_best_the_worst_and_one_for_each_way_to_fail_come_first() -> None:
    told = [(one.why, one.cell.model_id, one.cell.brief_id, one.code) for one in telling_cells(FOUND, 4)]
    assert told == [
        ("best", "a", "b1", None),
        ("worst", "b", "b2", None),
        ("invalid", "a", "b3", "X"),
        ("invalid", "c", "b3", "Z"),
    ]


def test_then_the_best_and_worst_of_each_brief_and_none_twice() -> None:
    told = telling_cells(FOUND, 100)
    assert [(one.why, one.cell.model_id, one.cell.brief_id) for one in told[4:]] == [
        ("worst of its brief", "b", "b1"),
        ("best of its brief", "a", "b2"),
    ]
    assert len({one.cell.cell for one in told}) == len(told)


def test_without_a_graph_there_is_nothing_to_tell() -> None:
    assert telling_cells(digest(unanswered()), 10) == ()
