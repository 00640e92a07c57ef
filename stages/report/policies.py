"""What is said about policies: what ends one, and the table of its steps."""

import math
from collections.abc import Mapping, Sequence

from stages.report.ranking import Candidate
from stages.shared.present.page import model_page
from stages.shared.present.table import Column, Entry, Table, make_table
from stages.shared.records.model_config import Policy
from stages.shared.shell import numbers as show

LIMITS = (
    "Estimated from the stored answers of the run, per brief and without replacement, at no "
    "further call. No check sees everything, and what it does not see no further try finds; few "
    "samples make a rough estimate; answers drawn at temperature 0 repeat themselves."
)
"""What limits every estimate."""


def rule_text(policy: Policy) -> str:
    """What ends a policy."""
    if policy.accept == "usable":
        return "accepts a usable graph"
    return f"accepts a usable graph with a score of {show.score(policy.accept.min_score)} or more"


def steps_table(policy: Candidate, names: Mapping[str, str], root: str) -> Table:
    """A row for each step of a policy, over the runs on its estimated briefs: how often it is
    called, how often its answer is the one that counts, and what it costs a run.
    """
    columns = (
        Column("Step"),
        Column("Called", show.share, hint="Share of the runs that reach the step"),
        Column("Its answer counts", show.share, hint="Share of the runs that end with it"),
        Column("Calls per run", show.mean_count),
        Column("Cost per run", show.money),
    )
    rows = []
    if policy.policy is not None and policy.runs is not None:
        for place, step in enumerate(policy.policy.steps):
            uses = [estimate.steps[place] for estimate in policy.runs.briefs.values()]
            tries = show.counted(step.tries, "try", "tries")
            text = f"{names.get(step.model, step.model)}, {tries}"
            rows.append(
                [
                    Entry(text, href=root + model_page(step.model)),
                    _mean([use.reached for use in uses]),
                    _mean([use.counted for use in uses]),
                    _mean([use.calls for use in uses]),
                    _mean([use.usd for use in uses]),
                ]
            )
    return make_table(columns, rows, title="Steps", name="steps", sortable=False)


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean; None without values, and where one is not measured."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None
