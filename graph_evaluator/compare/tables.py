"""The tables of a comparison, the same in every form: its models, the cells that moved, and the
runs along a branch.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import PurePosixPath

from graph_evaluator.compare.comparison import OTHER_SET, Comparison, Step
from graph_evaluator.compare.pairs import Pair, score_change
from graph_evaluator.compare.verdict import ModelComparison
from graph_evaluator.present.page import UnsafeId, brief_page, cell_page
from graph_evaluator.present.table import Column, Entry, Raw, Table, make_table
from graph_evaluator.records.codes import code_name
from graph_evaluator.records.record import NOT_MEASURED, Measurement
from graph_evaluator.records.response import Cell
from graph_evaluator.shell import numbers
from graph_evaluator.shell.text import clip

MAX_NAME = 80
"""Maximum columns of a name."""
LOOKS = {
    "better": "good",
    "worse": "bad",
    "mixed": "warn",
    "no meaningful difference": "equal",
    "could not measure": "warn",
    "up": "good",
    "down": "bad",
    "too small to matter": "equal",
}
"""The colours of verdicts and of changes of one number; the others have none."""
MODEL_COLUMNS = (
    Column("Model", code=True),
    Column("Verdict"),
    Column("Form", numbers.difference, hint="Candidate minus baseline."),
    Column("Content", numbers.difference, hint="Candidate minus baseline."),
    Column("Usable", numbers.share),
    Column("Cost", numbers.ratio, hint="Of an answer, candidate divided by baseline."),
    Column("Latency", numbers.ratio, hint="Of an answer, candidate divided by baseline."),
)
MOVED_COLUMNS = (
    Column("Brief", code=True),
    Column("Model", code=True),
    Column("Recommends"),
    Column("Form", numbers.difference),
    Column("Content", numbers.difference),
    Column("Violations"),
)
RUN_COLUMNS = (
    Column("Date"),
    Column("Commit", code=True),
    Column("Prompt", code=True),
    Column("Form", numbers.score),
    Column("±", numbers.score),
    Column("Usable", numbers.share),
    Column("Cost", numbers.money),
    Column("Against previous run"),
)


def models_table(result: Comparison) -> Table:
    """A row for all models together where there are several, then one for each model."""
    rows = map(_model_row, result.rows)
    table = make_table(MODEL_COLUMNS, rows, title="Differences by model", name="models")
    return table.without_empty_columns()


def _model_row(model: ModelComparison) -> list[Raw]:
    judgement, before, after = model.judgement, model.baseline, model.candidate
    usable = [side.usable_rate.value for side in (before, after)]
    dearer = _quotient(after.cost.per_answer, before.cost.per_answer)
    slower = _quotient(after.latency.per_answer_ms, before.latency.per_answer_ms)
    return [
        clip(model.model_id, MAX_NAME),
        Entry(judgement.verdict, look=LOOKS.get(judgement.verdict, "")),
        _difference_entry(judgement.form.difference),
        _difference_entry(judgement.content.difference if judgement.content else NOT_MEASURED),
        Entry(" → ".join(map(numbers.share, usable)), usable[1]),
        dearer,
        slower,
    ]


def _quotient(after: float | None, before: float | None) -> float | None:
    return after / before if after and before else None


def _difference_entry(difference: Measurement) -> Entry:
    """A difference in a table, with its interval where it has one."""
    text = numbers.difference(difference.value)
    if difference.ends is not None:
        low, high = difference.ends
        text += f" ±\u00a0{numbers.score((high - low) / 2)}"
    return Entry(text, difference.value)


def moved_table(result: Comparison, site: str) -> Table:
    """The cells that moved, first those that recommend another option, with the ways to their pages
    in a site; what did not move is left empty, and so is the column of one model alone.
    """
    several = len(result.models) > 1
    rows = [_moved_row(pair, site, several) for pair in result.moved]
    heads = 1 + several
    table = make_table(MOVED_COLUMNS, rows, title="What moved", name="moved", heads=heads)
    return table.without_empty_columns()


def _moved_row(pair: Pair, site: str, names_model: bool) -> list[Raw]:
    before, after = pair.baseline, pair.candidate
    brief, model = (Entry(clip(name, MAX_NAME)) for name in (pair.brief_id, pair.model_id))
    form = _change(before.form, after.form)
    if site:
        with suppress(UnsafeId):
            brief = brief._replace(href=f"{site}/{brief_page(pair.brief_id)}")
            cell = f"{site}/{cell_page(Cell(pair.model_id, pair.brief_id, 1))}"
            model, form = model._replace(href=cell), form._replace(href=cell)
    changes = {"gained": pair.gained, "lost": pair.lost}
    violations = [
        f"{change} {', '.join(map(code_name, codes))}" for change, codes in changes.items() if codes
    ]
    options = [clip(label, MAX_NAME) for label in (pair.choice.baseline, pair.choice.candidate)]
    return [
        brief,
        model if names_model else "",
        " → ".join(options) if pair.choice.changed else "",
        form,
        _change(before.content, after.content),
        "; ".join(violations),
    ]


def _change(before: float | None, after: float | None) -> Entry:
    change = score_change(before or 0.0, after or 0.0)
    if before is None or after is None or not change:
        return Entry("")
    return Entry(f"{numbers.score(before)} → {numbers.score(after)}", change)


def runs_table(steps: Sequence[Step]) -> Table:
    """The runs along a branch, the oldest first."""
    rows = [_run_row(step, step is steps[0]) for step in steps]
    return make_table(RUN_COLUMNS, rows, title="Runs", name="runs", heads=2)


def _run_row(step: Step, is_first: bool) -> list[Raw]:
    ends = step.form.ends
    against = f"{step.verdict} ({numbers.difference(step.difference)})"
    if step.other_set:
        against += OTHER_SET
    if is_first:
        against = ""
    elif step.verdict is None:
        against = "scored by other rules, with unreadable answers"
    return [
        (step.date or "")[:10],
        step.commit,
        PurePosixPath(step.prompt).stem,
        step.form.value,
        None if ends is None else (ends[1] - ends[0]) / 2,
        step.usable_share,
        step.cost_usd,
        Entry(against, look=LOOKS.get(step.verdict or "", "")),
    ]
