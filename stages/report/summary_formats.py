"""The part of `results/summary.md` that sets free text beside structured output."""

from stages.report import number_formats as show
from stages.report.answer_formats import NAMES
from stages.report.digest import Digest
from stages.report.leaderboard import RankBy, Standing
from stages.report.markdown_text import table, text
from stages.report.recommendation import score_name


def formats(digest: Digest) -> str:
    """What structured output buys, for models that were called both ways; "" when none was."""
    if not digest.formats:
        return ""
    rank_by = digest.leaderboard.rank_by
    rows = []
    for pair in digest.formats:
        rows.append(_row(pair.freer, NAMES[pair.freer_format], rank_by, show.MISSING, show.MISSING))
        gain = pair.difference
        rows.append(
            _row(
                pair.stricter,
                NAMES[pair.stricter_format],
                rank_by,
                show.difference(gain.mean),
                show.span(gain.low, gain.high),
            )
        )
    header = ["Model", "Asked for", "Valid", "Parse failed", "Invalid", score_name(rank_by).capitalize()]
    header += ["Gain", "Interval", "Per valid graph"]
    told = "Configs that differ in `response_format` alone. *Gain* is paired by brief, stricter minus freer."
    return f"## Free text against structured output\n\n{told}\n\n{table(header, rows, 'llrrrrrlr')}"


def _row(one: Standing, asked: str, rank_by: RankBy, gain: str, interval: str) -> list[str]:
    counts = one.counts
    return [
        text(one.model_id), asked, show.share_of(counts.scored, counts.cells), show.count(counts.of("parse_failed")),
        show.count(counts.invalid), show.score(one.ranking(rank_by).mean), gain, interval,
        show.money(one.usage.cost_per_valid_usd),
    ]  # fmt: skip
