"""What the end of `dvc repro` prints: the leaderboard, what failed and how to mend it, the cost, and where the site is."""

from collections.abc import Iterator

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


def terminal(digest: Digest, site: str) -> RenderableType:
    """Everything that is printed; `site` says where the pages are. Nothing in a label is taken for markup."""
    return Group(*_parts(digest, site))


def _parts(digest: Digest, site: str) -> Iterator[RenderableType]:
    board = digest.leaderboard
    yield _leaderboard(board)
    yield Text(what_ranks(board), style="dim")
    for advice in digest.recommendations:
        yield Text.assemble((f"{advice.mode or 'no mode'}: ", "bold"), visible(advice.reason))
    if digest.failures:
        yield _failures(digest)
    usage = board.usage
    unknown = f" and {show.things(usage.cost_unknown, 'answer')} of unknown cost" if usage.cost_unknown else ""
    saved = f", {show.money(usage.cache_saved_usd)} saved by the prompt cache" if usage.cache_saved_usd else ""
    counts = board.counts
    yield Text(
        f"{show.things(counts.cells, 'cell')}, {show.count(counts.answered)} answered, {show.count(counts.scored)} valid; "
        f"cost {show.money(usage.cost_usd)}{unknown}{saved}"
    )
    for notice in digest.notices:
        yield Text(notice, style="yellow")
    yield Text(f"site: {site}")


def _leaderboard(board: Leaderboard) -> Table:
    grid = Table(title="Leaderboard", title_justify="left", header_style="bold")
    for name in ("#", "Model", "Mode", "Valid", score_name(board.rank_by).capitalize(), "Interval", "Per valid", "p50"):
        left = name in ("Model", "Mode")
        grid.add_column(name, justify="left" if left else "right", no_wrap=name != "Model", overflow="fold")
    for one in board.standings[:SHOWN_MODELS]:
        mean = one.ranking(board.rank_by)
        grid.add_row(
            show.count(one.rank),
            Text(visible(one.model_id)),
            one.target_mode or show.MISSING,
            show.share_of(one.counts.scored, one.counts.cells),
            show.score(mean.mean),
            show.span(mean.low, mean.high),
            show.money(one.usage.cost_per_valid_usd),
            show.duration(one.usage.latency_ms_p50),
        )
    if len(board.standings) > SHOWN_MODELS:
        grid.caption = f"and {show.count(len(board.standings) - SHOWN_MODELS)} more in results/summary.md"
    return grid


def _failures(digest: Digest) -> Table:
    grid = Table(title="What failed", title_justify="left", header_style="bold")
    for name in ("Code", "Cells", "Models", "What it means", "What to do"):
        grid.add_column(name, justify="right" if name in ("Cells", "Models") else "left", overflow="fold")
    kinds = by_code(digest.failures, digest.leaderboard.counts.cells)
    for one in kinds[:SHOWN_FAILURES]:
        cells, models = f"{show.count(one.cells)}/{show.count(one.of_cells)}", show.count(len(one.models))
        grid.add_row(Text(visible(one.code)), cells, models, one.meaning, one.mend)
    if len(kinds) > SHOWN_FAILURES:
        grid.caption = f"and {show.count(len(kinds) - SHOWN_FAILURES)} more in results/summary.md"
    return grid
