"""What the end of `dvc repro` prints: the leaderboard, the decisions, what failed and how to fix
it, the cost.
"""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from stages.present.table import Table
from stages.present.terminal import show_table, show_text
from stages.report.advice import advice_of
from stages.report.findings import TRAFFIC, Findings
from stages.report.rows import Total
from stages.report.tables import FAILURES, cost_text, table_of
from stages.shell import numbers as show
from stages.shell.text import visible

MAX_MODELS = 30
MAX_FAILURES = 12


def terminal(findings: Findings, site: str, width: int) -> Iterator[RenderableType]:
    """The results in at most `width` columns; `site` is the path of the site. Nothing in a label
    is taken for markup.
    """
    names = "name rank usable score interval cost_per_usable mode p50 p95 content unchecked"
    fields = findings.model_fields
    if len(findings.ranked_models):
        leaderboard = table_of(findings.ranked_models, fields, names, title="Leaderboard")
        yield from show_table(_first_rows(leaderboard, MAX_MODELS), width)
    if len(findings.traffic_models):
        names = names.replace("rank ", "")
        traffic = table_of(findings.traffic_models, fields, names, title="Traffic")
        yield from show_table(_first_rows(traffic, MAX_MODELS), width)
        yield show_text(TRAFFIC)
    yield show_text(findings.ranking_note, "dim")
    yield Text()
    for advice in advice_of(findings.decision, findings.candidates):
        yield Text.assemble((f"{advice.mode}: ", "bold"), visible(advice.text))
    if len(findings.codes):
        failures = table_of(findings.codes, FAILURES, "code share meaning fix", title="What failed")
        yield Text()
        yield from show_table(_first_rows(failures, MAX_FAILURES), width)
    yield Text()
    yield show_text(_cost_line(findings.total))
    yield show_text(f"site: {site}")
    for notice in findings.notices:
        yield show_text(notice, "yellow")


def _first_rows(table: Table, count: int) -> Table:
    more = len(table.rows) - count
    return table.first(count, f"and {show.count(more)} more in results/summary.md")


def _cost_line(total: Total) -> str:
    saved = ""
    if total.cache_saved_usd > 0:
        saved = f", {show.money(total.cache_saved_usd)} saved by the prompt cache"
    cost = cost_text(total.cost_usd, total.cost_unknown)
    return (
        f"{show.counted(total.cells, 'cell')}, {show.count(total.answered)} answered, "
        f"{show.count(total.usable)} usable; cost {cost}{saved}"
    )
