"""Policies in words and tables: their steps, their briefs, and what an estimate lacks."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import pandas as pd

from stages.contracts.policy import Policy
from stages.contracts.run import Run
from stages.policies.estimation import calls_by_model
from stages.present.page import brief_page, model_page
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


def briefs_table(result: PolicyResult, root: str) -> Table:
    """A row for each estimated brief."""
    columns = (
        Column("Brief"),
        Column("Expected", show.score, hint="Mean over runs; a failure counts 0"),
        Column("Usable", show.share, hint="Share of the runs that end with a usable graph"),
        Column("Calls per run", show.mean_count),
        Column("Cost per run", show.money),
    )
    rows = [
        (
            Entry(brief, href=root + brief_page(brief)),
            estimate.score.expected,
            estimate.score.usable,
            math.fsum(step.calls for step in estimate.steps),
            estimate.usd,
        )
        for brief, estimate in result.briefs.items()
    ]
    return make_table(columns, rows, title="Briefs", name="briefs")


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
    models = set(cells["model_id"])
    for result in results:
        if result.policy.repaired_models and not run.repair:
            reason = "has no estimate: it sends answers back, and this run sent none"
            message = f"{result.name} {reason}; set generate.repair: 1 in params.yaml."
            yield Flag("policy_missing", message, result.policy.id)
        elif result.missing:
            called = cells[~cells["model_id"].isin(run.recorded)]
            why = _lack_of_recordings(result, run.recorded) or _missing_samples(called, result)
            briefs = f"{show.count(len(result.missing))} of {show.counted(result.asked, 'brief')}"
            message = f"{result.name} has no estimate on {briefs}{why}."
            yield Flag("policy_missing", message, result.policy.id)
    for policy in left_out:
        absent = [model for model in policy.models if model not in models]
        name, listed = visible(policy.display_name), ", ".join(absent)
        yield Flag("policy_left_out", f"The policy {name} is left out: {listed} is not in the run.")


def _lack_of_recordings(result: PolicyResult, recorded: Collection[str]) -> str:
    """Why the answers of recorded models are too few; "" where they are not."""
    policy, calls = result.policy, calls_by_model(result.policy)
    sent_back = sorted(policy.repaired_models.intersection(recorded))
    if sent_back:
        return f": the answers of {', '.join(sent_back)} are recorded, and none can be sent back"
    answered = result.cells[result.cells["answered"]]
    answers = Counter(zip(answered["model_id"], answered["brief_id"], strict=True))
    few = [
        model
        for model in policy.models
        if model in recorded
        and any(answers[model, brief] < calls[model] for brief in result.missing)
    ]
    return f", with fewer recorded answers of {', '.join(few)} than tries" if few else ""


def _missing_samples(cells: pd.DataFrame, result: PolicyResult) -> str:
    """What `generate.samples` would have to be, and what that calls of the models of `cells`, all
    those of the run that can be called.
    """
    calls_of = calls_by_model(result.policy)
    needed = max((calls_of[model] for model in cells["model_id"].unique()), default=0)
    per_cell = cells.groupby(["model_id", "brief_id"]).agg(
        samples=("sample", "size"), usd=("est_cost_usd", "mean")
    )
    more = (needed - per_cell["samples"]).clip(lower=0)
    calls = int(more.sum())
    if not calls:
        missing = "answers or repairs" if result.policy.repaired_models else "answers"
        return f": {missing} are missing there"
    usd = float((more * per_cell["usd"]).sum(skipna=False))
    price = "" if math.isnan(usd) else f" for about {show.money(usd)}"
    return (
        f", with fewer answers than tries: generate.samples: {needed} would call "
        f"{show.counted(calls, 'more answer')} of the run's models{price}"
    )
