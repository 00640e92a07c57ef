"""Flags: what else would mislead a reader of the tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from stages.report.cells import sub_scores
from stages.report.rows import ModelRow, brief_rows, failure_rows, model_rows
from stages.shared.records.model_config import ModelConfig
from stages.shared.records.run import RecordedCounts
from stages.shared.records.scorecard import CHECKS
from stages.shared.shell import numbers as show

FEW_USABLE = 0.5
"""Share of answered cells with a usable graph below which a model is flagged."""
CEILING = 0.995
"""Overall score from which a graph has no room to be better."""
TELLING_GRAPHS = 10
"""With fewer valid graphs, equal scores say nothing about the score."""


@dataclass(frozen=True, slots=True)
class Flag:
    """One thing to look at, in a sentence (plain text: escape it where it is shown)."""

    kind: str
    message: str
    model_id: str | None = None
    brief_id: str | None = None


def flags_of(
    cells: pd.DataFrame,
    models: pd.DataFrame,
    briefs: pd.DataFrame,
    failures: pd.DataFrame,
    *,
    configs: Mapping[str, ModelConfig],
    recorded: Mapping[str, RecordedCounts],
) -> tuple[Flag, ...]:
    """Everything worth a look.

    Models by rank, then recorded ones, then briefs, shutdown dates, and the score itself.
    """
    of_models = [flag for model in model_rows(models) for flag in _of_model(model, failures)]
    return (
        *of_models,
        *_of_recordings(models, recorded),
        *_of_labels(cells, models),
        *_of_briefs(briefs),
        *_of_shutdowns(cells, models, configs),
        *_of_scores(cells),
    )


def _of_model(model: ModelRow, failures: pd.DataFrame) -> Iterator[Flag]:
    if model.unfaithful > 0:
        share = show.share_of(model.unfaithful, model.answered)
        message = (
            f"{model.name} failed a fidelity check in {share} of its answers, which do not belong "
            f"to their briefs: {_failed_checks(model, failures)}."
        )
        yield Flag("unfaithful", message, model.model_id)
    if model.usable < FEW_USABLE * model.answered:
        share = show.share_of(model.usable, model.answered)
        message = f"{model.name} gave a usable graph in only {share} of its answers."
        yield Flag("few_usable", message, model.model_id)


def _failed_checks(model: ModelRow, failures: pd.DataFrame) -> str:
    of_model = failures[failures["model_id"] == model.model_id]
    checks = failure_rows(of_model[of_model["code"].isin(CHECKS)])
    return ", ".join(f"{row.code.replace('_', ' ')} {show.count(row.cells)}" for row in checks)


def _of_labels(cells: pd.DataFrame, models: pd.DataFrame) -> Iterator[Flag]:
    """One model's graphs with the same labels for several briefs: at most one of them can belong
    to its brief.
    """
    valid = _with_labels(cells)
    for model in model_rows(models):
        drafted = valid[valid["model_id"] == model.model_id]
        by_labels = drafted.groupby("labels")["brief_id"]
        groups = sorted(tuple(sorted(set(brief_ids))) for _, brief_ids in by_labels)
        repeated = max(groups, key=len, default=())
        if len(repeated) > 1:
            message = (
                f"{model.name} gave graphs with the same labels for {len(repeated)} briefs: "
                f"{show.first_of(repeated)}."
            )
            yield Flag("repeated_labels", message, model.model_id)


def _with_labels(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells with a valid graph of three different labels or more."""
    enough = cells["labels"].str.count("\n") >= 2
    return cells[cells["structural_valid"] & enough.fillna(False).astype(bool)]


def _of_recordings(models: pd.DataFrame, recorded: Mapping[str, RecordedCounts]) -> Iterator[Flag]:
    """Recorded models without an answer to some briefs, which are no cells of theirs."""
    for model in model_rows(models):
        run = recorded.get(model.model_id)
        if run is not None and run.not_recorded:
            briefs = show.counted(run.not_recorded, "brief")
            message = f"{model.name} has no recorded answer to {briefs} of the run: not a failure."
            yield Flag("not_recorded", message, model.model_id)


def _of_briefs(briefs: pd.DataFrame) -> Iterator[Flag]:
    for brief in brief_rows(briefs[briefs["usable"] == 0]):
        message = f"No model drafted a usable graph for {brief.brief_id}."
        yield Flag("brief_without_graph", message, brief_id=brief.brief_id)


def _of_shutdowns(
    cells: pd.DataFrame, models: pd.DataFrame, configs: Mapping[str, ModelConfig]
) -> Iterator[Flag]:
    """No clock: a shutdown date is compared with the day of the newest answer of any model."""
    days = [created_at[:10] for created_at in cells["created_at"] if created_at]
    newest = max(days, default="")
    for model in model_rows(models.sort_values("model_id")):
        config = configs.get(model.model_id)
        if config is None or config.deprecated_on is None:
            continue
        day = config.deprecated_on.isoformat()
        if newest >= day:
            outcome = f"was switched off on {day}: its results can no longer be reproduced."
            yield Flag("shut_down", f"{model.name} {outcome}", model.model_id)
        else:
            outcome = f"is switched off on {day}; from then on its results cannot be reproduced."
            yield Flag("shutdown_date", f"{model.name} {outcome}", model.model_id)


def _of_scores(cells: pd.DataFrame) -> Iterator[Flag]:
    """What the overall score cannot distinguish in this run."""
    valid = cells[cells["overall_score"].notna()]
    if len(valid) < TELLING_GRAPHS:
        return
    at_ceiling = int((valid["overall_score"] >= CEILING).sum())
    if at_ceiling > len(valid) / 2:
        share = show.share_of(at_ceiling, len(valid))
        message = (
            f"{share} of the valid graphs are at the ceiling of the overall score: it does not "
            "distinguish them."
        )
        yield Flag("ceiling", message)
    constant = [column for column in sub_scores(valid) if valid[column].nunique() == 1]
    if constant:
        names = [column.partition(".")[2].replace("_", " ") for column in constant]
        message = (
            "The same in every valid graph, so without influence on the ranking: "
            f"{show.first_of(names)}."
        )
        yield Flag("constant_sub_scores", message)
