"""What the end of `dvc repro` prints: the leaderboard, the decisions, what failed and how to fix
it, the cost.
"""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from stages.report.advice import advice_of
from stages.report.columns import FAILURES, cost_text
from stages.report.findings import RANKING_NOTE, Findings
from stages.report.rows import Total
from stages.report.sections import LEADERBOARD, leaderboard
from stages.report.tables import table_of
from stages.shared.present.terminal import show_table, show_text
from stages.shared.shell import numbers as show
from stages.shared.shell.text import visible

MAX_MODELS = 30
MAX_FAILURES = 12
IN_SUMMARY = " in results/summary.md"


def terminal(findings: Findings, site: str, width: int) -> Iterator[RenderableType]:
    """The results in at most `width` columns; `site` is the path of the site. Nothing in a label
    is taken for markup.
    """
    table = leaderboard(findings, LEADERBOARD)
    yield from show_table(table.first(MAX_MODELS, IN_SUMMARY), width)
    yield show_text(RANKING_NOTE, "dim")
    yield Text()
    for advice in advice_of(findings.decision, findings.candidates):
        yield Text.assemble((f"{advice.mode}: ", "bold"), visible(advice.text))
    if len(findings.codes):
        failures = table_of(findings.codes, FAILURES, "code share meaning fix", title="What failed")
        yield Text()
        yield from show_table(failures.first(MAX_FAILURES, IN_SUMMARY), width)
    yield Text()
    yield show_text(_cost_line(findings.total))
    yield show_text(f"site: {site}")
    for notice in findings.notices:
        yield show_text(notice, "yellow")


def _cost_line(total: Total) -> str:
    saved = ""
    if total.cache_saved_usd > 0:
        saved = f", {show.money(total.cache_saved_usd)} saved by the prompt cache"
    cost = cost_text(total.cost_usd, total.cost_unknown)
    return (
        f"{show.counted(total.cells, 'cell')}, {show.count(total.answered)} answered, "
        f"{show.count(total.usable)} usable; cost {cost}{saved}"
    )
