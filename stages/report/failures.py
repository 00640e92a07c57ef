"""What failed and why, with what to do about it, and the flags: what else would mislead a reader of the tables."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from stages.contracts.codes import CODES
from stages.contracts.model_config import ModelConfig
from stages.contracts.response import STATUSES
from stages.contracts.scorecard import CHECKS
from stages.report.cells import Row, rows_of
from stages.report.ranking import RankBy
from stages.shell import numbers as show

MANY_DEFAULTS = 0.25
"""Mean share of edges at default parameters from which a model is flagged."""
FEW_USABLE = 0.5
"""Share of answered cells with a usable graph below which a model is flagged."""
MANY_TRUNCATED = 0.1
"""Share of answered cells that were cut off from which a model is flagged."""
OTHER_BRIEF_FROM = 0.35
"""Share of a graph's words that another brief of the run has, from which the graph is flagged if its own has less than half as many."""
_WORD = re.compile(r"[\u3400-\u9fff\u30a0-\u30ff]{2,}|[^\W\d_\u3040-\u30ff\u3400-\u9fff]{4,}")


@dataclass(frozen=True, slots=True)
class Flag:
    """One thing to look at, in a sentence (plain text: escape it where it is shown)."""

    kind: str
    message: str
    model_id: str | None = None
    brief_id: str | None = None


def meaning_of(code: str) -> tuple[str, str]:
    """What a status, a violation or a warning means, and what to do about it; an unknown code says so."""
    return CODES.get(code, ("There is no description of this code.", "See the cell's page."))


