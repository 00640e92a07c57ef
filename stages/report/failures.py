"""What failed and why, with what to do about it."""

from collections.abc import Iterable

import pandas as pd

from stages.report.rows import CellRow, cell_rows
from stages.shared.records.codes import CODES
from stages.shared.records.response import STATUSES


def meaning_of(code: str) -> tuple[str, str]:
    """What a status, a violation or a warning means, and what to do about it; an unknown code
    says so.
    """
    return CODES.get(code, ("There is no description of this code.", "See the cell's page."))


def code_name(code: str) -> str:
    """The readable name of a code.

    >>> code_name("CYCLE_DETECTED"), code_name("parse_failed")
    ('Cycle detected', 'Parse failed')
    """
    return code.replace("_", " ").capitalize()


def failures_by_model(cells: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """A row per model and code: models in order of rank, the most frequent code first, statuses
    before violations.

    Columns: model_id, name, code (a status or a violation), answered (False: no answer came), cells
    (in which it occurs), of_cells (all of the model), briefs and failure_codes (sorted tuples:
    where it occurs, and the provider's own codes), meaning, fix.
    """
    failed = cells.explode("codes").rename(columns={"codes": "code"}).dropna(subset="code")
    failed = failed.drop_duplicates(["model_id", "brief_id", "sample", "code"])
    groups = failed.groupby(["model_id", "name", "code"], as_index=False, sort=False)
    failures = groups.agg(
        answered=("answered", "first"),
        cells=("sample", "size"),
        briefs=("brief_id", _sorted_texts),
        failure_codes=("failure_code", _sorted_texts),
    )
    places = {code: place for place, code in enumerate(STATUSES)}
    failures["_place"] = failures["code"].map(places).fillna(len(places))
    ranks = models[["model_id", "cells"]].rename(columns={"cells": "of_cells"})
    failures = failures.merge(ranks.reset_index(names="_rank"), on="model_id")
    order = ["_rank", "cells", "_place", "code"]
    failures = failures.sort_values(order, ascending=[True, False, True, True], ignore_index=True)
    return _explained(failures.drop(columns=["_rank", "_place"]))


def _sorted_texts(texts: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({text for text in texts if text}))


def failures_by_code(failures: pd.DataFrame, cells: int) -> pd.DataFrame:
    """The same over all models, a row per code: cells without an answer first, then the most
    frequent.

    `of_cells` are all cells; `models` is a tuple of names and cells, the most affected first.
    """
    codes = failures.groupby("code", as_index=False).agg(
        answered=("answered", "first"),
        cells=("cells", "sum"),
        failure_codes=("failure_codes", lambda tuples: _sorted_texts(set().union(*tuples))),
    )
    most_affected_first = failures.sort_values(["cells", "name"], ascending=[False, True])
    models = {
        code: tuple(zip(group["name"], group["cells"], strict=True))
        for code, group in most_affected_first.groupby("code")
    }
    codes = codes.assign(of_cells=cells, models=codes["code"].map(models))
    order = ["answered", "cells", "code"]
    codes = codes.sort_values(order, ascending=[True, False, True], ignore_index=True)
    return _explained(codes)


def warnings_by_code(cells: pd.DataFrame) -> pd.DataFrame:
    """A row per warning, of scoring or of a fidelity check of a usable graph: code, cells, meaning,
    fix.

    The most frequent comes first.
    """
    codes = [code for cell in cell_rows(cells) for code in warnings_of(cell)]
    counts = (
        pd.Series(codes, dtype=object).value_counts().rename_axis("code").reset_index(name="cells")
    )
    order = ["cells", "code"]
    return _explained(counts.sort_values(order, ascending=[False, True], ignore_index=True))


def warnings_of(cell: CellRow) -> tuple[str, ...]:
    """The warnings of a cell, each once: of scoring, and of the checks of a usable graph."""
    checks = cell.fidelity_codes if cell.usable else ()
    return tuple(dict.fromkeys((*cell.warning_codes, *checks)))


def _explained(codes: pd.DataFrame) -> pd.DataFrame:
    meanings = [meaning_of(code) for code in codes["code"]]
    return codes.assign(
        meaning=[meaning for meaning, _ in meanings], fix=[fix for _, fix in meanings]
    )
