import re
import unicodedata

import openpyxl  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len

from graph_evaluator.shell.text import (
    LONGEST_CSV,
    LONGEST_MARKDOWN,
    clip,
    compact_table,
    csv_cell,
    details,
    fenced,
    markdown,
    markdown_code,
    markdown_table,
    visible,
    visible_lines,
)
from tests.builders.cases import cases
from tests.report.hostile import HOSTILE

GITHUB = MarkdownIt("gfm-like", {"linkify": False, "html": True})
INERT = {"paragraph_open", "paragraph_close", "inline", "text", "text_special"}
INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
ACTIVE = {
    "html_inline",
    "html_block",
    "link_open",
    "image",
    "code_inline",
    "em_open",
    "strong_open",
    "s_open",
    "fence",
}


def kinds(markdown):
    """The kinds of everything that a Markdown reader sees in a text."""
    return {
        token.type for block in GITHUB.parse(markdown) for token in (block, *(block.children or ()))
    }


def categories(text):
    """The Unicode categories of a text."""
    return {unicodedata.category(char) for char in text}


@cases("value", HOSTILE)
def test_hostile_text_does_nothing_wherever_it_is_shown(value):
    in_markdown = markdown(value)
    assert kinds(in_markdown) <= INERT
    assert not re.search(r"(?i)https?:|www\.|javascript:(?=//)|@", in_markdown)
    lines = visible_lines(value).replace("\n", "").replace("\t", "")
    assert not (categories(visible(value)) | categories(lines)) & INVISIBLE
    assert "\n" not in visible(value)
    summary = details(value, "").removeprefix("<details>\n<summary>")
    text = re.sub("&(lt|gt|#34);", "", summary.removesuffix("</summary>\n\n\n\n</details>"))
    assert not set('<>"') & set(text)


@given(st.text(max_size=60))
def test_no_text_at_all_does_anything_in_a_table(value):
    shown = markdown_table(["x", "y"], [[markdown(value), "end"]], "ll")
    assert not kinds(shown) & ACTIVE
    assert GITHUB.render(shown).count("<td") == 2


@cases(
    "value, shown",
    {
        "a plain id": ("gpt-6.1-terra_low", "gpt-6.1-terra_low"),
        "a price": ("at $0.0012 per graph", "at $0.0012 per graph"),
        "invisible characters": ("a\u202eb\u200bc\x00", "abc"),
        "a long text": ("x" * 5_000, "x" * (LONGEST_MARKDOWN - 1) + "…"),
        "a mention": ("@team", "&#64;\u200cteam"),
        "references": ("#12 GH-12", "\\#\u200c12 GH\u200c-12"),
        "an emoji": (":tada: at 12:30", ":\u200ctada: at 12:30"),
    },
)
def test_a_text_is_shown_as_it_is_without_mentions_references_and_emoji(value, shown):
    assert markdown(value) == shown


@cases(
    "value, shown",
    {
        "code": ("NO_GRAPH", "`NO_GRAPH`"),
        "two words": ("a b", "a b"),
        "a backtick": ("`", "\\`"),
        "nothing": ("", ""),
    },
)
def test_only_a_plain_code_is_shown_as_code(value, shown):
    assert markdown_code(value) == shown


def test_a_fence_is_longer_than_any_in_its_content():
    (block,) = GITHUB.parse(fenced("a\n````\nb", "json"))
    assert (block.type, block.content) == ("fence", "a\n````\nb\n")


def test_a_table_without_rows_is_its_header():
    assert (
        markdown_table(["a", "b"], [], "lr")
        == compact_table(["a", "b"], [])
        == "| a | b |\n| --- | --- |"
    )


def test_joiners_stay_since_scripts_need_them():
    assert visible("می\u200cخواهم") == visible_lines("می\u200cخواهم") == "می\u200cخواهم"


@given(st.text(max_size=200), st.integers(1, 40))
def test_a_clipped_text_is_never_wider_than_its_columns(value, columns):
    assert cell_len(clip(value, columns)) <= columns


@cases("value", HOSTILE | {"full-width": "＝1+1"})
def test_a_spreadsheet_reads_every_csv_cell_as_text(value):
    assert openpyxl.Workbook().active.cell(1, 1, csv_cell(value)).data_type != "f"
    assert not csv_cell(value).startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r"))
    assert len(csv_cell(value)) <= LONGEST_CSV + 1
