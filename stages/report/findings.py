"""Everything that the reports say, computed once from the frame of cells: tables, the decision,
flags, notices.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from stages.report.agreement import ReviewFile
from stages.report.columns import model_fields
from stages.report.decision import decide
from stages.report.failures import failures_by_code, failures_by_model
from stages.report.flags import Flag, flags_of
from stages.report.policies import PolicyResult, estimate_policies, policy_flags
from stages.report.ranking import (
    rank_briefs,
    rank_models,
    summarise,
)
from stages.report.rows import Total, total_of
from stages.report.tables import Fields
from stages.shared.records.decision import Decision
from stages.shared.records.model_config import ModelConfig
from stages.shared.records.params import CompareParams, ReportParams
from stages.shared.records.policy import Policy
from stages.shared.records.run import PromptRef, Run
from stages.shared.shell import numbers as show

SIMULATED = (
    "These are results of simulated models: they show how the tool works and say nothing about "
    "real models."
)
PARTLY_SIMULATED = (
    "The models that are marked simulated show how the tool works: their results say nothing about "
    "real models."
)
RANKING_NOTE = (
    "Ranked by expected score, the mean over briefs: an answer without a usable graph counts 0, a "
    "cell without an answer is left out and counted."
)
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings of a run: the configs by model id, as far as there are any, and the frames.

    Their columns are documented at the functions that make them: `cells.frame_of` (cells),
    `ranking.rank_models` (candidates: models and policies; models), `ranking.rank_briefs` (briefs),
    `ranking.summarise` (total: the row of all cells), `failures.failures_by_model` (failures),
    `failures.failures_by_code` (codes). `notices` are plain-text lines that are shown wherever
    results are.
    """

    run: Run
    params: ReportParams
    compare: CompareParams
    configs: Mapping[str, ModelConfig]
    cells: pd.DataFrame
    candidates: pd.DataFrame
    policies: tuple[PolicyResult, ...]
    briefs: pd.DataFrame
    total: Total
    failures: pd.DataFrame
    codes: pd.DataFrame
    decision: Decision
    flags: tuple[Flag, ...]
    reviews: tuple[ReviewFile, ...]
    notices: tuple[str, ...]

    @property
    def models(self) -> pd.DataFrame:
        """The candidates that are models."""
        return models_of(self.candidates)

    @property
    def names(self) -> dict[str, str]:
        """The one name of each model and policy, by id."""
        return dict(zip(self.candidates["model_id"], self.candidates["name"], strict=True))

    @property
    def model_fields(self) -> Fields:
        """Everything that a table of `models` may show, by a short name."""
        return model_fields(self.compare.confidence)


def find(
    run: Run | None,
    cells: pd.DataFrame,
    configs: Mapping[str, ModelConfig],
    params: ReportParams,
    compare: CompareParams,
    *,
    reviews: Sequence[ReviewFile] = (),
    policies: Sequence[Policy] = (),
) -> Findings:
    """All findings of a run; `run` is None for responses without a manifest."""
    run = run or _manifest_of(cells)
    results = estimate_policies(cells, policies)
    candidates = rank_models(cells, compare.confidence, results)
    models = models_of(candidates)
    briefs = rank_briefs(cells, models)
    failures = failures_by_model(cells, models)
    flags = flags_of(
        cells,
        models,
        briefs,
        failures,
        configs=configs,
        recorded=run.recorded,
    )
    flags = (*flags, *policy_flags(cells, results, run))
    return Findings(
        run=run,
        params=params,
        compare=compare,
        configs=configs,
        cells=cells,
        candidates=candidates,
        policies=results,
        briefs=briefs,
        total=total_of(summarise(cells)),
        failures=failures,
        codes=failures_by_code(failures, len(cells)),
        decision=decide(cells, candidates, run, configs, params, compare, results),
        flags=flags,
        reviews=tuple(reviews),
        notices=tuple(_notices(cells, flags)),
    )


def models_of(candidates: pd.DataFrame) -> pd.DataFrame:
    """The rows of models among those of models and policies."""
    return candidates[~candidates["is_policy"]].reset_index(drop=True)


def _manifest_of(cells: pd.DataFrame) -> Run:
    models, briefs = (
        dict.fromkeys(sorted(set(cells[key])), UNKNOWN) for key in ("model_id", "brief_id")
    )
    return Run(
        run_id=UNKNOWN,
        git_sha=None,
        tool_version=UNKNOWN,
        prompt=PromptRef(path=UNKNOWN, sha256=UNKNOWN),
        models=models,
        briefs=briefs,
        samples=int(cells["sample"].max()),
        round=1,
    )


def _notices(cells: pd.DataFrame, flags: Iterable[Flag]) -> Iterator[str]:
    """What a reader must know first; that answers are missing comes last, where it is seen."""
    if cells["simulated"].all():
        yield SIMULATED
    elif cells["simulated"].any():
        yield PARTLY_SIMULATED
    rules = cells["scoring_rules"].nunique()
    if rules > 1:
        yield (
            f"The scores come from {rules} different sets of scoring rules and must not be "
            "compared: run dvc repro -f score."
        )
    yield from (flag.message for flag in flags if flag.kind == "shut_down")
    missing = int((~cells["answered"]).sum())
    if missing:
        yield (
            f"{show.counted(missing, 'cell has', 'cells have')} no answer; dvc repro -f calls "
            "only those."
        )
