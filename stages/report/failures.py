"""What failed and why, by model and code, with what to do about it."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

import msgspec

from stages.contracts.response import STATUSES
from stages.report.cells import CellResult
from stages.report.meanings import STATUS_MEANINGS, meaning_of

Doing = Literal["model", "infrastructure"]


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """One code at one model. `cells` counts the cells it occurs in, `occurrences` includes repeats within a graph.

    `code` is a status (`truncated`, `rate_limited`), or a violation code of a graph that is structurally invalid.
    """

    model_id: str
    code: str
    doing: Doing
    cells: int
    occurrences: int
    of_cells: int
    """All cells of the model."""
    briefs: tuple[str, ...]
    failure_codes: tuple[str, ...]
    """The providers' codes that stand behind the status, sorted."""
    meaning: str
    mend: str


def failures_of(cells: Sequence[CellResult]) -> tuple[Failure, ...]:
    """Everything that failed, by model (in the order given), the most frequent code first, then by code."""
    per_model: defaultdict[str, list[CellResult]] = defaultdict(list)
    for cell in cells:
        per_model[cell.model_id].append(cell)
    return tuple(failure for model_id, group in per_model.items() for failure in _of_model(model_id, group))


class FailureKind(msgspec.Struct, frozen=True, kw_only=True):
    """One code over all models: in how many of all cells it occurs, and at which models, the hardest hit first."""

    code: str
    doing: Doing
    cells: int
    of_cells: int
    models: tuple[tuple[str, int], ...]
    failure_codes: tuple[str, ...]
    meaning: str
    mend: str


def by_code(failures: Sequence[Failure], cells: int) -> tuple[FailureKind, ...]:
    """The failures of all models by code, what is the model's doing last, the most frequent first; `cells` are all cells."""
    groups: defaultdict[str, list[Failure]] = defaultdict(list)
    for failure in failures:
        groups[failure.code].append(failure)
    kinds = [
        FailureKind(
            code=code,
            doing=group[0].doing,
            cells=sum(failure.cells for failure in group),
            of_cells=cells,
            models=tuple(
                (one.model_id, one.cells) for one in sorted(group, key=lambda one: (-one.cells, one.model_id))
            ),
            failure_codes=tuple(sorted({code for failure in group for code in failure.failure_codes})),
            meaning=group[0].meaning,
            mend=group[0].mend,
        )
        for code, group in groups.items()
    ]
    return tuple(sorted(kinds, key=lambda kind: (kind.doing == "model", -kind.cells, kind.code)))


def _of_model(model_id: str, cells: Sequence[CellResult]) -> list[Failure]:
    by_code: defaultdict[str, list[CellResult]] = defaultdict(list)
    occurrences: defaultdict[str, int] = defaultdict(int)
    for cell in cells:
        for code in codes_of(cell):
            occurrences[code] += 1
            if not by_code[code] or by_code[code][-1] is not cell:
                by_code[code].append(cell)
    found = [
        Failure(
            model_id=model_id,
            code=code,
            doing="model" if group[0].answered else "infrastructure",
            cells=len(group),
            occurrences=occurrences[code],
            of_cells=len(cells),
            briefs=tuple(sorted({cell.brief_id for cell in group})),
            failure_codes=tuple(sorted({cell.failure_code for cell in group if cell.failure_code})),
            meaning=meaning_of(code).meaning,
            mend=meaning_of(code).mend,
        )
        for code, group in by_code.items()
    ]
    return sorted(found, key=lambda failure: (-failure.cells, _place(failure.code), failure.code))


def codes_of(cell: CellResult) -> tuple[str, ...]:
    """The codes that say why a cell has no valid graph: its status, or its violations; none when it has one."""
    if cell.status != "success":
        return (cell.status,)
    return () if cell.scored else cell.violation_codes


def _place(code: str) -> int:
    return STATUSES.index(code) if code in STATUS_MEANINGS else len(STATUSES)
