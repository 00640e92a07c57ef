"""Tables and sentences fit the terminal; words, numbers and commands stay whole."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from graph_evaluator.present.table import Column, Entry, Raw, make_table
from graph_evaluator.present.terminal import show_table
from graph_evaluator.shell import numbers
from graph_evaluator.shell.text import pieces, wrapped


def printed(table, width):
    out = io.StringIO()
    Console(file=out, width=width, highlight=False, soft_wrap=True).print(
        *show_table(table, width), sep="\n"
    )
    return out.getvalue().splitlines()


@pytest.mark.parametrize(("width", "parts"), [(60, 4), (80, 3), (150, 1)])
def test_columns_that_do_not_fit_follow_below_numbers_and_codes_whole(width, parts):
    intervals = [Column(f"Interval {number}", numbers.interval) for number in range(5)]
    columns = [Column("Model"), Column("Code", code=True), *intervals, Column("Meaning")]
    meaning = "An outcome or risk cannot be reached from the options."
    code, interval = "CONTROLLABLE_NO_OPTION_EDGE", (0.25, 0.75)
    row: list[Raw] = ["gpt-6.1-terra-low", code, *[interval] * 5, meaning]
    table = make_table(columns, [row], title="Failures", notes=["and 5 more"])
    lines = printed(table, width)
    assert "\n".join(lines).count("0.250 to 0.750") == 5
    assert any(code in line for line in lines)
    assert sum("Model" in line for line in lines) == parts
    assert max(map(len, lines)) <= width
    assert (lines[0], lines[-1]) == ("Failures", "and 5 more")


WORDS = st.sampled_from(
    [
        "a",
        "effect",
        "goal-threshold",
        "results/site",
        "`graph-evaluator briefs check ID`",
        "旅館の予約",
    ]
)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1), st.integers(60, 120))
def test_a_table_fits_breaks_no_word_and_no_command_and_has_no_empty_column(rows, width):
    columns = [Column("Brief", code=True), Column("Meaning"), Column("Advice"), Column("Note")]
    named = [(f"brief-{number}", *row) for number, row in enumerate(rows)]
    lines = printed(make_table(columns, named), width)
    assert max(map(cell_len, lines)) <= width
    assert lines == [line.rstrip() for line in lines]
    shown = " ".join(lines)
    for texts, title in zip(zip(*rows, strict=True), ("Meaning", "Advice", "Note"), strict=True):
        words = {piece for text in texts for piece in pieces(text)}
        assert [word for word in words if word not in shown] == []
        assert (title in shown) is bool(words)


@given(TEXTS, st.integers(40, 100))
def test_a_sentence_fits_and_has_all_its_words(text, width):
    lines = wrapped(f"- {text}", width).split("\n")
    assert max(map(cell_len, lines)) <= width
    assert [piece for line in lines for piece in pieces(line)] == ["-", *pieces(text)]
    assert all(line.startswith("  ") for line in lines[1:])


def test_markup_and_control_characters_are_plain_text():
    table = make_table([Column("Model")], [[Entry("[bold]x[/bold]\x1b\u202e", look="bad")]])
    text = "\n".join(printed(table, 80))
    assert "[bold]x[/bold]" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
