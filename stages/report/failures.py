"""What failed and why, by model and by code, with what to do about it."""

import pandas as pd

from stages.contracts.codes import CODES
from stages.contracts.response import STATUSES


def meaning_of(code: str) -> tuple[str, str]:
    """What a status, a violation or a warning means, and what to do about it; an unknown code says so."""
    return CODES.get(code, ("There is no description of this code.", "See the cell's page."))


def failures_by_model(cells: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """A row per model and code: models in order of rank, the most frequent code first, statuses before violations.

    | column | meaning |
    |---|---|
    | model_id, name | the model |
    | code | a status (`truncated`, `rate_limited`) or a violation |
    | answered | True: the model's failure; False: no answer came |
    | cells, of_cells | cells in which the code occurs; all cells of the model |
    | briefs, failure_codes | sorted tuples: where it occurs; the provider's own codes |
    | meaning, fix | see `meaning_of` |
    """
    rows = cells.explode("codes").rename(columns={"codes": "code"}).dropna(subset="code")
    rows = rows.drop_duplicates(["model_id", "brief_id", "sample", "code"])
    found = rows.groupby(["model_id", "name", "code"], as_index=False, sort=False).agg(
        answered=("answered", "first"),
        cells=("sample", "size"),
        briefs=("brief_id", lambda ids: tuple(sorted(set(ids)))),
        failure_codes=("failure_code", lambda codes: tuple(sorted({code for code in codes if code}))),
    )
    places = {code: number for number, code in enumerate(STATUSES)}
    found["_place"] = found["code"].map(places).fillna(len(places))
    ranks = models[["model_id", "cells"]].rename(columns={"cells": "of_cells"}).reset_index(names="_rank")
    found = found.merge(ranks, on="model_id").sort_values(
        ["_rank", "cells", "_place", "code"], ascending=[True, False, True, True], ignore_index=True
    )
    return _explained(found.drop(columns=["_rank", "_place"]))


def failures_by_code(failures: pd.DataFrame, cells: int) -> pd.DataFrame:
    """A row per code over all models: cells without an answer first, then the most frequent.

    Columns: code, answered, cells, of_cells (all cells), models (tuple of name and cells, most affected first),
    failure_codes, meaning, fix.
    """
    found = failures.groupby("code", as_index=False).agg(
        answered=("answered", "first"),
        cells=("cells", "sum"),
        failure_codes=("failure_codes", lambda tuples: tuple(sorted(set().union(*tuples)))),
    )
    by_model = failures.sort_values(["cells", "name"], ascending=[False, True]).groupby("code")
    models = {code: tuple(zip(group["name"], group["cells"], strict=True)) for code, group in by_model}
    found = found.assign(of_cells=cells, models=found["code"].map(models))
    found = found.sort_values(["answered", "cells", "code"], ascending=[True, False, True], ignore_index=True)
    return _explained(found)


def warnings_by_code(cells: pd.DataFrame) -> pd.DataFrame:
    """A row per warning, of scoring or of a fidelity check of a usable graph, the most frequent first.

    Columns: code, cells, meaning, fix.
    """
    warned = cells["warning_codes"] + cells["fidelity_codes"].where(cells["usable"], cells["usable"].map(lambda _: ()))
    codes = warned.map(lambda codes: tuple(dict.fromkeys(codes))).explode().dropna()
    found = codes.value_counts().rename_axis("code").reset_index(name="cells")
    return _explained(found.sort_values(["cells", "code"], ascending=[False, True], ignore_index=True))


def _explained(found: pd.DataFrame) -> pd.DataFrame:
    meanings = [meaning_of(code) for code in found["code"]]
    return found.assign(meaning=[one[0] for one in meanings], fix=[one[1] for one in meanings])
