"""Cards: the first thing that a reader sees, one per target mode: which model to take, why, how sure that is, what it costs."""

from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup, escape

from stages.report import number_formats as show
from stages.report.leaderboard import Leaderboard, RankBy, Standing
from stages.report.recommendation import Recommendation
from stages.report.site.addresses import model_page
from stages.report.visible_text import cut

_VERDICTS = {
    "leads": ("a real lead", "good"),
    "tied": ("the cheapest of {} that cannot be told apart", "warn"),
    "only_candidate": ("the only candidate", "warn"),
    "nothing_scored": ("nothing was scored", "bad"),
}
_ROWS = 5
_STEP = 22
_LEFT = 172
_WIDE = 240

Fact = tuple[str, str, str]
"""A name, a value, and a note that may be empty."""


class Card(NamedTuple):
    """What a card says."""

    mode: str
    name: str
    href: str
    verdict: str
    verdict_text: str
    look: str
    reason: str
    scale: Markup
    facts: tuple[Fact, ...]


def cards(recommendations: tuple[Recommendation, ...], board: Leaderboard) -> tuple[Card, ...]:
    """A card per mode."""
    standings = {standing.model_id: standing for standing in board.standings}
    return tuple(_card(item, standings, board.rank_by) for item in recommendations)


def _card(item: Recommendation, standings: Mapping[str, Standing], rank_by: RankBy) -> Card:
    chosen = standings.get(item.model_id or "")
    text, look = _VERDICTS[item.verdict]
    rivals = [rival.model_id for rival in item.rivals]
    order = [key for key in (item.leader, *item.tied, *rivals) if key in standings]
    return Card(
        mode=f"{item.mode} mode".capitalize() if item.mode else "No target mode",
        name=chosen.display_name if chosen else "No recommendation",
        href=model_page(chosen.model_id) if chosen else "",
        verdict=item.verdict,
        verdict_text=text.format(len(item.tied)),
        look=look,
        reason=item.reason,
        scale=_scale([standings[key] for key in dict.fromkeys(order) if key is not None], item.model_id, rank_by),
        facts=_facts(chosen, rank_by) if chosen else (),
    )


def _facts(standing: Standing, rank_by: RankBy) -> tuple[Fact, ...]:
    estimate, usage, counts = standing.ranking(rank_by), standing.usage, standing.counts
    return (
        ("Score", show.score(estimate.mean), f"{show.span(estimate.low, estimate.high)}, n = {estimate.n}"),
        ("Valid graphs", show.share(counts.valid_share), f"{counts.scored} of {counts.cells}"),
        ("Cost per valid graph", show.money(usage.cost_per_valid_usd), ""),
        ("Latency, median", show.duration(usage.latency_ms_p50), f"p95 {show.duration(usage.latency_ms_p95)}"),
    )


def _scale(rows: list[Standing], chosen: str | None, rank_by: RankBy) -> Markup:
    """The candidates' scores and intervals on one scale from 0 to 1."""
    rows = [row for row in rows if row.ranking(rank_by).mean is not None]
    if not rows:
        return Markup("")
    shown, width = rows[:_ROWS], _LEFT + _WIDE + 40
    height = _STEP * len(shown) + (14 if len(rows) > _ROWS else 0)
    told = ", ".join(f"{row.display_name} {show.score(row.ranking(rank_by).mean)}" for row in shown)
    parts = [
        f'<svg class="scale" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape("Scores from 0 to 1: " + told)}">'
    ]
    for number, row in enumerate(shown):
        estimate, y = row.ranking(rank_by), number * _STEP + 11
        mean, low, high = (round(_LEFT + _WIDE * (at or 0.0), 1) for at in (estimate.mean, estimate.low, estimate.high))
        look = ' class="chosen"' if row.model_id == chosen else ""
        span = "" if estimate.low is None else f'<path class="span" d="M{low:g},{y}H{high:g}"/>'
        parts.append(
            f'<g{look}><text x="0" y="{y + 4}">{escape(cut(row.display_name, 28))}</text>'
            f'<path class="track" d="M{_LEFT},{y}h{_WIDE}"/>{span}<circle cx="{mean:g}" cy="{y}" r="4.5"/>'
            f'<text class="value" x="{width}" y="{y + 4}">{show.score(estimate.mean)}</text></g>'
        )
    if len(rows) > _ROWS:
        parts.append(f'<text class="more" x="0" y="{height - 2}">and {len(rows) - _ROWS} more</text>')
    return Markup("".join([*parts, "</svg>"]))  # noqa: S704 - the texts are escaped
