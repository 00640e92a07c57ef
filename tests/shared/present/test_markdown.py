from stages.shared.present.markdown import join_parts, show_list, show_table
from stages.shared.present.table import Column, make_table
from stages.shared.shell import numbers

TABLE = make_table(
    [Column("#", numbers.count), Column("Model *x*"), Column("Code", code=True)],
    [[1, "*a*", "CYCLE_DETECTED"]],
    notes=["A *note*."],
)


def test_texts_are_escaped_numbers_are_right_and_codes_are_code() -> None:
    assert show_table(TABLE).splitlines() == [
        r"|   # | Model \*x\*   | Code             |",
        r"|----:|:--------------|:-----------------|",
        r"|   1 | \*a\*         | `CYCLE_DETECTED` |",
        "",
        r"A \*note\*.",
    ]


def test_a_compact_table_does_not_line_up() -> None:
    assert r"| 1 | \*a\* | `CYCLE_DETECTED` |" in show_table(TABLE, compact=True)


def test_a_long_text_is_cut() -> None:
    table = make_table([Column("Text")], [["x" * 50]])
    assert f"| {'x' * 9}… |" in show_table(table, compact=True, longest=10)


def test_paragraphs_and_lists() -> None:
    assert join_parts("a\n", "", "b") == "a\n\nb"
    assert show_list(["a", "*b*"]) == "- a\n- \\*b\\*"
