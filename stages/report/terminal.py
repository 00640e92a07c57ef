"""What the end of `dvc repro` prints: the leaderboard, what failed and how to fix it, the cost, and where the site is."""

from collections.abc import Iterator, Mapping

import pandas as pd
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from stages.report.advice import advice_of
from stages.report.cells import rows_of
from stages.report.findings import Findings
from stages.report.tables import Field, cost_text, failure_fields
from stages.shell import numbers as show
from stages.shell.text import visible

SHOWN_MODELS = 30
SHOWN_FAILURES = 12
WIDE = 120
"""Columns of a terminal from which everything is shown."""


def terminal(findings: Findings, site: str, width: int) -> RenderableType:
    """Everything that is printed; `site` says where the pages are, `width` is the terminal's, in columns.

    Nothing in a label is taken for markup.
    """
    return Group(*_parts(findings, site, wide=width >= WIDE))


def _parts(findings: Findings, site: str, *, wide: bool) -> Iterator[RenderableType]:
    total, fields = findings.total, findings.model_fields
    names = "rank name usable score interval cost_per_usable" + (" mode p50 p95" if wide else "")
    yield _grid("Leaderboard", findings.models, fields, names, SHOWN_MODELS, texts=18 if wide else 14)
    yield Text(findings.ranking_note, style="dim")
    yield Text()
    for advice in advice_of(findings.decision, findings.models):
        yield Text.assemble((f"{advice.mode}: ", "bold"), visible(advice.text))
    if len(findings.codes):
        yield Text()
        names = "code share meaning fix" if wide else "code share fix"
        yield _grid("What failed", findings.codes, failure_fields(), names, SHOWN_FAILURES, texts=14)
    saved = f", {show.money(total.cache_saved_usd)} saved by the prompt cache" if total.cache_saved_usd > 0 else ""
    yield Text()
    yield Text(
        f"{show.counted(total.cells, 'cell')}, {show.count(total.answered)} answered, {show.count(total.usable)} usable; "
        f"cost {cost_text(total)}{saved}"
    )
    for notice in findings.notices:
        yield Text(visible(notice), style="yellow")
    yield Text(f"site: {site}")


def _grid(title: str, frame: pd.DataFrame, fields: Mapping[str, Field], names: str, most: int, *, texts: int) -> Table:
    """The first rows of a frame; texts are folded to fit, to no less than `texts` columns, numbers are not."""
    grid = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    chosen = [fields[name] for name in names.split()]
    rows = [[visible(field.text(row)) for field in chosen] for row in rows_of(frame[:most])]
    for place, field in enumerate(chosen):
        longest = max((len(row[place]) for row in rows), default=0)
        least = longest if field.value else min(longest, 28 if field.code else texts)
        title = field.title.replace(" ", "\n", 1) if field.value else field.title
        grid.add_column(title, justify="right" if field.value else "left", overflow="fold", min_width=least)
    for row in rows:
        grid.add_row(*map(Text, row))
    if len(frame) > most:
        grid.caption = f"and {show.count(len(frame) - most)} more in results/summary.md"
    return grid
