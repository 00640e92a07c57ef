"""The tables of a comparison, the same in every form: its models, and the cells that moved."""

from stages.compare.changes import Figures, MovedCell, moved_cells
from stages.compare.comparison import Comparison, ModelComparison
from stages.contracts.measurement import Measurement
from stages.present.table import Column, Entry, Raw, Table, make_table
from stages.report.failures import code_name
from stages.shell import numbers

MODEL_COLUMNS = (
    Column("model", code=True),
    Column("verdict"),
    Column("expected score", numbers.difference),
    Column("quality", numbers.score),
    Column("failures", numbers.count),
    Column("cost", numbers.money, hint="Of an answer, and candidate over baseline."),
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
    "worse": "bad",
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
    verdict = Entry(judgement.verdict, look=VERDICT_LOOKS.get(judgement.verdict, ""))
    difference = _difference_entry(judgement.difference)
    if figures is None:
        missing = [Entry(numbers.MISSING)] * 4
        return [model.model_id, verdict, difference, *missing]
    base, head = figures.base, figures.head
    quality = f"{numbers.score(base.quality)} → {numbers.score(head.quality)}"
    failures = " → ".join(
        f"{numbers.expected_count(side.failed)}/{side.answers}" for side in (base, head)
    )
    return [
        model.model_id,
        verdict,
        difference,
        Entry(quality, head.quality),
        Entry(failures, head.failed),
        _cost_entry(figures),
        Entry(_unbroken_ratio(figures.latency_ratio), figures.latency_ratio),
    ]


def _cost_entry(figures: Figures) -> Entry:
    usd = figures.head.usd_per_answer
    text = numbers.money(usd)
    if figures.cost_ratio is not None:
        text += f" ({_unbroken_ratio(figures.cost_ratio)})"
    return Entry(text, usd)


def _unbroken_ratio(ratio: float | None) -> str:
    return numbers.ratio(ratio).replace(" ", "\u00a0")


def _difference_entry(estimate: Measurement) -> Entry:
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
