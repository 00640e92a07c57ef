"""What the end of `dvc repro` prints: the leaderboard, what failed and how to mend it, the cost, and where the site is."""

from collections.abc import Iterator, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from stages.report import number_formats as show
from stages.report.digest import Digest, what_ranks
from stages.report.failures import by_code
from stages.report.leaderboard import Leaderboard
from stages.report.recommendation import score_name
from stages.report.visible_text import visible

SHOWN_MODELS = 30
SHOWN_FAILURES = 12
WIDE = 110
"""Columns of a terminal from which everything is shown."""


def terminal(digest: Digest, site: str, width: int) -> RenderableType:
    """Everything that is printed; `site` says where the pages are, `width` is the terminal's, in columns.

    Nothing in a label is taken for markup.
    """
    return Group(*_parts(digest, site, wide=width >= WIDE))


def _parts(digest: Digest, site: str, *, wide: bool) -> Iterator[RenderableType]:
    board = digest.leaderboard
    yield _leaderboard(board, wide=wide)
    yield Text(what_ranks(board), style="dim")
    yield Text()
    for advice in digest.recommendations:
        yield Text.assemble((f"{advice.mode or 'no mode'}: ", "bold"), visible(advice.reason))
    if digest.failures:
        yield Text()
        yield _failures(digest, wide=wide)
    usage, counts = board.usage, board.counts
    unknown = f" and {show.things(usage.cost_unknown, 'answer')} of unknown cost" if usage.cost_unknown else ""
    saved = f", {show.money(usage.cache_saved_usd)} saved by the prompt cache" if usage.cache_saved_usd else ""
    yield Text()
    yield Text(
        f"{show.things(counts.cells, 'cell')}, {show.count(counts.answered)} answered, {show.count(counts.scored)} valid; "
        f"cost {show.money(usage.cost_usd)}{unknown}{saved}"
    )
    for notice in digest.notices:
        yield Text(notice, style="yellow")
    yield Text(f"site: {site}")


def _leaderboard(board: Leaderboard, *, wide: bool) -> Table:
    shown = board.standings[:SHOWN_MODELS]
    mark = " (simulated)" if wide else "*"
    columns: dict[str, list[str]] = {
        "#": [show.count(one.rank) for one in shown],
        "Model": [visible(one.model_id) + (mark if one.simulated else "") for one in shown],
        "Valid": [f"{show.count(one.counts.scored)}/{show.count(one.counts.cells)}" for one in shown],
        score_name(board.rank_by).capitalize(): [show.score(one.ranking(board.rank_by).mean) for one in shown],
        f"{show.share(board.confidence)} interval": [
            show.span(one.ranking(board.rank_by).low, one.ranking(board.rank_by).high) for one in shown
        ],
        "Per valid": [show.money(one.usage.cost_per_valid_usd) for one in shown],
    }
    if wide:
        columns["Mode"] = [one.target_mode or show.MISSING for one in shown]
        columns["p50"] = [show.duration(one.usage.latency_ms_p50) for one in shown]
        columns["p95"] = [show.duration(one.usage.latency_ms_p95) for one in shown]
    more = len(board.standings) - len(shown)
    return _grid("Leaderboard", columns, "Model", more)


def _failures(digest: Digest, *, wide: bool) -> Table:
    kinds = by_code(digest.failures, digest.leaderboard.counts.cells)
    shown = kinds[:SHOWN_FAILURES]
    columns = {
        "Code": [visible(one.code) for one in shown],
        "Cells": [f"{show.count(one.cells)}/{show.count(one.of_cells)}" for one in shown],
        **({"What it means": [one.meaning for one in shown]} if wide else {}),
        "What to do": [one.mend for one in shown],
    }
    return _grid("What failed", columns, "What to do", len(kinds) - len(shown))


def _grid(title: str, columns: Mapping[str, Sequence[str]], flexible: str, more: int) -> Table:
    """A table in which only the flexible column and long sentences are folded."""
    grid = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        words = name in ("Model", "Mode", "Code", "What it means", "What to do")
        folds = name == flexible or name.startswith("What")
        longest = max(map(len, columns[name]), default=0)
        least = min(longest, 40) if name == "Code" else 14 if folds else longest
        grid.add_column(name, justify="left" if words else "right", overflow="fold", min_width=least)
    for row in zip(*columns.values(), strict=True):
        grid.add_row(*map(Text, row))
    if more:
        grid.caption = f"and {show.count(more)} more in results/summary.md"
    return grid
