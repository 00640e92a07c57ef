"""Policies beside the models: each is estimated on every brief of the run, becomes a row of the
frame of models, and has a table of its steps.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stages.report.flags import Flag
from stages.shared.analysis.estimates import Side
from stages.shared.analysis.policy_estimate import (
    BriefEstimate,
    Floats,
    run_policy,
    tries_by_model,
)
from stages.shared.analysis.summary import summarise
from stages.shared.present.page import model_page
from stages.shared.present.table import Column, Entry, Section, Table, make_table
from stages.shared.records.policy import Policy
from stages.shared.records.run import Run
from stages.shared.shell import numbers as show
from stages.shared.shell.text import visible

LATENCIES = ("latency_p50_ms", "latency_p95_ms")
LIMITS = (
    "Estimated from the stored answers of the run, per brief and without replacement, at no "
    "further call. No check sees everything, and what it does not see no further try finds; few "
    "samples make a rough estimate; answers drawn at temperature 0 repeat themselves."
)
"""What limits every estimate."""


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """A policy on the briefs of a run that its models were asked.

    `cells` are the answers that it may call, as cells of a model with the id and the name of the
    policy; `called` and `counted` say how often a run over all briefs calls each, and takes it.
    `briefs` are the estimates, `missing` the briefs with fewer answers than it may call. `seconds`
    are drawn runs on each brief, None where a latency is not measured.
    """

    policy: Policy
    name: str
    cells: pd.DataFrame
    briefs: Mapping[str, BriefEstimate]
    missing: tuple[str, ...]
    seconds: Mapping[str, Floats] | None
    scores: Side


def estimate_policies(cells: pd.DataFrame, policies: Sequence[Policy]) -> tuple[PolicyResult, ...]:
    """Each policy on every brief of the cells; `cells` is a frame as of `cells.with_configs`."""
    names = _names_of(policies, cells)
    return tuple(_estimate(cells, policy, names[policy.id]) for policy in policies)


def _names_of(policies: Sequence[Policy], cells: pd.DataFrame) -> dict[str, str]:
    """The names in all reports, marked as those of policies; with the id where two are equal."""
    names = {policy.id: f"{visible(policy.display_name)} (policy)" for policy in policies}
    times = Counter([*names.values(), *cells["name"].unique()])
    return {
        policy_id: name if times[name] == 1 else f"{name} ({policy_id})"
        for policy_id, name in names.items()
    }


def _estimate(cells: pd.DataFrame, policy: Policy, name: str) -> PolicyResult:
    own = cells[cells["model_id"].isin(policy.models)]
    runs = run_policy(policy, own["answer"])
    return PolicyResult(
        policy=policy,
        name=name,
        cells=own.assign(
            model_id=policy.id,
            name=name,
            target_mode=policy.target_mode,
            called=list(runs.weights.called),
            counted=list(runs.weights.counted),
        ),
        briefs=runs.briefs,
        missing=runs.missing,
        seconds=runs.seconds,
        scores=summarise(runs.cells, runs.weights).briefs,
    )


def latencies_of(results: Sequence[PolicyResult]) -> pd.DataFrame:
    """The percentiles of the latency of the runs of each policy, by its id; NaN where a latency is
    not measured.
    """
    rows = {}
    for result in results:
        seconds = np.array([math.nan])
        if result.seconds is not None:
            seconds = np.concatenate(list(result.seconds.values()))
        rows[result.policy.id] = 1000 * np.quantile(seconds, [0.5, 0.95])
    columns = list(LATENCIES)
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns, dtype="float64")


def rule_text(policy: Policy) -> str:
    """What ends a policy."""
    if policy.accept == "usable":
        return "accepts a usable graph"
    return f"accepts a usable graph with a score of {show.score(policy.accept.min_score)} or more"


def policies_section(
    results: Sequence[PolicyResult], names: Mapping[str, str], root: str | None = None
) -> Section:
    """The steps of every policy."""
    table = steps_table(results, names, root)
    return Section("policies", "Policies", [LIMITS], closed=[table])


def steps_table(
    results: Sequence[PolicyResult], names: Mapping[str, str], root: str | None = None
) -> Table:
    """A row for each step of each policy, over the runs on its estimated briefs: how often it is
    called, how often its answer is the one that counts, and what it costs a run.
    """
    columns = (
        Column("Policy"),
        Column("Step"),
        Column("Called", show.share, hint="Share of the runs that reach the step"),
        Column("Its answer counts", show.share, hint="Share of the runs that end with it"),
        Column("Calls per run", show.mean_count),
        Column("Cost per run", show.money),
    )
    rows = []
    for result in results:
        for place, step in enumerate(result.policy.steps):
            uses = [estimate.steps[place] for estimate in result.briefs.values()]
            href = "" if root is None else root + model_page(step.model)
            tries = show.counted(step.tries, "try", "tries")
            text = f"{names.get(step.model, step.model)}, {tries}"
            rows.append(
                (
                    result.name,
                    Entry(text, href=href),
                    _mean([use.reached for use in uses]),
                    _mean([use.counted for use in uses]),
                    _mean([use.calls for use in uses]),
                    _mean([use.usd for use in uses]),
                )
            )
    return make_table(columns, rows, title="Steps", name="steps", heads=2, sortable=False)


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean; None without values, and where one is not measured."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None


def policy_flags(cells: pd.DataFrame, results: Sequence[PolicyResult], run: Run) -> Iterator[Flag]:
    """Policies without an estimate on some briefs, with what it would take."""
    called = cells[~cells["model_id"].isin(run.recorded)]
    for result in results:
        if result.missing:
            missing, asked = len(result.missing), len(result.missing) + len(result.briefs)
            briefs = f"{show.count(missing)} of {show.counted(asked, 'brief')}"
            lack = f"has no estimate on {briefs}, with fewer answers than it may call"
            why = _missing_samples(called, result.policy)
            recorded = [model for model in result.policy.models if model in run.recorded]
            if recorded:
                why += f"; those of {', '.join(recorded)} are recorded, and none can be added"
            yield Flag("policy_missing", f"{result.name} {lack}{why}.", result.policy.id)


def _missing_samples(cells: pd.DataFrame, policy: Policy) -> str:
    """What `generate.samples` would have to be, and what that calls of the models of `cells`, all
    those of the run that can be called; "" where that would add nothing.
    """
    tries_of = tries_by_model(policy)
    needed = max((tries_of[model] for model in cells["model_id"].unique()), default=0)
    per_cell = cells.groupby(["model_id", "brief_id"]).agg(
        samples=("sample", "size"), usd=("est_cost_usd", "mean")
    )
    more = (needed - per_cell["samples"]).clip(lower=0)
    calls = int(more.sum())
    if not calls:
        return ""
    usd = float((more * per_cell["usd"]).sum(skipna=False))
    price = "" if math.isnan(usd) else f" for about {show.money(usd)}"
    answers = show.counted(calls, "more answer")
    return f": generate.samples: {needed} would call {answers} of the run's models{price}"
