"""Adapter: the pages of a comparison in the frame of the site: its verdict with what moved, and the graphs of what moved side by side."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice

from stages.compare import wording
from stages.compare.changes import Move, MovedCell, moved_cells
from stages.compare.comparison import MAX_SHOWN, Comparison, Unmeasured
from stages.compare.effect import Effect
from stages.compare.revisions import NotStored, Revisions
from stages.compare.sides import ComparedSide
from stages.contracts.errors import InputError
from stages.contracts.graph import DraftGraph, read
from stages.contracts.model_config import IDENTIFIER
from stages.contracts.response import Cell
from stages.contracts.run import TOOL_VERSION
from stages.present.charts import IntervalRow, Layers, Zone, interval_chart, svg
from stages.present.page import Frame, UnsafeId, brief_page, cell_page, page
from stages.present.table import Column, Entry, Table, make_table
from stages.report.site.side_by_side import Drafted, GraphPair, side_by_side
from stages.score.response_files import read_response
from stages.shell import numbers, paths
from stages.shell.text import clip

MOST = 12
"""Cells that the page of graphs shows at most."""
LONGEST = 80
"""Columns of a name on the page at most."""
LOOKS = {"better": "good", "worse": "bad"}
"""Of intervals in the chart."""
_MOVED = (
    Column("Brief", choose=True),
    Column("Model", choose=True),
    Column("Difference", numbers.difference),
    Column("Base", numbers.score),
    Column("Head", numbers.score),
    *(Column(title) for title in ("Violations gained", "Violations lost")),
)


def comparison_page(result: Comparison | Unmeasured, *, site: str = "") -> bytes:
    """The page; `site` is the path from it to the site of the head's run, empty where there is none: then nothing links to it."""
    show = partial(
        page, package="stages.compare", title=wording.title(result), verdict=result.verdict
    )
    if isinstance(result, Unmeasured):
        return show(
            Frame("not known", "not known", TOOL_VERSION),
            "unmeasured.html.j2",
            reasons=result.reasons,
        )
    rows = _moved(result.moves, site if result.head.revision is None else "")
    return show(
        Frame(result.head.run.run_id, result.head.run.prompt.path, TOOL_VERSION),
        "compare.html.j2",
        sentences=[*wording.findings(result), wording.usage(result)],
        chart=svg(
            _chart(result),
            "Differences of expected scores with their intervals; the table has the numbers",
        ),
        models=_models(result),
        moved=make_table(
            _MOVED,
            rows[:MAX_SHOWN],
            title="Cells that moved, the largest change first",
            name="moved",
        ),
        moved_less=make_table(
            _MOVED, rows[MAX_SHOWN:], title="Cells that moved less", name="moved-less"
        ),
        notes=[*result.notes, *wording.provenance(result)],
    )


def _chart(result: Comparison) -> Layers:
    rows = [_interval(each.model_id, each.effect) for each in result.rows]
    margin = result.settings.min_difference
    reach = 1.1 * max(
        2 * margin,
        0.01,
        *(abs(end) for row in rows for end in (row.low, row.high) if end is not None),
    )
    return interval_chart(
        rows,
        domain=(-reach, reach),
        zone=Zone(-margin, margin, f"too small to matter: ±{margin:g}"),
        axis_title="difference of expected scores: below 0 the head is worse, above 0 better",
    )


def _interval(name: str, effect: Effect) -> IntervalRow:
    low, high = (effect.interval.low, effect.interval.high) if effect.interval else (None, None)
    look = LOOKS.get(effect.judgement.verdict, "plain")
    return IntervalRow(clip(name, 40), effect.found.value, low, high, look)


def _models(result: Comparison) -> Table:
    table = wording.models_table(result)
    titles = [column.title.capitalize() for column in table.columns]
    titles = ["p" if title == "P" else title for title in titles]
    columns = [
        replace(column, title=title) for title, column in zip(titles, table.columns, strict=True)
    ]
    rows = [
        [Entry(clip(entry.text, LONGEST), look=entry.look) for entry in row] for row in table.rows
    ]
    return make_table(columns, rows, title="Differences by model", name="models", sortable=False)


def _moved(moves: Iterable[Move], site: str) -> list[list[Entry]]:
    return [
        [
            Entry(clip(cell.brief_id, LONGEST), href=brief),
            Entry(clip(cell.model_id, LONGEST), href=of_cell),
            Entry(numbers.difference(cell.head - cell.base), cell.head - cell.base),
            *(Entry(numbers.score(score), score) for score in (cell.base, cell.head)),
            *(Entry(clip(", ".join(codes), LONGEST)) for codes in (cell.gained, cell.lost)),
        ]
        for cell in moved_cells(moves)
        for brief, of_cell in [_links(site, cell)]
    ]


def _links(site: str, cell: MovedCell) -> tuple[str, str]:
    with suppress(UnsafeId):
        pages = brief_page(cell.brief_id), cell_page(Cell(cell.model_id, cell.brief_id, 1))
        return (f"{site}/{pages[0]}", f"{site}/{pages[1]}") if site else ("", "")
    return "", ""


def graphs_page(result: Comparison, revisions: Revisions) -> bytes:
    """The page with the first sample's graphs of the cells that moved farthest and have one on both sides."""
    pairs = list(islice(_pairs(result, revisions), MOST))
    base, head = result.base.name, result.head.name
    lede = f"The drafted graphs of {numbers.counted(len(pairs), 'cell')} at {base} and at {head}, the largest change first."
    return page(
        Frame(result.head.run.run_id, result.head.run.prompt.path, TOOL_VERSION, result.notes),
        "graphs.html.j2",
        package="stages.compare",
        title=f"{base} and {head}",
        lede=lede if pairs else "No cell has a graph on both sides.",
        pairs=pairs,
    )


def _pairs(result: Comparison, revisions: Revisions) -> Iterator[GraphPair]:
    number = 0
    for cell in moved_cells(result.moves):
        before, after = (_graph(revisions, side, cell) for side in (result.base, result.head))
        if before is None or after is None:
            continue
        number += 1
        name = f"{cell.model_id} on {cell.brief_id}"
        title = f"{name}, {numbers.score(cell.base)} → {numbers.score(cell.head)}"
        sides = ((result.base, before), (result.head, after))
        yield side_by_side(
            number, title, *(Drafted(f"{name} at {side.name}", "", graph) for side, graph in sides)
        )


def _graph(revisions: Revisions, side: ComparedSide, cell: MovedCell) -> DraftGraph | None:
    model_id = side.model or cell.model_id
    if not (IDENTIFIER.fullmatch(model_id) and IDENTIFIER.fullmatch(cell.brief_id)):
        return None
    file = paths.RESPONSES / paths.response_file(model_id, cell.brief_id, 1)
    try:
        content = revisions.read(side, file)
        response = read_response(content, file=file.as_posix()) if content is not None else None
    except (NotStored, InputError):
        return None
    graph = (
        read(response.parsed_graph)[0]
        if response is not None and response.status == "success"
        else None
    )
    return graph if graph is not None and graph.nodes else None
