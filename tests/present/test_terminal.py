import io

import pytest
from rich.console import Console

from graph_evaluator.present.table import Column, Entry, Raw, Table, make_table
from graph_evaluator.present.terminal import show_table
from graph_evaluator.shell import numbers


def printed(table: Table, width: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(*show_table(table, width), sep="\n")
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize(("width", "parts"), [(60, 4), (80, 2), (140, 1)])
def test_columns_that_do_not_fit_follow_below_numbers_and_codes_whole(
    width: int, parts: int
) -> None:
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


def test_markup_and_control_characters_are_plain_text() -> None:
    table = make_table([Column("Model")], [[Entry("[bold]x[/bold]\x1b\u202e", look="bad")]])
    text = "\n".join(printed(table, 80))
    assert "[bold]x[/bold]" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
