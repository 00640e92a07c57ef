"""Policies in words and tables: their steps, their briefs, and what an estimate lacks."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from stages.contracts.policy import Policy
from stages.contracts.run import Run
from stages.policies.estimation import calls_by_model
from stages.present.page import model_page
from stages.present.table import Column, Entry, Raw, Section, Table, make_table
from stages.report.flags import Flag
from stages.report.policies import PolicyResult
from stages.shell import numbers as show
from stages.shell.text import visible
from stages.statistics.interval import Interval

LIMITS = (
    "Estimated from the stored answers of the run, per brief and without replacement, at no "
    "further call. No check sees everything, and what it does not see no further try finds; few "
    "samples make a rough estimate; answers drawn at temperature 0 repeat themselves."
)
"""What limits every estimate."""
SAME_BRIEFS = (
    "The intervals are of the mean of endless further runs on these briefs; they say nothing about "
    "other briefs, and each model needs eight answers more than there are briefs."
)


def rule_text(policy: Policy) -> str:
    """What ends a policy."""
    if policy.accept == "usable":
        return "accepts a usable graph"
    return f"accepts a usable graph with a score of {show.score(policy.accept.min_score)} or more"


def policies_section(
    results: Sequence[PolicyResult], names: Mapping[str, str], root: str | None = None
) -> Section:
    """What every policy gives: its runs and its steps."""
    tables = [runs_table(results), steps_table(results, names, root)]
    return Section("policies", "Policies", [LIMITS], closed=tables)


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
            calls = f"best of {step.best_of}"
            if step.best_of is None:
                calls = show.counted(step.calls, "try", "tries")
            if step.repair:
                calls += " with a repair"
            href = "" if root is None else root + model_page(step.model)
            text = f"{names.get(step.model, step.model)}, {calls}"
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


def runs_table(results: Sequence[PolicyResult]) -> Table:
    """A row for each policy that has an estimate: its means over runs, each with its interval."""
    columns = (
        Column("Policy"),
        Column("Expected", show.score, hint="Mean over runs; a failure counts 0"),
        Column("Interval", show.interval),
        Column("Cost per run", show.money),
        Column("Interval", show.money_interval),
        Column("p95", show.duration, hint="Latency of a run, 95th percentile"),
        Column("Interval", show.duration_interval),
    )
    rows: list[tuple[Raw, ...]] = []
    for result in results:
        means, intervals = result.means, result.same_briefs
        if means is not None:
            p95_ms = None if means.p95_s is None else 1000 * means.p95_s
            rows.append(
                (
                    result.name,
                    means.score,
                    _ends(intervals.score),
                    means.usd,
                    _ends(intervals.usd),
                    p95_ms,
                    _ends(intervals.p95_s, scale=1000),
                )
            )
    return make_table(
        columns,
        rows,
        title="Further runs on the same briefs",
        notes=[SAME_BRIEFS],
        name="runs",
        sortable=False,
    )


def _ends(interval: Interval | None, scale: float = 1.0) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (scale * interval.low, scale * interval.high)


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean; None without values, and where one is not measured."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None


def policy_flags(
    cells: pd.DataFrame, results: Sequence[PolicyResult], left_out: Iterable[Policy], run: Run
) -> Iterator[Flag]:
    """Policies without an estimate on some briefs, with what it would take; and those that are left
    out.
    """
    called = cells[~cells["model_id"].isin(run.recorded)]
    for result in results:
        policy = result.policy
        if policy.repaired_models and not run.repair:
            reason = "has no estimate: it sends answers back, and this run sent none"
            message = f"{result.name} {reason}; set generate.repair: 1 in params.yaml."
            yield Flag("policy_missing", message, policy.id)
        elif result.missing:
            missing, asked = len(result.missing), len(result.missing) + len(result.briefs)
            briefs = f"{show.count(missing)} of {show.counted(asked, 'brief')}"
            lack = f"has no estimate on {briefs}, with fewer answers or repairs than it may call"
            recorded = [model for model in policy.models if model in run.recorded]
            why = _missing_samples(called, policy)
            if recorded:
                why += f"; those of {', '.join(recorded)} are recorded, and none can be added"
            yield Flag("policy_missing", f"{result.name} {lack}{why}.", policy.id)
    for policy in left_out:
        absent = sorted(set(policy.models).difference(cells["model_id"]))
        name, listed = visible(policy.display_name), ", ".join(absent)
        yield Flag("policy_left_out", f"The policy {name} is left out: {listed} is not in the run.")


def _missing_samples(cells: pd.DataFrame, policy: Policy) -> str:
    """What `generate.samples` would have to be, and what that calls of the models of `cells`, all
    those of the run that can be called; "" where that would add nothing.
    """
    calls_of = calls_by_model(policy)
    needed = max((calls_of[model] for model in cells["model_id"].unique()), default=0)
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
