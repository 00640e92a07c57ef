from stages.shared.present.html import show_table
from stages.shared.present.table import Column, Entry, make_table
from tests.builders.cases import cases
from tests.report.hostile import HOSTILE
from tests.report.page import Read


def elements(text: str) -> list[tuple[str, set[str]]]:
    """The elements of a table with this text everywhere, with the names of their attributes."""
    text = f"x{text}"
    row = [Entry(text, href=text, look="good")]
    table = make_table([Column(text, hint=text)], [row], title=text, notes=[text], name=text)
    return [(name, set(attributes)) for name, attributes in Read(show_table(table)).elements]


@cases("text", HOSTILE)
def test_no_text_adds_an_element_or_an_attribute_to_a_table(text: str) -> None:
    assert elements(text) == elements("")
