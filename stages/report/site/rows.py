"""The overview's tables: leaderboard, briefs, warnings."""

from collections.abc import Mapping

from stages.report import number_formats as show
from stages.report.leaderboard import Leaderboard
from stages.report.site.addresses import brief_page, model_page
from stages.report.site.entries import counted, estimated, interval, measured
from stages.report.site.table import Column, Entry, Table


def leaderboard_table(board: Leaderboard) -> Table:
    """One line per model, by rank."""
    columns = (
        Column("Model"),
        Column("Mode", choose=True),
        Column("Rank", numeric=True),
        Column("Expected score", numeric=True, hint="Mean over briefs; a failure that is the model's doing counts 0"),
        Column(f"{show.share(board.confidence)} interval", numeric=True, hint="Of the expected score, over n briefs"),
        Column("Valid graphs", numeric=True),
        Column("Per valid graph", numeric=True, hint="Cost of a valid graph"),
        Column("Latency p50", numeric=True),
        Column("p95", numeric=True, hint="Latency, 95th percentile"),
        Column("Valid only", numeric=True, hint="Mean over scored cells: failures are left out"),
        Column("No answer", numeric=True, hint="Cells that no answer came for"),
        Column("Cost", numeric=True),
    )
    rows = tuple(
        (
            Entry(
                one.display_name,
                href=model_page(one.model_id),
                note="simulated" if one.simulated and board.simulated == "some" else "",
            ),
            Entry(one.target_mode or "none"),
            counted(one.rank),
            estimated(one.expected),
            interval(one.expected),
            Entry(show.share_of(one.counts.scored, one.counts.cells), one.counts.valid_share),
            measured(one.usage.cost_per_valid_usd, show.money),
            measured(one.usage.latency_ms_p50, show.duration),
            measured(one.usage.latency_ms_p95, show.duration),
            measured(one.overall_mean, show.score),
            counted(one.counts.unanswered),
            measured(one.usage.cost_usd, show.money, note=_unknown(one.usage.cost_unknown)),
        )
        for one in board.standings
    )
    return Table("leaderboard", "Models by rank", columns, rows)


def _unknown(cells: int) -> str:
    return f"+ {cells} unknown" if cells else ""


def brief_table(board: Leaderboard, names: Mapping[str, str]) -> Table:
    """One line per brief: how hard it is and who did best."""
    columns = (
        Column("Brief"),
        Column("Complexity", choose=True),
        Column("Expected score", numeric=True, hint="Mean over all models"),
        Column("Valid graphs", numeric=True),
        Column("Best model", choose=True),
        Column("Best score", numeric=True),
        Column("Worst model"),
        Column("Worst score", numeric=True),
    )
    rows = tuple(
        (
            Entry(one.brief_id, href=brief_page(one.brief_id)),
            Entry(one.complexity),
            measured(one.expected_score, show.score),
            Entry(show.share_of(one.counts.scored, one.counts.cells), one.counts.valid_share),
            _model(one.best_model, names),
            measured(one.best_score, show.score),
            _model(one.worst_model, names),
            measured(one.worst_score, show.score),
        )
        for one in board.briefs
    )
    return Table("briefs", "Briefs, with the models that did best and worst on them", columns, rows)


def _model(model_id: str | None, names: Mapping[str, str]) -> Entry:
    if model_id is None:
        return Entry(show.MISSING)
    return Entry(names.get(model_id, model_id), href=model_page(model_id))


def warning_table(warnings: tuple[tuple[str, int], ...]) -> Table:
    """How many cells each warning occurs in."""
    columns = (Column("Warning"), Column("Cells", numeric=True))
    rows = tuple((Entry(code), counted(cells)) for code, cells in warnings)
    return Table("warnings", "Oddities that change no score, by code", columns, rows)
