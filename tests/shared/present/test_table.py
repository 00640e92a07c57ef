import pytest

from stages.shared.present.table import Column, Entry, Raw, make_table
from stages.shared.shell import numbers
from tests.builders.cases import cases


@cases(
    "column, value, entry",
    {
        "text": (Column("Model"), "a", Entry("a")),
        "number": (Column("Score", numbers.score), 0.5, Entry("0.500", 0.5)),
        "none": (Column("Score", numbers.score), None, Entry("—", None)),
        "nan": (Column("Score", numbers.score), float("nan"), Entry("—", None)),
        "pair": (Column("Interval", numbers.interval), (0.25, 0.75), Entry("0.250 to 0.750", 0.25)),
        "text among numbers": (Column("Score", numbers.score), "none", Entry("none")),
        "entry": (Column("Score", numbers.score), Entry("x", 1.0), Entry("x", 1.0)),
    },
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
