import pytest

from stages.present.table import Column, Entry, Raw, make_table
from stages.shell import numbers


@pytest.mark.parametrize(
    ("column", "value", "entry"),
    [
        (Column("Model"), "a", Entry("a")),
        (Column("Score", numbers.score), 0.5, Entry("0.500", 0.5)),
        (Column("Score", numbers.score), None, Entry("—", None)),
        (Column("Score", numbers.score), float("nan"), Entry("—", None)),
        (Column("Interval", numbers.interval), (0.25, 0.75), Entry("0.250 to 0.750", 0.25)),
        (Column("Score", numbers.score), "none", Entry("none")),
        (Column("Score", numbers.score), Entry("x", 1.0), Entry("x", 1.0)),
    ],
    ids=["text", "number", "none", "nan", "pair", "text among numbers", "entry"],
)
def test_a_column_prints_its_values(column: Column, value: Raw, entry: Entry) -> None:
    assert make_table([column], [[value]]).rows == ((entry,),)


def test_a_number_in_a_column_of_text_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="'Model' is of text"):
        make_table([Column("Model")], [[1.0]])


def test_the_first_rows_say_what_is_left_out() -> None:
    table = make_table([Column("Model")], [["a"], ["b"]], notes=["sorted"])
    assert table.first(1, " below").notes == ("sorted", "and 1 more below")
    assert len(table.first(1).rows) == 1
    assert table.first(2) is table
