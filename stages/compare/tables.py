"""The tables of a comparison: its models, and the briefs that moved."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stages.compare.changes import MovedCell
from stages.compare.comparison import MAX_SHOWN, Comparison, ModelComparison
from stages.present.table import Column, Entry, Raw, Table, make_table
from stages.shell import numbers
from stages.statistics.estimates import IntervalEstimate

_JUDGED_COLUMNS = (
    Column("model", code=True),
    Column("verdict"),
    Column("quality", numbers.difference),
    Column("expected score", numbers.difference),
)
MODEL_COLUMNS = (
    *_JUDGED_COLUMNS,
    Column("base", numbers.score),
    Column("head", numbers.score),
    Column("usable base", numbers.share_of),
    Column("usable head", numbers.share_of),
    Column("cost", numbers.ratio),
    Column("latency", numbers.ratio),
)
COMMENT_COLUMNS = (
    *_JUDGED_COLUMNS,
    Column("usable", numbers.count),
    Column("cost", numbers.ratio),
    Column("latency", numbers.ratio),
)
MOVE_COLUMNS = (
    Column("brief", code=True),
    Column("difference", numbers.difference),
    Column("models that moved most"),
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


def comment_table(result: Comparison) -> Table:
    """A row for each model, narrow enough for a comment on a pull request."""
    return make_table(COMMENT_COLUMNS, map(_comment_row, result.models))


def _comment_row(model: ModelComparison) -> list[Raw]:
    used = model.efficiency
    before = f"{numbers.expected_count(used.base_usable)}/{used.base_answered}"
    usable = f"{before} → {numbers.expected_count(used.head_usable)}/{used.head_answered}"
    return [
        *_judged(model),
        Entry(usable, used.head_usable),
        _unbroken_ratio(used.cost_ratio),
        _unbroken_ratio(used.latency_ratio),
    ]


def _judged(model: ModelComparison) -> list[Raw]:
    effect = model.effect
    changed = " (config changed)" if model.config_changed else ""
    return [
        model.model_id + changed,
        verdict_entry(effect.judgement.verdict),
        difference_entry(effect.quality),
        difference_entry(effect.expected),
    ]


def _unbroken_ratio(ratio: float | None) -> Entry:
    return Entry(numbers.ratio(ratio).replace(" ", "\u00a0"), ratio)


def models_table(result: Comparison) -> Table:
    """A row for all models together, then one for each model."""
    return make_table(MODEL_COLUMNS, map(model_row, result.rows))


def model_row(model: ModelComparison) -> list[Raw]:
    """The entries of a model, one for each of `MODEL_COLUMNS`."""
    difference, used = model.effect.difference, model.efficiency
    return [
        *_judged(model),
        difference.base,
        difference.head,
        (used.base_usable, used.base_answered),
        (used.head_usable, used.head_answered),
        used.cost_ratio,
        used.latency_ratio,
    ]


def verdict_entry(verdict: str) -> Entry:
    """A verdict in a table, with its colour."""
    return Entry(verdict, look=VERDICT_LOOKS.get(verdict, ""))


def moves_table(result: Comparison, *, with_models: bool = True) -> Table:
    """The briefs that moved farthest, the largest difference first; without columns that would be
    empty.
    """
    rows = [
        (
            move.brief_id,
            move.difference,
            _moved_most(move.models) if with_models else "",
            _violations(move.models),
        )
        for move in result.moves[:MAX_SHOWN]
    ]
    places = [
        place
        for place, column in enumerate(MOVE_COLUMNS)
        if column.numeric or any(row[place] for row in rows)
    ]
    columns = [MOVE_COLUMNS[place] for place in places]
    return make_table(columns, [[row[place] for place in places] for row in rows])


def difference_entry(estimate: IntervalEstimate) -> Entry:
    """A difference in a table, with its interval where it has one."""
    text = numbers.difference(estimate.value)
    if estimate.low is not None:
        text += f" ({numbers.difference_interval(estimate.low, estimate.high)})"
    return Entry(text, estimate.value)


def _moved_most(cells: Iterable[MovedCell]) -> str:
    moved = [cell for cell in cells if cell.head != cell.base]
    farthest = sorted(moved, key=lambda cell: (-abs(cell.head - cell.base), cell.model_id))[:3]
    moves = [
        f"{cell.model_id} {numbers.score(cell.base)} → {numbers.score(cell.head)}"
        for cell in farthest
    ]
    return ", ".join(moves)


def _violations(cells: Sequence[MovedCell]) -> str:
    """The codes that cells gained and those that they lost, each with the models."""
    gained = _models_by_code((cell.gained, cell.model_id) for cell in cells)
    lost = _models_by_code((cell.lost, cell.model_id) for cell in cells)
    changes = {"gained": gained, "lost": lost}
    return "; ".join(f"{change} {codes}" for change, codes in changes.items() if codes)


def _models_by_code(cells: Iterable[tuple[Sequence[str], str]]) -> str:
    """The codes of cells, each with the models that have it."""
    models: defaultdict[str, list[str]] = defaultdict(list)
    for codes, model_id in cells:
        for code in codes:
            models[code].append(model_id)
    return ", ".join(f"{code} ({', '.join(models[code])})" for code in sorted(models))
