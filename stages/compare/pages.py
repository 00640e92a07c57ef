"""The pages of a comparison and of the runs along a branch."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from stages.compare import tables, wording
from stages.compare.comparison import (
    MAX_SHOWN,
    Comparison,
    ModelComparison,
    Unmeasured,
    simulated_note,
)
from stages.compare.history import Step, list_runs
from stages.compare.views import BESIDE
from stages.contracts.response import Cell
from stages.contracts.run import TOOL_VERSION
from stages.present.page import Frame, UnsafeId, brief_page, cell_page, page, trail_to
from stages.present.table import Table
from stages.report.charts.drawing import IntervalRow, Spec, interval_chart, svg
from stages.shell import numbers
from stages.shell.text import clip, short_names

MAX_NAME = 80
"""Columns of a name on the page at most."""
SIMULATED_RUNS = (
    "Runs with simulated models are among these: the results of such models show how the tool "
    "works and say nothing about real models."
)
NOT_RUN = Frame("not known", "not known", TOOL_VERSION)
_PACKAGE = "stages.compare"


def comparison_page(result: Comparison | Unmeasured, *, site: str = "") -> bytes:
    """The page of a comparison.

    `site` is the path from it to the site of the head's run; nothing links to one where it is
    empty.
    """
    title = wording.title(result)
    if isinstance(result, Unmeasured):
        return page(
            NOT_RUN,
            "unmeasured.html.j2",
            package=_PACKAGE,
            title=title,
            verdict=result.verdict,
            reasons=result.reasons,
        )
    if result.head.revision is not None:
        site = ""
    moved = _on_page(_linked(tables.moved_table(result), site))
    less = replace(moved, rows=moved.rows[MAX_SHOWN:], title="What moved less", name="moved-less")
    caption = "Differences of the expected score with their intervals, as in the table"
    simulated = simulated_note(result.pairing)
    return page(
        _frame(result, (simulated,) if simulated else ()),
        "compare.html.j2",
        package=_PACKAGE,
        title=title,
        trail=trail_to(site),
        verdict=result.verdict,
        prompts=wording.prompts_line(result),
        reason=wording.reason(result),
        sentences=wording.next_steps(result),
        beside=BESIDE,
        information=wording.information(result),
        chart=svg(_chart(result), caption),
        models=_on_page(tables.models_table(result)),
        moved=replace(moved, rows=moved.rows[:MAX_SHOWN]),
        moved_less=less,
        notes=[*result.notes, *wording.provenance(result)],
    )


def _frame(result: Comparison, notices: tuple[str, ...]) -> Frame:
    run = result.head.run
    return Frame(run.run_id, run.prompt.path, TOOL_VERSION, notices)


def _chart(result: Comparison) -> Spec:
    rows = [_bar(row) for row in result.rows]
    margin = result.settings.min_difference
    return interval_chart(
        rows,
        margin=margin,
        axis_title="expected score, candidate less baseline: above 0 the candidate is better",
        write=numbers.difference,
    )


def _bar(row: ModelComparison) -> IntervalRow:
    test = row.judgement.difference
    return IntervalRow(
        clip(row.model_id, 16), test.value, test.low, test.high, _look(row.judgement.verdict)
    )


def _look(verdict: str | None) -> str:
    """The colour of an interval: good, bad or plain."""
    look = tables.VERDICT_LOOKS.get(verdict or "", "")
    return look if look in ("good", "bad") else "plain"


def _on_page(table: Table) -> Table:
    """A table of the terminal, its texts clipped."""
    columns = [replace(column, title=column.title.capitalize()) for column in table.columns]
    rows = [
        tuple(entry._replace(text=clip(entry.text, MAX_NAME)) for entry in row)
        for row in table.rows
    ]
    return replace(table, columns=tuple(columns), rows=tuple(rows))


def _linked(moved: Table, site: str) -> Table:
    """The table of moved cells with the ways to the pages of briefs and cells, except where an id
    is unsafe.
    """
    if not site:
        return moved
    rows = []
    for brief, model, *others in moved.rows:
        with suppress(UnsafeId):
            brief = brief._replace(href=f"{site}/{brief_page(brief.text)}")
            first_sample = Cell(model.text, brief.text, 1)
            model = model._replace(href=f"{site}/{cell_page(first_sample)}")
        rows.append((brief, model, *others))
    return replace(moved, rows=tuple(rows))


def history_page(steps: Sequence[Step], skipped: Sequence[str], *, site: str = "") -> bytes:
    """The page of the runs along a branch: their scores, costs and verdicts; `site` as in
    `comparison_page`.
    """
    frame = NOT_RUN
    if steps:
        simulated = (SIMULATED_RUNS,) if any(step.simulated for step in steps) else ()
        frame = Frame(steps[-1].run_id, steps[-1].prompt, TOOL_VERSION, simulated)
    return page(
        frame,
        "history.html.j2",
        package=_PACKAGE,
        title="History",
        trail=trail_to(site),
        scores=svg(_scores_chart(steps), "Expected score of each run with its interval"),
        costs=svg(_costs_chart(steps), "Cost of each run in US dollars"),
        runs=_on_page(list_runs(steps, skipped)),
    )


def _scores_chart(steps: Sequence[Step]) -> Spec:
    rows = []
    for name, step in zip(_run_names(steps), steps, strict=True):
        score = step.score
        rows.append(IntervalRow(name, score.value, score.low, score.high, _look(step.verdict)))
    return interval_chart(rows, axis_title="expected score, 0 to 1")


def _costs_chart(steps: Sequence[Step]) -> Spec:
    costs = [step.cost_usd for step in steps]
    rows = [
        IntervalRow(name, cost, None, None)
        for name, cost in zip(_run_names(steps), costs, strict=True)
    ]
    return interval_chart(rows, axis_title="US dollars", write=numbers.money)


def _run_names(steps: Sequence[Step]) -> list[str]:
    short = short_names(step.prompt for step in steps)
    return [f"{(step.date or '')[:10]} {clip(short[step.prompt], 16)}" for step in steps]
