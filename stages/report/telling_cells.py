"""Which cells tell most about a run: the best, the worst, one for each way to fail, then the best and worst of each brief."""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from stages.report.cells import CellResult
from stages.report.digest import Digest
from stages.report.failures import codes_of

Why = Literal["best", "worst", "invalid", "best of its brief", "worst of its brief", "other"]


class Telling(msgspec.Struct, frozen=True):
    """A cell and why it is shown; `code` is the violation that an invalid graph stands for."""

    cell: CellResult
    why: Why
    code: str | None = None


def telling_cells(digest: Digest, most: int) -> tuple[Telling, ...]:
    """At most so many cells whose answer holds a graph, the most telling first, none twice. Equal scores go by rank and id."""
    place = {one.model_id: index for index, one in enumerate(digest.leaderboard.standings)}
    cells = sorted(digest.cells, key=lambda cell: (place[cell.model_id], cell.brief_id, cell.sample))
    seen: set[tuple[str, str, int]] = set()
    chosen: list[Telling] = []
    for telling in _candidates(cells):
        key = (telling.cell.model_id, telling.cell.brief_id, telling.cell.sample)
        if len(chosen) < most and key not in seen:
            seen.add(key)
            chosen.append(telling)
    return tuple(chosen)


def _candidates(cells: Sequence[CellResult]) -> Iterator[Telling]:
    scored = sorted((cell for cell in cells if cell.scored), key=lambda cell: -_overall(cell))
    if scored:
        yield Telling(scored[0], "best")
        yield Telling(scored[-1], "worst")
    shown: set[str] = set()
    for cell in cells:
        if cell.status == "success" and not cell.scored:
            code = next((code for code in codes_of(cell) if code not in shown), None)
            if code is not None:
                shown.add(code)
                yield Telling(cell, "invalid", code)
    by_brief: dict[str, list[CellResult]] = {}
    for cell in scored:
        by_brief.setdefault(cell.brief_id, []).append(cell)
    widest = sorted(by_brief.values(), key=lambda group: (_overall(group[-1]) - _overall(group[0]), group[0].brief_id))
    for group in widest:
        yield Telling(group[0], "best of its brief")
        yield Telling(group[-1], "worst of its brief")
    for cell in scored:
        yield Telling(cell, "other")


def _overall(cell: CellResult) -> float:
    return cell.overall_score or 0.0
