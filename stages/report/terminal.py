"""What the end of `dvc repro` prints: the leaderboard, the decisions, what failed and how to fix
it, the cost.
"""

import math
from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from stages.report.advice import advice_of
from stages.report.columns import CODE, FIX, MEANING, SHARE, cost_text
from stages.report.findings import RANKING_NOTE, Findings
from stages.report.sections import leaderboard
from stages.report.tables import table_of
from stages.shared.present.terminal import show_table, show_text
from stages.shared.shell import numbers as show
from stages.shared.shell.text import visible

MAX_MODELS = 30
MAX_FAILURES = 12
IN_SUMMARY = " in results/site/index.html"


def terminal(findings: Findings, site: str, width: int) -> Iterator[RenderableType]:
    """The results in at most `width` columns; `site` is the path of the site. Nothing in a label
    is taken for markup.
    """
    table = leaderboard(findings)
    yield from show_table(table.first(MAX_MODELS, IN_SUMMARY), width)
    yield show_text(RANKING_NOTE, "dim")
    yield Text()
    for advice in advice_of(findings.decision, findings.candidates):
        yield Text.assemble((f"{advice.mode}: ", "bold"), visible(advice.text))
    if findings.failures:
        fields = (CODE, SHARE, MEANING, FIX)
        failures = table_of(findings.failures, fields, title="What failed")
        yield Text()
        yield from show_table(failures.first(MAX_FAILURES, IN_SUMMARY), width)
    yield Text()
    yield show_text(_cost_line(findings))
    yield show_text(f"site: {site}")
    for notice in findings.notices:
        yield show_text(notice, "yellow")


def _cost_line(findings: Findings) -> str:
    total = findings.total
    savings = [model.cache_saved_usd for model in findings.models]
    saved = math.fsum(saving for saving in savings if saving is not None)
    by_cache = f", {show.money(saved)} saved by the prompt cache" if saved > 0 else ""
    return (
        f"{show.counted(total.cells, 'cell')}, {show.count(total.answered)} answered, "
        f"{show.count(total.usable)} usable; cost {cost_text(total.cost)}{by_cache}"
    )
