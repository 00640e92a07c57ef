"""The heat map: every model on every brief, written compactly because it may have ten thousand fields."""

from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from stages.contracts.cell import Cell
from stages.report.leaderboard import BriefMean, Leaderboard
from stages.report.site.addresses import brief_page, cell_page, model_page

MAX_FIELDS = 20_000
STEPS = 6


class Heat(NamedTuple):
    """The columns (name and address), the rows (name, address, fields), and what the reader needs to know."""

    briefs: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, str, Markup], ...]
    note: str


def heat(board: Leaderboard) -> Heat:
    """Mean scores over samples, models by rank, briefs by id."""
    width = max(MAX_FIELDS // max(len(board.standings), 1), 1)
    briefs = [brief.brief_id for brief in board.briefs][:width]
    note = "Mean expected score: 0 where the model failed, hatched where no answer came. Each field leads to its cell."
    if len(briefs) < len(board.briefs):
        note += (
            f" Shown are the first {len(briefs):,} of {len(board.briefs):,} briefs; the models' pages have them all."
        )
    rows = []
    for standing in board.standings:
        means = {mean.brief_id: mean for mean in standing.briefs}
        fields = "".join(_field(means.get(brief), standing.display_name) for brief in briefs)
        rows.append((standing.display_name, model_page(standing.model_id), Markup(fields)))  # noqa: S704
    return Heat(tuple((brief, brief_page(brief)) for brief in briefs), tuple(rows), note)


def _field(mean: BriefMean | None, name: str) -> str:
    if mean is None:
        return '<td class="hx" data-v=""></td>'
    href = cell_page(Cell(mean.model_id, mean.brief_id, 1))
    if mean.counts.cells > 1:
        href = f"{brief_page(mean.brief_id)}#cells.q={quote(name)}"
    score = mean.expected_score
    if score is None:
        return f'<td class="hx" data-v=""><a href="{href}">—</a></td>'
    step = min(int(score * STEPS), STEPS - 1)
    return f'<td class="h{step}"><a href="{href}">{score:.2f}</a></td>'
