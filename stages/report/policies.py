"""Policies beside the models: each is estimated on every brief of the run, and becomes a row of the
frame of models.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from stages.contracts.policy import Policy
from stages.contracts.response import STATUSES
from stages.contracts.run import Run
from stages.contracts.scorecard import DIMENSIONS
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
from stages.report.cells import frame_of, sub_scores
from stages.shell.text import visible
from stages.statistics.estimates import BriefScore, Side

_MEANS = ["expected_score", "overall_score", *DIMENSIONS, "default_share"]
_SUMS = ["cache_saved_usd", "input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens"]


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """A policy on the briefs of a run that its models were asked.

    `cells` are the answers that it may call, as it gets them; `briefs` the estimates, `missing` the
    briefs with fewer answers or repairs than it may call. `seconds` are drawn runs on each brief,
    None where a latency is not measured. `means` are those over runs, None without an estimate;
    `same_briefs` are their intervals if the briefs stay the same. `called` and `counted` have, by
    the index of a cell, how often a run over all briefs calls its answer, and takes it.
    """

    policy: Policy
    name: str
    cells: pd.DataFrame
    simulated: bool
    briefs: Mapping[str, BriefEstimate]
    missing: tuple[str, ...]
    seconds: Mapping[str, Floats] | None
    means: RunMeans | None
    same_briefs: RunIntervals
    called: "pd.Series[float]"
    counted: "pd.Series[float]"

    @property
    def asked(self) -> int:
        """The briefs of the run that its models were asked."""
        return len(self.briefs) + len(self.missing)

    @property
    def usd(self) -> float | None:
        """The cost of a run on every brief; None where it is not measured, or no brief is."""
        costs = [estimate.usd for estimate in self.briefs.values()]
        known = [cost for cost in costs if cost is not None]
        return math.fsum(known) if known and len(known) == len(costs) else None

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
        cells=own,
        simulated=bool(own["simulated"].any()),
        briefs=estimates,
        missing=tuple(missing),
        seconds=of_runs,
        means=means,
        same_briefs=intervals,
        called=called,
        counted=counted,
    )


def policy_row(result: PolicyResult) -> dict[str, Any]:
    """What `ranking.summarise` has for a model, and its means over valid graphs, for the runs of a
    policy: one on each estimated brief. Counts are expected ones, not whole.
    """
    cells = result.cells
    counted, called, runs = result.counted, result.called, len(result.briefs)
    is_success = cells["status"] == "success"
    flags = pd.DataFrame(
        {
            "usable": cells["usable"],
            "unfaithful": cells["structural_valid"] & ~cells["usable"],
            "invalid": is_success & ~cells["structural_valid"],
            "unchecked": cells["unchecked"],
            "scored": cells["overall_score"].notna(),
        }
        | {status: cells["status"] == status for status in STATUSES}
    )
    row: dict[Any, Any] = flags.mul(counted, axis=0).sum().round(9).to_dict()
    row |= {key: _mean(cells[key], counted) for key in [*_MEANS, *sub_scores(cells)]}
    row |= cells[_SUMS].mul(called, axis=0).sum(min_count=1).to_dict()
    reported = (cells["input_tokens"] * called).where(cells["cached_tokens"].notna()).sum()
    usd = math.nan if result.usd is None else result.usd
    seconds = np.array([math.nan])
    if result.seconds is not None:
        seconds = np.concatenate(list(result.seconds.values()))
    return (
        row
        | {
            "name": result.name,
            "target_mode": result.policy.target_mode,
            "simulated": result.simulated,
            "cells": runs,
            "answered": runs,
            "unanswered": 0,
            "calls": float(((cells["attempts"] + cells["sent_back"]) * called).sum()),
            "usable_share": row["usable"] / runs if runs else math.nan,
            "answered_share": 1.0 if runs else math.nan,
            "output_tokens_mean": _mean(cells["output_tokens"], called),
            "cost_usd": usd,
            "cost_unknown": 0,
            "cost_per_usable_usd": usd / row["usable"] if row["usable"] else math.nan,
            "cached_share": row["cached_tokens"] / reported if reported else math.nan,
            "latency_p50_ms": 1000 * float(np.quantile(seconds, 0.5)),
            "latency_p95_ms": 1000 * float(np.quantile(seconds, 0.95)),
            "same_choice": math.nan,
            "same_choice_pairs": 0,
            "spread_samples": math.nan,
            "spread_briefs": math.nan,
        }
        | _same_briefs(result)
    )


SAME_BRIEFS = (
    "same_briefs_score_low",
    "same_briefs_score_high",
    "same_briefs_low_usd",
    "same_briefs_high_usd",
    "same_briefs_p95_low_s",
    "same_briefs_p95_high_s",
)
"""The intervals of the score, of dollars and of the 95th percentile of seconds of a run."""


def _same_briefs(result: PolicyResult) -> dict[str, float]:
    """NaN for an interval that is not known."""
    intervals = (result.same_briefs.score, result.same_briefs.usd, result.same_briefs.p95_s)
    ends: list[float] = []
    for interval in intervals:
        ends += (math.nan, math.nan) if interval is None else (interval.low, interval.high)
    return dict(zip(SAME_BRIEFS, ends, strict=True))


def _mean(values: "pd.Series[float]", weights: "pd.Series[float]") -> float:
    """The weighted mean of the values that are measured; NaN without any."""
    total = float(weights[values.notna()].sum())
    return float((values * weights).sum()) / total if total else math.nan


def content_side(result: PolicyResult) -> Side:
    """The share of stated effects that the usable graphs of a policy have right, by brief."""
    cells = result.cells
    has_content = cells[cells["usable"] & cells["content"].notna() & (result.counted > 0)]
    means = {
        str(brief): _mean(group["content"], result.counted[group.index])
        for brief, group in has_content.groupby("brief_id")
    }
    return {brief: BriefScore(mean, 1.0, mean) for brief, mean in means.items()}
