import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from stages.report.markdown_text import LONGEST, code, details, fenced, narrow_table, table, text
from tests.report.hostile import HOSTILE

GITHUB = MarkdownIt("gfm-like", {"linkify": False, "html": True})
ACTIVE = {"html_inline", "html_block", "link_open", "image", "code_inline", "em_open", "strong_open", "s_open", "fence"}


def kinds(markdown: str) -> set[str]:
    """The kinds of everything that a Markdown reader sees in a text."""
    return {token.type for block in GITHUB.parse(markdown) for token in (block, *(block.children or ()))}


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_text_does_nothing_in_a_line(value: str) -> None:
    assert kinds(text(value)) <= {"paragraph_open", "paragraph_close", "inline", "text", "text_special"}


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_text_does_nothing_in_a_table(value: str) -> None:
    shown = GITHUB.render(table(["x", "y"], [[text(value), "end"]], "lr"))
    assert shown.count("<td") == 2
    assert re.search(r"<td[^>]*>end</td>", shown)
    assert not kinds(table(["x"], [[text(value)]], "l")) & ACTIVE


@given(st.text(max_size=60))
def test_no_text_at_all_does_anything_in_a_table(value: str) -> None:
    shown = table(["x", "y"], [[text(value), "end"]], "ll")
    assert not kinds(shown) & ACTIVE
    assert GITHUB.render(shown).count("<td") == 2


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_nothing_links_by_itself_or_calls_a_person(value: str) -> None:
    shown = text(value)
    assert not re.search(r"(?i)https?:|www\.|javascript:(?=//)|@", shown)


def test_plain_ids_stay_as_they_are() -> None:
    assert text("gpt-6.1-terra_low") == "gpt-6.1-terra_low"


def test_a_price_reads_as_it_is() -> None:
    assert text("at $0.0012 per graph") == "at $0.0012 per graph"


def test_a_long_text_is_cut() -> None:
    assert text("x" * 5_000) == "x" * (LONGEST - 1) + "…"


def test_what_cannot_be_seen_goes() -> None:
    assert text("a\u202eb\u200bc\x00") == "abc"


@pytest.mark.parametrize(
    ("value", "shown"),
    [("NO_GRAPH", "`NO_GRAPH`"), ("a b", "a b"), ("`", "\\`"), ("", "")],
    ids=["code", "two words", "a backtick", "nothing"],
)
def test_only_a_plain_code_is_shown_as_code(value: str, shown: str) -> None:
    assert code(value) == shown


def test_a_fence_is_longer_than_any_in_its_content() -> None:
    (block,) = GITHUB.parse(fenced("a\n````\nb", "json"))
    assert (block.type, block.content) == ("fence", "a\n````\nb\n")


def test_columns_line_up_as_plain_text() -> None:
    lines = table(["Model", "Cells"], [["a", "1"], ["a much longer name", "10,000"]], "lr").splitlines()
    assert {len(line) for line in lines} == {len(lines[0])}


def test_a_table_without_rows_is_its_header() -> None:
    assert table(["a", "b"], [], "lr") == narrow_table(["a", "b"], []) == "| a | b |\n| --- | --- |"


def test_the_title_of_a_section_is_text() -> None:
    assert "<summary>&lt;b&gt;</summary>" in details("<b>", "body")
