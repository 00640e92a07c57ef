"""Adapter: the pages of a comparison: its verdict with what moved, and the graphs that moved side
by side.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from stages.compare import tables, wording
from stages.compare.changes import Move, MovedCell, moved_cells
from stages.compare.comparer import Step
from stages.compare.comparison import MAX_SHOWN, Comparison, Unmeasured, simulated_note
from stages.compare.effect import Effect
from stages.compare.listing import list_runs, without_column
from stages.compare.revisions import NotStored, Revisions
from stages.compare.sides import ComparedSide
from stages.contracts.errors import InputError
from stages.contracts.graph import DraftGraph, read
from stages.contracts.model_config import IDENTIFIER
from stages.contracts.response import Cell
from stages.contracts.run import TOOL_VERSION
from stages.present.charts import (
    ACCENT,
    HALF_WIDTH,
    INK,
    NAMES_OF_ROWS,
    ROW_HEIGHT,
    IntervalRow,
    Spec,
    Zone,
    chart_data,
    interval_chart,
    mark,
    names,
    quantity,
    svg,
)
from stages.present.page import Frame, UnsafeId, brief_page, cell_page, page, trail_to
from stages.present.table import Column, Entry, Raw, Table, make_table
from stages.report.failures import code_name
from stages.report.site.side_by_side import Drafted, GraphPair, side_by_side
from stages.score.response_files import read_response
from stages.shell import numbers, paths
from stages.shell.text import clip, short_names

MAX_GRAPHS = 12
"""Cells that the page of graphs shows at most."""
MAX_NAME = 80
"""Columns of a name on the page at most."""
SIMULATED_RUNS = (
    "Runs of simulated models are among these: they show how the tool works and say nothing about "
    "real models."
)
CHART_LOOKS = {
    "better": ("good", "good"),
    "worse": ("bad", "bad"),
    "better where usable": ("good", "plain"),
    "worse where usable": ("bad", "plain"),
}
"""The colours of the quality and of the expected score for each verdict; others have none."""
MOVED_COLUMNS = (
    Column("Brief", choose=True),
    Column("Model", choose=True),
    Column("Difference", numbers.difference),
    Column("Base", numbers.score),
    Column("Head", numbers.score),
    Column("Violations gained"),
    Column("Violations lost"),
)
_PACKAGE = "stages.compare"


def comparison_page(result: Comparison | Unmeasured, *, site: str = "") -> bytes:
    """The page of a comparison.

    `site` is the path from it to the site of the head's run; nothing links to one where it is
    empty.
    """
    title = wording.title(result)
    if isinstance(result, Unmeasured):
        return page(
            Frame("not known", "not known", TOOL_VERSION),
            "unmeasured.html.j2",
            package=_PACKAGE,
            title=title,
            verdict=result.verdict,
            reasons=result.reasons,
        )
    if result.head.revision is not None:
        site = ""
    rows = _moved_rows(result.moves, site)
    caption = "Differences of quality and expected score with their intervals, as in the table"
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
        numbers=wording.numbers_behind(result),
        sentences=[*wording.next_steps(result), wording.usage(result)],
        chart=svg(_chart(result), caption),
        models=_models(result),
        moved=_moved_table(rows[:MAX_SHOWN], "Cells that moved, the largest change first", "moved"),
        moved_less=_moved_table(rows[MAX_SHOWN:], "Cells that moved less", "moved-less"),
        notes=[*result.notes, *wording.provenance(result)],
    )


def _frame(result: Comparison, notices: tuple[str, ...]) -> Frame:
    run = result.head.run
    return Frame(run.run_id, run.prompt.path, TOOL_VERSION, notices)


def _chart(result: Comparison) -> Spec:
    rows = [bar for row in result.rows for bar in _bars(row.model_id, row.effect)]
    margin = result.settings.min_difference
    ends = [end for row in rows for end in (row.low, row.high) if end is not None]
    reach = 1.1 * max(2 * margin, 0.01, *map(abs, ends))
    return interval_chart(
        rows,
        domain=(-reach, reach),
        zone=Zone(-margin, margin, f"too small to matter: ±{margin:g}"),
        axis_title="difference: below 0 the head is worse, above 0 better",
    )


def _bars(model: str, effect: Effect) -> Iterator[IntervalRow]:
    looks = CHART_LOOKS.get(effect.judgement.verdict, ("plain", "plain"))
    parts = (("quality", effect.quality), ("expected", effect.expected))
    for (name, estimate), look in zip(parts, looks, strict=True):
        title = f"{clip(model, 16)}: {name}"
        yield IntervalRow(title, estimate.value, estimate.low, estimate.high, look)


def _models(result: Comparison) -> Table:
    """A row for all models, then one for each model, the cheapest first."""
    everything, *models = result.rows
    models.sort(key=lambda row: _cost_order(row.efficiency.head_cost_usd))
    columns = (*tables.MODEL_COLUMNS, Column("an answer costs", numbers.money))
    rows = [[*tables.model_row(row), row.efficiency.head_cost_usd] for row in (everything, *models)]
    table = make_table(columns, rows, name="models", sortable=False)
    return _on_page(table, "Differences by model")


def _cost_order(cost_usd: float | None) -> float:
    return math.inf if cost_usd is None else cost_usd


def _on_page(table: Table, title: str) -> Table:
    """A table of the terminal with a title, its texts clipped."""
    columns = [replace(column, title=column.title.capitalize()) for column in table.columns]
    rows = [
        tuple(entry._replace(text=clip(entry.text, MAX_NAME)) for entry in row)
        for row in table.rows
    ]
    return replace(table, columns=tuple(columns), rows=tuple(rows), title=title)


def _moved_table(rows: Sequence[Sequence[Raw]], title: str, name: str) -> Table:
    return make_table(MOVED_COLUMNS, rows, title=title, name=name)


def _moved_rows(moves: Iterable[Move], site: str) -> list[list[Raw]]:
    rows: list[list[Raw]] = []
    for cell in moved_cells(moves):
        to_brief, to_cell = _links(site, cell)
        row: list[Raw] = [
            Entry(clip(cell.brief_id, MAX_NAME), href=to_brief),
            Entry(clip(cell.model_id, MAX_NAME), href=to_cell),
            cell.head - cell.base,
            cell.base,
            cell.head,
            clip(", ".join(map(code_name, cell.gained)), MAX_NAME),
            clip(", ".join(map(code_name, cell.lost)), MAX_NAME),
        ]
        rows.append(row)
    return rows


def _links(site: str, cell: MovedCell) -> tuple[str, str]:
    """The ways to the pages of a brief and of a cell; empty without a site, or where an id is
    unsafe.
    """
    if not site:
        return "", ""
    with suppress(UnsafeId):
        first_sample = Cell(cell.model_id, cell.brief_id, 1)
        return f"{site}/{brief_page(cell.brief_id)}", f"{site}/{cell_page(first_sample)}"
    return "", ""


def history_page(steps: Sequence[Step], skipped: Sequence[str], *, site: str = "") -> bytes:
    """The page of the runs along a branch: their scores, costs and verdicts; `site` as in
    `comparison_page`.
    """
    listing = list_runs(steps, skipped)
    frame = Frame("not known", "not known", TOOL_VERSION)
    runs = None
    if listing.table:
        runs = _on_page(without_column(listing.table, "±"), "Runs, the oldest first")
    if steps:
        simulated = (SIMULATED_RUNS,) if any(step.simulated for step in steps) else ()
        frame = Frame(steps[-1].run_id, steps[-1].prompt, TOOL_VERSION, simulated)
    return page(
        frame,
        "history.html.j2",
        package=_PACKAGE,
        title="History",
        trail=trail_to(site),
        listing=listing,
        scores=svg(_scores_chart(steps), "Expected score of each run with its interval"),
        costs=svg(_costs_chart(steps), "Cost of each run in US dollars"),
        runs=runs,
    )


def _scores_chart(steps: Sequence[Step]) -> Spec:
    rows = [
        IntervalRow(
            name,
            step.score.value,
            step.score.low,
            step.score.high,
            CHART_LOOKS.get(step.verdict or "", ("plain", "plain"))[0],
        )
        for name, step in zip(_run_names(steps), steps, strict=True)
    ]
    return interval_chart(rows, domain=(0.0, 1.0), axis_title="expected score, 0 to 1")


def _costs_chart(steps: Sequence[Step]) -> Spec:
    runs = [
        {"run": f"{number} {name}", "cost": step.cost_usd, "text": numbers.money(step.cost_usd)}
        for number, (name, step) in enumerate(zip(_run_names(steps), steps, strict=True))
    ]
    row = names("run", [str(run["run"]) for run in runs], axis=NAMES_OF_ROWS)
    cost = quantity("cost", title="US dollars", axis={"grid": False, "tickCount": 5})
    text = {"y": row, "x": cost, "text": {"field": "text"}}
    layers = [
        mark("bar", {"y": row, "x": cost}, color=ACCENT),
        mark("text", text, align="left", dx=6, fontSize=12, color=INK),
    ]
    room_for_texts = {"left": 24, "right": 60, "top": 5, "bottom": 5}
    size = {"width": HALF_WIDTH, "height": {"step": ROW_HEIGHT}, "padding": room_for_texts}
    return {"data": chart_data(runs), "layer": layers, **size}


def _run_names(steps: Sequence[Step]) -> list[str]:
    short = short_names(step.prompt for step in steps)
    return [f"{(step.date or '')[:10]} {clip(short[step.prompt], 16)}" for step in steps]


def graphs_page(result: Comparison, revisions: Revisions, *, site: str = "") -> bytes:
    """The page with the first sample's graphs of the cells that moved farthest; `site` as in
    `comparison_page`.

    Cells that have no graph on one of the sides are left out.
    """
    pairs = list(islice(_pairs(result, revisions), MAX_GRAPHS))
    base, head = result.base.name, result.head.name
    lede = "No cell has a graph on both sides."
    if pairs:
        cells = numbers.counted(len(pairs), "cell")
        lede = f"The drafted graphs of {cells} at {base} and at {head}, the largest change first."
    return page(
        _frame(result, result.notes),
        "graphs.html.j2",
        package=_PACKAGE,
        title=f"{base} and {head}",
        trail=trail_to(site),
        lede=lede,
        pairs=pairs,
    )


def _pairs(result: Comparison, revisions: Revisions) -> Iterator[GraphPair]:
    number = 0
    for cell in moved_cells(result.moves):
        before = _read_graph(revisions, result.base, cell)
        after = _read_graph(revisions, result.head, cell)
        if before is None or after is None:
            continue
        number += 1
        name = f"{cell.model_id} on {cell.brief_id}"
        title = f"{name}, {numbers.score(cell.base)} → {numbers.score(cell.head)}"
        old = Drafted(f"{name} at {result.base.name}", "", before)
        new = Drafted(f"{name} at {result.head.name}", "", after)
        yield side_by_side(number, title, old, new)


def _read_graph(revisions: Revisions, side: ComparedSide, cell: MovedCell) -> DraftGraph | None:
    """The graph of the cell's first sample; None without one that can be read and has nodes."""
    model_id = side.model or cell.model_id
    if not (IDENTIFIER.fullmatch(model_id) and IDENTIFIER.fullmatch(cell.brief_id)):
        return None
    file = paths.RESPONSES / paths.response_file(model_id, cell.brief_id, 1)
    try:
        content = revisions.read(side, file)
        response = read_response(content or b"", file=file.as_posix())
    except (NotStored, InputError):
        return None
    if response.status != "success":
        return None
    graph = read(response.parsed_graph)[0]
    return graph if graph.nodes else None
