import pytest

from graph_evaluator.present.table import (
    Column,
    Entry,
    as_markdown,
    join_parts,
    make_table,
    show_list,
)
from graph_evaluator.shell import numbers
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
def test_a_column_prints_its_values(column, value, entry):
    assert make_table([column], [[value]]).rows == ((entry,),)


def test_a_number_in_a_column_of_text_is_a_mistake():
    with pytest.raises(ValueError, match="'Model' is of text"):
        make_table([Column("Model")], [[1.0]])


def test_the_first_rows_say_what_is_left_out():
    table = make_table([Column("Model")], [["a"], ["b"]], notes=["sorted"])
    assert table.first(1, " below").notes == ("sorted", "and 1 more below")
    assert len(table.first(1).rows) == 1
    assert table.first(2) is table


TABLE = make_table(
    [Column("#", numbers.count), Column("Model *x*"), Column("Code", code=True)],
    [[1, "*a*", "CYCLE_DETECTED"]],
    notes=["A *note*."],
)


def test_texts_are_escaped_numbers_are_right_and_codes_are_code():
    assert as_markdown(TABLE).splitlines() == [
        r"|   # | Model \*x\*   | Code             |",
        r"|----:|:--------------|:-----------------|",
        r"|   1 | \*a\*         | `CYCLE_DETECTED` |",
        "",
        r"A \*note\*.",
    ]


def test_a_compact_table_does_not_line_up_and_a_long_text_is_cut():
    assert r"| 1 | \*a\* | `CYCLE_DETECTED` |" in as_markdown(TABLE, compact=True)
    table = make_table([Column("Text")], [["x" * 2_001]])
    assert f"| {'x' * 1_999}… |" in as_markdown(table)


def test_paragraphs_and_lists():
    assert join_parts("a\n", "", "b") == "a\n\nb"
    assert show_list(["a", "*b*"]) == "- a\n- \\*b\\*"
