from graph_evaluator.present.page import environment
from graph_evaluator.present.table import Column, Entry, Raw, make_table
from graph_evaluator.shell.numbers import score
from tests.builders.cases import cases
from tests.report.hostile import HOSTILE
from tests.report.page import Read, rows_of_table


def show_table(table):
    """The table on a page."""
    macros = environment("graph_evaluator.report.site").get_template("macros.html.j2").module
    return str(vars(macros)["table"](table))


def elements(text):
    """The elements of a table with this text everywhere, with the names of their attributes."""
    text = f"x{text}"
    row = [Entry(text, href=text, look="good")]
    table = make_table([Column(text, hint=text)], [row], title=text, notes=[text], name=text)
    found = [(name, set(attributes)) for name, attributes in Read(show_table(table)).elements]
    return [element for element in found if element != ("code", set())]


@cases("text", HOSTILE)
def test_no_text_adds_an_element_but_code_or_an_attribute_to_a_table(text):
    assert elements(text) == elements("")


def test_a_column_in_which_nothing_was_measured_is_left_out():
    columns = [Column("Model"), Column("Score", score), Column("Content", score), Column("Why")]
    rows: list[list[Raw]] = [["a", None, 0.0, ""], ["b", None, None, ""]]
    page = show_table(make_table(columns, rows, name="t"))
    assert rows_of_table(page.encode(), "t") == [["a", "0.000"], ["b", "—"]]
    assert "Score" in show_table(make_table(columns, [], name="t"))


def test_what_is_between_backticks_is_code_and_escaped():
    page = show_table(make_table([Column("Do")], [["run `make <b>`"]], notes=["`a` and `b"]))
    assert "run <code>make &lt;b&gt;</code>" in page
    assert "<code>a</code> and `b" in page
