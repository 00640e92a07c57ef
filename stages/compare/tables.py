"""The tables of a comparison, the same in every form: its models, and the cells that moved."""

from stages.compare.changes import Efficiency, MovedCell, moved_cells
from stages.compare.comparison import Comparison, ModelComparison
from stages.present.table import Column, Entry, Raw, Table, make_table
from stages.report.failures import code_name
from stages.shell import numbers
from stages.statistics.estimates import IntervalEstimate

MODEL_COLUMNS = (
    Column("model", code=True),
    Column("verdict"),
    Column("quality", numbers.difference),
    Column("expected score", numbers.difference),
    Column("usable", numbers.count),
    Column("cost", numbers.money, hint="Of an answer of the head, and head over base."),
    Column("latency", numbers.ratio),
)
MOVED_COLUMNS = (
    Column("brief", code=True, choose=True),
    Column("model", code=True, choose=True),
    Column("difference", numbers.difference),
    Column("scores"),
    Column("violations"),
)
VERDICT_LOOKS = {
    "better": "good",
    "better where usable": "good",
    "worse": "bad",
    "worse where usable": "bad",
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
    difference, used = model.effect.difference, model.efficiency
    before = f"{numbers.expected_count(used.base_usable)}/{used.base_answered}"
    now = f"{numbers.expected_count(used.head_usable)}/{used.head_answered}"
    return [
        model.model_id,
        verdict_entry(model.effect.judgement.verdict),
        difference_entry(difference.quality),
        difference_entry(difference.expected),
        Entry(f"{before} → {now}", used.head_usable),
        _cost_entry(used),
        Entry(_unbroken_ratio(used.latency_ratio), used.latency_ratio),
    ]


def _cost_entry(used: Efficiency) -> Entry:
    text = numbers.money(used.head_cost_usd)
    if used.cost_ratio is not None:
        text += f" ({_unbroken_ratio(used.cost_ratio)})"
    return Entry(text, used.head_cost_usd)


def _unbroken_ratio(ratio: float | None) -> str:
    return numbers.ratio(ratio).replace(" ", "\u00a0")


def verdict_entry(verdict: str) -> Entry:
    """A verdict in a table, with its colour."""
    return Entry(verdict, look=VERDICT_LOOKS.get(verdict, ""))


def difference_entry(estimate: IntervalEstimate) -> Entry:
    """A difference in a table, with its interval where it has one."""
    text = numbers.difference(estimate.value)
    if estimate.low is not None:
        text += f" ({numbers.difference_interval(estimate.low, estimate.high)})"
    return Entry(text, estimate.value)


def moved_table(result: Comparison) -> Table:
    """The cells that moved, the largest difference first."""
    rows = map(_moved_row, moved_cells(result.moves))
    return make_table(MOVED_COLUMNS, rows, title="What moved most", name="moved", heads=2)


def _moved_row(cell: MovedCell) -> list[Raw]:
    return [cell.brief_id, cell.model_id, cell.difference, *cell_changes(cell)]


def cell_changes(cell: MovedCell) -> tuple[str, str]:
    """The scores of a cell, and the violations that it gained and lost; empty for none."""
    scores = f"{numbers.score(cell.base)} → {numbers.score(cell.head)}"
    changes = {"gained": cell.gained, "lost": cell.lost}
    violations = [
        f"{change} {', '.join(map(code_name, codes))}" for change, codes in changes.items() if codes
    ]
    return scores, "; ".join(violations)
