"""The overview: which model for each mode, how sure that is, what it costs and what went wrong."""

from collections.abc import Mapping

from stages.report import number_formats as show
from stages.report.charts import charts
from stages.report.digest import Digest, what_ranks
from stages.report.failures import Failure
from stages.report.site.addresses import OVERVIEW, brief_page, model_page
from stages.report.site.cards import Fact, cards
from stages.report.site.evidence import Page
from stages.report.site.failure_rows import code_table, failure_table
from stages.report.site.format_rows import format_table
from stages.report.site.frame import Frame, page
from stages.report.site.heat import heat
from stages.report.site.rows import brief_table, leaderboard_table, warning_table
from stages.report.site.table import Table

MAX_FLAGS = 8
MAX_FAILURES = 600


def overview(frame: Frame, digest: Digest) -> Page:
    """The page that the site opens with."""
    board = digest.leaderboard
    names = {standing.model_id: standing.display_name for standing in board.standings}
    content: dict[str, object] = {
        "lede": _lede(digest),
        "cards": cards(digest.recommendations, board),
        "facts": _facts(digest),
        "flags": _flags(digest),
        "ranking_note": what_ranks(board),
        "leaderboard": leaderboard_table(board),
        "formats": format_table(digest.formats, board.rank_by),
        "charts": charts(digest),
        "heat": heat(board),
        "codes": code_table(digest.failures),
        "failures": _failures(digest, names),
        "warnings": warning_table(digest.warnings),
        "briefs": brief_table(board, names),
    }
    return page(frame, "overview", OVERVIEW, "Which model for which mode", (), content)


def _failures(digest: Digest, names: Mapping[str, str]) -> Table:
    table = failure_table(digest.failures[:MAX_FAILURES], root="", names=names)
    if len(digest.failures) <= MAX_FAILURES:
        return table
    more = f"{table.caption}: the first {MAX_FAILURES} of {len(digest.failures):,}, the models' pages have them all"
    return table._replace(caption=more)


def _lede(digest: Digest) -> str:
    run, counts = digest.run, digest.leaderboard.counts
    samples = f", {run.samples} samples each" if run.samples > 1 else ""
    return (
        f"{show.count(len(digest.leaderboard.standings))} models drafted decision graphs for "
        f"{show.count(len(digest.leaderboard.briefs))} briefs{samples}: {show.count(counts.cells)} cells."
    )


def _facts(digest: Digest) -> tuple[Fact, ...]:
    counts, usage = digest.leaderboard.counts, digest.leaderboard.usage
    unknown = f"and {show.count(usage.cost_unknown)} answers without a price" if usage.cost_unknown else "all answers"
    return (
        ("Valid graphs", show.share(counts.valid_share), f"{show.count(counts.scored)} of {show.count(counts.cells)}"),
        ("Invalid graphs", show.count(counts.invalid), "structurally, so they have no scores"),
        ("No answer", show.count(counts.unanswered), "cells to call again"),
        ("Most frequent failure", *_worst(digest.failures)),
        ("Cost", show.money(usage.cost_usd), unknown),
        ("Read from the prompt cache", show.share(usage.cached_share), "of the input tokens"),
    )


def _worst(failures: tuple[Failure, ...]) -> tuple[str, str]:
    cells: dict[str, int] = {}
    for failure in failures:
        cells[failure.code] = cells.get(failure.code, 0) + failure.cells
    if not cells:
        return "none", ""
    code = min(cells, key=lambda one: (-cells[one], one))
    return code.replace("_", " ").capitalize(), f"in {show.count(cells[code])} cells"


def _flags(digest: Digest) -> tuple[tuple[str, str], ...]:
    found = [
        (
            flag.message,
            model_page(flag.model_id) if flag.model_id else brief_page(flag.brief_id) if flag.brief_id else "",
        )
        for flag in digest.flags[:MAX_FLAGS]
    ]
    more = len(digest.flags) - len(found)
    return (*found, (f"And {more} more, on the pages of models and briefs.", "")) if more > 0 else tuple(found)
