"""Policies beside the models: each is estimated on every brief of the run, and becomes a row of the
frame of models.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stages.contracts.policy import Policy
from stages.contracts.run import Run
from stages.policies.estimation import (
    Answers,
    BriefEstimate,
    Floats,
    estimate_brief,
)
from stages.policies.intervals import (
    RunIntervals,
    RunMeans,
    intervals_given_briefs,
    means_of_runs,
)
from stages.policies.latency import SEED, draw_seconds
from stages.report.cells import frame_of
from stages.shell.text import visible
from stages.statistics.estimates import BriefScore, Side

LATENCIES = ("latency_p50_ms", "latency_p95_ms")
SAME_BRIEFS = (
    "same_briefs_score_low",
    "same_briefs_score_high",
    "same_briefs_low_usd",
    "same_briefs_high_usd",
    "same_briefs_p95_low_s",
    "same_briefs_p95_high_s",
)
"""The intervals of the score, of dollars and of the 95th percentile of seconds of a run."""


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """A policy on the briefs of a run that its models were asked.

    `cells` are the answers that it may call, as it gets them, as cells of a model with the id and
    the name of the policy; `called` and `counted` say how often a run over all briefs calls each,
    and takes it. `briefs` are the estimates, `missing` the briefs with fewer answers or repairs
    than it may call. `seconds` are drawn runs on each brief, None where a latency is not measured.
    `means` are those over runs, None without an estimate; `same_briefs` are their intervals if the
    briefs stay the same.
    """

    policy: Policy
    name: str
    cells: pd.DataFrame
    briefs: Mapping[str, BriefEstimate]
    missing: tuple[str, ...]
    seconds: Mapping[str, Floats] | None
    means: RunMeans | None
    same_briefs: RunIntervals

    def side(self, *, usable_only: bool = False) -> Side:
        """Its scores by brief; with `usable_only` those of usable graphs."""
        scores = {brief: estimate.score for brief, estimate in self.briefs.items()}
        if not usable_only:
            return scores
        return {
            brief: BriefScore(score.quality, 1.0, score.quality)
            for brief, score in scores.items()
            if score.quality is not None
        }


def estimate_policies(
    cells: pd.DataFrame, policies: Sequence[Policy], confidence: float, run: Run
) -> tuple[PolicyResult, ...]:
    """Each policy on every brief of the cells; `cells` is a frame as of `cells.with_configs`, of a
    run.
    """
    names = _names_of(policies, cells)
    return tuple(_estimate(cells, policy, names[policy.id], confidence, run) for policy in policies)


def _cells_of(policy: Policy, cells: pd.DataFrame) -> pd.DataFrame:
    """The answers that the policy may call, as it gets them: the first one where it sends none of
    the model back.
    """
    own = cells[cells["model_id"].isin(policy.models)].copy()
    is_first = own["sent_back"] & ~own["model_id"].isin(policy.repaired_models)
    if is_first.any():
        first = frame_of(own.loc[is_first, "first_answer"]).set_index(own.index[is_first])
        own.loc[is_first] = first.reindex(columns=own.columns)
    return own


def _names_of(policies: Sequence[Policy], cells: pd.DataFrame) -> dict[str, str]:
    """The names in all reports, marked as those of policies; with the id where two are equal."""
    names = {policy.id: f"{visible(policy.display_name)} (policy)" for policy in policies}
    times = Counter([*names.values(), *cells["name"].unique()])
    return {
        policy_id: name if times[name] == 1 else f"{name} ({policy_id})"
        for policy_id, name in names.items()
    }


def _estimate(
    cells: pd.DataFrame, policy: Policy, name: str, confidence: float, run: Run
) -> PolicyResult:
    random = np.random.default_rng(SEED)
    has_repairs = all(map(run.sends_back, policy.repaired_models))
    own = _cells_of(policy, cells)
    called = pd.Series(0.0, own.index)
    counted = pd.Series(0.0, own.index)
    estimates: dict[str, BriefEstimate] = {}
    estimated: list[Answers] = []
    missing: list[str] = []
    seconds: dict[str, Floats] = {}
    for brief, group in own.groupby("brief_id", sort=True):
        by_model = dict(iter(group[group["answered"]].groupby("model_id")))
        answers = {str(model): list(rows["answer"]) for model, rows in by_model.items()}
        estimate = estimate_brief(policy, answers) if has_repairs else None
        if estimate is None:
            missing.append(str(brief))
            continue
        estimates[str(brief)] = estimate
        estimated.append(answers)
        for model in policy.models:
            called[by_model[model].index] = estimate.called[model]
            counted[by_model[model].index] = estimate.counted[model]
        drawn = draw_seconds(policy, answers, random)
        if drawn is not None:
            seconds[str(brief)] = drawn
    of_runs = seconds if estimates and len(seconds) == len(estimates) else None
    means, intervals = None, RunIntervals()
    if estimates:
        means = means_of_runs(list(estimates.values()), list(of_runs.values()) if of_runs else None)
        intervals = intervals_given_briefs(policy, estimated, means, confidence, random)
    return PolicyResult(
        policy=policy,
        name=name,
        cells=own.assign(
            model_id=policy.id,
            name=name,
            target_mode=policy.target_mode,
            called=called,
            counted=counted,
        ),
        briefs=estimates,
        missing=tuple(missing),
        seconds=of_runs,
        means=means,
        same_briefs=intervals,
    )


def runs_columns(results: Sequence[PolicyResult]) -> pd.DataFrame:
    """What is known of the runs of policies beside their cells, by id: the percentiles of their
    latency, and `SAME_BRIEFS`; NaN where something is not measured.
    """
    rows = {}
    for result in results:
        seconds = np.array([math.nan])
        if result.seconds is not None:
            seconds = np.concatenate(list(result.seconds.values()))
        p50, p95 = 1000 * np.quantile(seconds, [0.5, 0.95])
        intervals = (result.same_briefs.score, result.same_briefs.usd, result.same_briefs.p95_s)
        ends: list[float] = []
        for interval in intervals:
            ends += (math.nan, math.nan) if interval is None else (interval.low, interval.high)
        rows[result.policy.id] = (p50, p95, *ends)
    columns = [*LATENCIES, *SAME_BRIEFS]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns, dtype="float64")
