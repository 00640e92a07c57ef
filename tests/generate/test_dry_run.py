"""A dry run says why cells are called, and which briefs cannot be checked."""

import io
from typing import Any

from rich.console import Console

from stages.generate.dry_run import (
    DryRunCell,
    StoredRequests,
    cell_tables,
    unchecked_briefs,
)
from stages.generate.forecast import Forecast, Range
from stages.generate.plan.call import Call
from stages.shared.present.table import Table
from stages.shared.present.terminal import show_table
from stages.shared.records.brief import Brief, parse_brief
from stages.shared.records.response import Cell
from tests.builders.cases import cases
from tests.generate.asking import cells, config

STORED = [planned.calls[0].canonical for planned in cells(config(), briefs=2)]


def one(*, number: int = 0, **changed: Any) -> Call:
    generate = {key: changed.pop(key) for key in ("samples", "round") if key in changed}
    return cells(config(**changed), briefs=3, **generate)[number].calls[0]


@cases(
    "call, why",
    {
        "model": (one(model="other", round=2), "nothing stored of this model"),
        "endpoint": (one(base_url="http://127.0.0.1:1/v1"), "another endpoint"),
        "two settings": (
            one(params={"temperature": 0.5, "max_output_tokens": 100}),
            "another max_output_tokens and another temperature",
        ),
        "sample": (cells(config(), samples=2)[1].calls[0], "another sample"),
        "brief and round": (
            one(number=2, round=2),
            "the brief is new or changed and another round",
        ),
    },
)
def test_what_differs_is_said_in_plain_words(call: Call, why: str) -> None:
    assert StoredRequests(STORED).difference(call.canonical) == why


LONG_BRIEF = "11-feedback-loop-marketplace"
SETTINGS = "another max_output_tokens and another temperature"


def row(
    model: str = "gpt-6.1-terra-low", why: str = "", *, usd: float = 0, unpriced: int = 0
) -> DryRunCell:
    forecast = Forecast(cost_usd=Range(0, 0, usd), unpriced=unpriced)
    return DryRunCell(Cell(model, LONG_BRIEF, 1), why, forecast)


def printed(*tables: Table) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=80, highlight=False)
    for table in tables:
        console.print(*show_table(table, console.width))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_the_cells_of_a_model_fit_80_columns_with_whole_words() -> None:
    lines = printed(*cell_tables([row(why=SETTINGS, usd=0.00567), row()]))
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    for words in (LONG_BRIEF, "gpt-6.1-terra-low", *SETTINGS.split(), "to call", "$0.00567"):
        assert words in text


LONG = """\
We run a small bakery in the harbour street. Every evening a third of the bread is thrown away,
because the old oven takes two hours for one batch, while the shelves are empty after lunch and the
queue at noon reaches the door. A second oven costs 14,000 euros; neighbours upstairs fear more
noise at night. Our profit was small last year, and the bank wants a decision before Easter."""


def brief(name: str, body: str) -> Brief:
    return parse_brief(name, f"---\n---\n{body}\n", file=f"{name}.md")


def test_short_briefs_are_named_with_what_would_help() -> None:
    short = [brief(f"b{number}", "Stay or go?") for number in range(30)]
    (line,) = unchecked_briefs([*short, brief("long", LONG)])
    assert "b0, b1, b2" in line
    assert " and 10 more; would help: a brief of 30 to 400 words, `target`" in line
    assert list(unchecked_briefs([brief("long", LONG)])) == []
