"""The overview's table of free text beside structured output."""

from stages.contracts.model_config import ResponseFormat
from stages.report import number_formats as show
from stages.report.answer_formats import NAMES, FormatPair
from stages.report.estimate import Estimate
from stages.report.leaderboard import RankBy, Standing
from stages.report.recommendation import score_name
from stages.report.site.addresses import model_page
from stages.report.site.entries import counted, measured
from stages.report.site.table import Column, Entry, Table


def format_table(pairs: tuple[FormatPair, ...], rank_by: RankBy) -> Table:
    """Two lines per pair: the freer config, then the stricter one with its gain."""
    columns = (
        Column("Model"),
        Column("Asked for"),
        Column("Valid graphs", numeric=True),
        Column("Parse failed", numeric=True, hint="Answers without JSON"),
        Column("Invalid", numeric=True, hint="Graphs that break a rule of structure"),
        Column(score_name(rank_by).capitalize(), numeric=True),
        Column("Gain", numeric=True, hint="Paired by brief: stricter minus freer"),
        Column("Interval", numeric=True, hint="Of the gain"),
        Column("Per valid graph", numeric=True, hint="Cost of a valid graph"),
    )
    rows = []
    for pair in pairs:
        rows.append(_row(pair.freer, pair.freer_format, rank_by, None))
        rows.append(_row(pair.stricter, pair.stricter_format, rank_by, pair.difference))
    caption = "Models that were called with and without structured output"
    return Table("formats", caption, columns, tuple(rows), sortable=False)


def _row(one: Standing, asked: ResponseFormat, rank_by: RankBy, gain: Estimate | None) -> tuple[Entry, ...]:
    gained = gain.mean if gain else None
    span = show.span(gain.low, gain.high) if gain else show.MISSING
    return (
        Entry(one.display_name, href=model_page(one.model_id)),
        Entry(NAMES[asked]),
        Entry(show.share_of(one.counts.scored, one.counts.cells), one.counts.valid_share),
        counted(one.counts.of("parse_failed")),
        counted(one.counts.invalid),
        measured(one.ranking(rank_by).mean, show.score),
        measured(gained, show.difference),
        Entry(span, gain.low if gain else None),
        measured(one.usage.cost_per_valid_usd, show.money),
    )
