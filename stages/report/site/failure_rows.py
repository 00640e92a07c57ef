"""The table of what failed: by model and code, with the meaning and the mend."""

from collections.abc import Iterable, Mapping

from stages.report import number_formats as show
from stages.report.failures import Failure
from stages.report.site.addresses import brief_page, model_page
from stages.report.site.entries import counted
from stages.report.site.table import Column, Entry, Table

_NAMED = 3


def failure_table(failures: Iterable[Failure], *, root: str, names: Mapping[str, str]) -> Table:
    """What failed, most telling first as it comes."""
    columns = (
        Column("Model", choose=True),
        Column("Code", choose=True),
        Column("Whose doing", choose=True),
        Column("Cells", numeric=True, hint="Cells that it occurs in"),
        Column("Share", numeric=True, hint="Share of the model's cells"),
        Column("What it means"),
        Column("What to do"),
        Column("Briefs"),
    )
    rows = tuple(
        (
            Entry(names.get(item.model_id, item.model_id), href=root + model_page(item.model_id)),
            Entry(item.code, look="bad" if item.doing == "model" else "warn", note=", ".join(item.failure_codes)),
            _doing(item),
            counted(item.cells),
            Entry(show.share_of(item.cells, item.of_cells), item.cells / item.of_cells if item.of_cells else None),
            Entry(item.meaning, long=True),
            Entry(item.mend, long=True),
            _briefs(item.briefs, root),
        )
        for item in failures
    )
    return Table("failures", "What failed, by model and code", columns, rows)


def code_table(failures: Iterable[Failure]) -> Table:
    """What failed over all models, the most frequent code first."""
    cells: dict[str, int] = {}
    models: dict[str, int] = {}
    one: dict[str, Failure] = {}
    for item in failures:
        one.setdefault(item.code, item)
        cells[item.code] = cells.get(item.code, 0) + item.cells
        models[item.code] = models.get(item.code, 0) + 1
    columns = (
        Column("Code"),
        Column("Cells", numeric=True, hint="Cells that it occurs in"),
        Column("Models", numeric=True),
        Column("Whose doing", choose=True),
        Column("What it means"),
        Column("What to do"),
    )
    rows = tuple(
        (
            Entry(code, look="bad" if one[code].doing == "model" else "warn"),
            counted(cells[code]),
            counted(models[code]),
            _doing(one[code]),
            Entry(one[code].meaning, long=True),
            Entry(one[code].mend, long=True),
        )
        for code in sorted(cells, key=lambda code: (-cells[code], code))
    )
    return Table("codes", "What failed, over all models", columns, rows)


def _doing(item: Failure) -> Entry:
    return Entry("the model's" if item.doing == "model" else "the connection's")


def _briefs(briefs: tuple[str, ...], root: str) -> Entry:
    if len(briefs) == 1:
        return Entry(briefs[0], href=root + brief_page(briefs[0]))
    more = len(briefs) - _NAMED
    return Entry(", ".join(briefs[:_NAMED]) + (f" and {more} more" if more > 0 else ""), long=True)