def failures_by_model(cells: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """A row per model and code: models in order of rank, the most frequent code first, statuses before violations.

    Columns: model_id, name, code (a status or a violation), answered (False: no answer came), cells (in which it occurs), of_cells
    (all of the model), briefs and failure_codes (sorted tuples: where it occurs, and the provider's own codes), meaning, fix.
    """
    rows = cells.explode("codes").rename(columns={"codes": "code"}).dropna(subset="code")
    rows = rows.drop_duplicates(["model_id", "brief_id", "sample", "code"])
    found = rows.groupby(["model_id", "name", "code"], as_index=False, sort=False).agg(
        answered=("answered", "first"),
        cells=("sample", "size"),
        briefs=("brief_id", lambda ids: tuple(sorted(set(ids)))),
        failure_codes=(
            "failure_code",
            lambda codes: tuple(sorted({code for code in codes if code})),
        ),
    )
    places = {code: number for number, code in enumerate(STATUSES)}
    found["_place"] = found["code"].map(places).fillna(len(places))
    ranks = (
        models[["model_id", "cells"]]
        .rename(columns={"cells": "of_cells"})
        .reset_index(names="_rank")
    )
    found = found.merge(ranks, on="model_id").sort_values(
        ["_rank", "cells", "_place", "code"], ascending=[True, False, True, True], ignore_index=True
    )
    return _explained(found.drop(columns=["_rank", "_place"]))


def failures_by_code(failures: pd.DataFrame, cells: int) -> pd.DataFrame:
    """The same over all models, a row per code: cells without an answer first, then the most frequent.

    `of_cells` are all cells; `models` is a tuple of names and cells, the most affected first.
    """
    found = failures.groupby("code", as_index=False).agg(
        answered=("answered", "first"),
        cells=("cells", "sum"),
        failure_codes=("failure_codes", lambda tuples: tuple(sorted(set().union(*tuples)))),
    )
    by_model = failures.sort_values(["cells", "name"], ascending=[False, True]).groupby("code")
    models = {
        code: tuple(zip(group["name"], group["cells"], strict=True)) for code, group in by_model
    }
    found = found.assign(of_cells=cells, models=found["code"].map(models))
    found = found.sort_values(
        ["answered", "cells", "code"], ascending=[True, False, True], ignore_index=True
    )
    return _explained(found)


def warnings_by_code(cells: pd.DataFrame) -> pd.DataFrame:
    """A row per warning, of scoring or of a fidelity check of a usable graph, the most frequent first: code, cells, meaning, fix."""
    warned = cells["warning_codes"] + cells["fidelity_codes"].where(
        cells["usable"], cells["usable"].map(lambda _: ())
    )
    codes = warned.map(lambda codes: tuple(dict.fromkeys(codes))).explode().dropna()
    found = codes.value_counts().rename_axis("code").reset_index(name="cells")
    return _explained(
        found.sort_values(["cells", "code"], ascending=[False, True], ignore_index=True)
    )


def _explained(found: pd.DataFrame) -> pd.DataFrame:
    meanings = [meaning_of(code) for code in found["code"]]
    return found.assign(meaning=[one[0] for one in meanings], fix=[one[1] for one in meanings])


def flags_of(
    cells: pd.DataFrame, models: pd.DataFrame, briefs: pd.DataFrame, failures: pd.DataFrame, *,
    configs: Mapping[str, ModelConfig], rank_by: RankBy, bodies: Mapping[str, str],
) -> tuple[Flag, ...]:  # fmt: skip
    """Everything worth a look: models that failed fidelity checks, then other models, each by rank, then briefs, then shutdown dates."""
    of_models = (flag for model in rows_of(models) for flag in _of_model(model, failures))
    return (
        *_of_ranking(models, rank_by),
        *sorted(of_models, key=lambda flag: flag.kind != "unfaithful"),
        *_of_labels(cells, models),
        *_of_words(cells, models, bodies),
        *_of_briefs(briefs),
        *_of_shutdowns(cells, models, configs),
    )


def _of_ranking(models: pd.DataFrame, rank_by: RankBy) -> Iterator[Flag]:
    scored = models.dropna(subset="overall_score")
    if rank_by == "expected_score" and not scored.empty:
        best = next(rows_of(scored.sort_values("overall_score", ascending=False, kind="stable")))
        if best.rank != 1:
            highest = f"{best.name} has the highest mean over valid graphs, {show.score(best.overall_score)}"
            message = f"{highest}, but a usable graph in only {show.share_of(best.usable, best.cells)} of its cells."
            yield Flag("flattered_mean", message, best.model_id)


def _of_model(model: Row, failures: pd.DataFrame) -> Iterator[Flag]:
    def of_answers(part: float) -> str:
        return show.share_of(part, model.answered)

    checks = failures[(failures["model_id"] == model.model_id) & failures["code"].isin(CHECKS)]
    failed = ", ".join(
        f"{row.code.replace('_', ' ')} {show.count(row.cells)}" for row in rows_of(checks)
    )
    found = (
        ("unanswered", model.unanswered > 0,
         f"has no answer for {show.share_of(model.unanswered, model.cells)} of its cells: its scores leave them out."),
        ("unfaithful", model.unfaithful > 0,
         f"failed a fidelity check in {of_answers(model.unfaithful)} of its answers, which do not belong to their briefs: "
         f"{failed}."),
        ("few_usable", model.usable < FEW_USABLE * model.answered,
         f"gave a usable graph in only {of_answers(model.usable)} of its answers."),
        ("many_defaults", model.default_share >= MANY_DEFAULTS,
         f"left {show.share(model.default_share)} of its causal edges at the default strength, on average."),
        ("truncated", 0 < model.answered * MANY_TRUNCATED <= model.truncated,
         f"was cut off in {of_answers(model.truncated)} of its answers: raise its max_output_tokens."),
        ("cost_unknown", model.cost_unknown > 0,
         f"has no known cost for {of_answers(model.cost_unknown)} of its answers: its total is too low."),
    )  # fmt: skip
    yield from (
        Flag(kind, f"{model.name} {message}", model.model_id)
        for kind, applies, message in found
        if applies
    )


def _of_labels(cells: pd.DataFrame, models: pd.DataFrame) -> Iterator[Flag]:
    """One model's graphs with the same labels for several briefs: at most one of them can belong to its brief."""
    for model in rows_of(models):
        drafted = cells[cells["model_id"] == model.model_id].dropna(subset="labels")
        briefs = [tuple(sorted(set(ids))) for _, ids in drafted.groupby("labels")["brief_id"]]
        repeated = max(sorted(briefs), key=len, default=())
        if len(repeated) > 1:
            message = f"{model.name} gave graphs with the same labels for {len(repeated)} briefs: {show.first_of(repeated)}."
            yield Flag("repeated_labels", message, model.model_id)


def _of_words(
    cells: pd.DataFrame, models: pd.DataFrame, bodies: Mapping[str, str]
) -> Iterator[Flag]:
    """Valid graphs whose words are those of another brief of the run; its own and the others are compared alike."""
    known = {
        brief_id: _words(bodies[brief_id])
        for brief_id in sorted(set(cells["brief_id"]) & bodies.keys())
    }
    labelled = cells[cells["brief_id"].isin(list(known))].dropna(subset="labels")
    for model in rows_of(models):
        found: dict[str, str] = {}
        for cell in rows_of(labelled[labelled["model_id"] == model.model_id]):
            words = _words(cell.labels)
            shared = {brief_id: len(words & of_brief) for brief_id, of_brief in known.items()}
            other = max(shared, key=lambda brief_id: shared[brief_id])
            if (
                shared[other] >= max(OTHER_BRIEF_FROM * len(words), 1)
                and shared[cell.brief_id] < shared[other] / 2
            ):
                found.setdefault(cell.brief_id, f"{cell.brief_id} (words of {other})")
        if found:
            graphs, listed = show.counted(len(found), "brief"), show.first_of(list(found.values()))
            message = f"{model.name} gave for {graphs} a graph in the words of another: {listed}."
            yield Flag("other_brief", message, model.model_id)


def _words(text: str) -> set[str]:
    """The words of four letters or more by their first five, and pairs of Han and Katakana characters."""
    found = set()
    for run in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        pairs = "\u3040" <= run[0] <= "\u9fff"
        found |= {run[start : start + 2] for start in range(len(run) - 1)} if pairs else {run[:5]}
    return found


def _of_briefs(briefs: pd.DataFrame) -> Iterator[Flag]:
    for brief in rows_of(briefs[briefs["usable"] == 0]):
        kind, found = "brief_unanswered", "answered"
        if brief.answered:
            kind, found = "brief_without_graph", "drafted a usable graph for"
        yield Flag(kind, f"No model {found} {brief.brief_id}.", brief_id=brief.brief_id)


def _of_shutdowns(
    cells: pd.DataFrame, models: pd.DataFrame, configs: Mapping[str, ModelConfig]
) -> Iterator[Flag]:
    """No clock: a shutdown date is compared with the day of the newest answer of any model."""
    newest = max((created[:10] for created in cells["created_at"] if created), default="")
    for model in rows_of(models.sort_values("model_id")):
        config = configs.get(model.model_id)
        if config is None or config.deprecated_on is None:
            continue
        day = config.deprecated_on
        kind, message = (
            "shutdown_date",
            f"is switched off on {day}; from then on its results cannot be reproduced.",
        )
        if newest >= day.isoformat():
            kind, message = (
                "shut_down",
                f"was switched off on {day}: its results can no longer be reproduced.",
            )
        yield Flag(kind, f"{model.name} {message}", model.model_id)
