"""The tables of a comparison, the same in every form: its models, and the cells that moved."""

from contextlib import suppress

from stages.commands.compare.changes import MovedCell
from stages.commands.compare.comparison import Comparison, ModelComparison
from stages.report.failures import code_name
from stages.shared.present.page import UnsafeId, brief_page, cell_page
from stages.shared.present.table import Column, Entry, Raw, Table, make_table
from stages.shared.records.measurement import Measurement
from stages.shared.records.response import Cell
from stages.shared.shell import numbers
from stages.shared.shell.text import clip

MAX_SHOWN = 10
"""How many briefs, cells or models of a long list are shown."""
MAX_NAME = 80
"""Columns of a name at most."""
NOTHING = Table((), ())
MODEL_COLUMNS = (
    Column("Model", code=True),
    Column("Verdict"),
    Column("Score", numbers.difference, hint="Candidate less baseline."),
    Column("Content", numbers.difference, hint="Candidate less baseline."),
    Column("Failures", numbers.count),
    Column("Cost", numbers.money, hint="Of an answer, and candidate over baseline."),
    Column("Latency", numbers.ratio),
)
MOVED_COLUMNS = (
    Column("Brief", code=True, choose=True),
    Column("Model", code=True, choose=True),
    Column("Score", numbers.difference),
    Column("Scores"),
    Column("Contents"),
    Column("Violations"),
)
VERDICT_LOOKS = {
    "better": "good",
    "worse": "bad",
    "mixed": "warn",
    "no meaningful difference": "equal",
    "could not measure": "warn",
}
"""The colours of verdicts; the others have none."""


def models_table(result: Comparison) -> Table:
    """A row for all models together where there are several, then one for each model, the cheapest
    first.
    """
    rows = map(_model_row, result.rows)
    title = "Differences by model"
    return make_table(MODEL_COLUMNS, rows, title=title, name="models", sortable=False)


def _model_row(model: ModelComparison) -> list[Raw]:
    judgement, figures = model.judgement, model.figures
    verdict = judgement.verdict
    row: list[Raw] = [
        clip(model.model_id, MAX_NAME),
        Entry(verdict, look=VERDICT_LOOKS.get(verdict, "")),
        _difference_entry(judgement.score.difference),
        _difference_entry(judgement.content.difference),
    ]
    if figures is None:
        return [*row, *[Entry(numbers.MISSING)] * 3]
    sides = (figures.baseline, figures.candidate)
    failed = [side.answered - side.usable for side in sides]
    failures = " → ".join(
        f"{numbers.expected_count(count)}/{numbers.count(side.answered)}"
        for count, side in zip(failed, sides, strict=True)
    )
    usd = figures.candidate.cost.per_answer
    cost = numbers.money(usd)
    if figures.cost_ratio is not None:
        cost += f" ({_unbroken(figures.cost_ratio)})"
    return [
        *row,
        Entry(failures, failed[1]),
        Entry(cost, usd),
        Entry(_unbroken(figures.latency_ratio), figures.latency_ratio),
    ]


def _unbroken(ratio: float | None) -> str:
    return numbers.ratio(ratio).replace(" ", "\u00a0")


def _difference_entry(difference: Measurement) -> Entry:
    """A difference in a table, with its interval where it has one."""
    text = numbers.difference(difference.value)
    if difference.ends is not None:
        text += f" ({numbers.difference_interval(*difference.ends)})"
    return Entry(text, difference.value)


def moved_table(result: Comparison, site: str = "") -> Table:
    """The cells that moved, the largest change of score first, with the ways to their pages in a
    site.
    """
    cells = [cell for move in result.moves for cell in move.models if cell.moved]
    cells.sort(key=lambda cell: (-abs(cell.difference), cell.brief_id, cell.model_id))
    rows = [_moved_row(cell, site) for cell in cells]
    return make_table(MOVED_COLUMNS, rows, title="What moved most", name="moved", heads=2)


def _moved_row(cell: MovedCell, site: str) -> list[Raw]:
    brief, model = (Entry(clip(name, MAX_NAME)) for name in (cell.brief_id, cell.model_id))
    if site:
        with suppress(UnsafeId):
            brief = brief._replace(href=f"{site}/{brief_page(cell.brief_id)}")
            first_sample = Cell(cell.model_id, cell.brief_id, 1)
            model = model._replace(href=f"{site}/{cell_page(first_sample)}")
    return [brief, model, cell.difference, *cell_changes(cell)]


def cell_changes(cell: MovedCell) -> tuple[str, str, str]:
    """The scores and the contents of a cell, and the violations that it gained and lost; empty for
    none.
    """
    scores, contents = (
        " → ".join(map(numbers.score, both)) for both in (cell.scores, cell.contents)
    )
    changes = {"gained": cell.gained, "lost": cell.lost}
    violations = [
        f"{change} {', '.join(map(code_name, codes))}" for change, codes in changes.items() if codes
    ]
    return scores, contents, "; ".join(violations)
