"""`results/decision.json`: which model to take for each mode, how sure that is, and why. For
products and pull requests.
"""

from typing import Literal

from graph_evaluator.records.record import NOT_MEASURED, Array, Measurement, Record
from graph_evaluator.records.response import PromptRef

DecisionVerdict = Literal[
    "leads",
    "leads_content",
    "not_worse",
    "undecided",
    "only_candidate",
    "none",
]
LimitName = Literal["max_p95_latency_s", "max_usd_per_usable_graph", "min_usable_rate"]
LimitVerdict = Literal["met", "missed", "not measured", "cannot tell"]


class LimitCheck(Record):
    """One limit of a mode, checked for one model."""

    model: str
    name: LimitName
    limit: float
    """As in params.yaml."""
    verdict: LimitVerdict
    """A limit that is missed, or of which nothing was measured, excludes a model."""
    measured: Measurement
    """In the unit of the limit; for the latency the share of calls over it."""


class Rival(Record):
    """Another candidate of the mode, on the briefs that it shares with the named model."""

    model: str
    difference: Measurement
    """The named model's expected score less the rival's."""
    content: Measurement | None = None
    """The same of content, of rivals that are as good in score; null where it decides nothing."""


class NextStep(Record):
    """What would decide, if further briefs turn out as those at hand; null where 64 times as many
    would not.
    """

    briefs: int | None
    """Briefs in all."""
    usd: float | None
    """What the additional briefs cost with all candidates, US dollars."""


class Evidence(Record):
    """What was measured of the named model."""

    score: Measurement
    quality: Measurement | None = None
    """The score of its usable graphs alone."""
    usable_rate: Measurement
    content: Measurement = NOT_MEASURED
    """The share of the stated effects that are right, an unusable graph counting 0."""
    same_choice: Measurement = NOT_MEASURED
    """The share of pairs of answers to a brief that recommend the same option."""
    certainty: Measurement = NOT_MEASURED
    """The share of draws of a graph's strengths in which its recommended option stays the best, the
    mean over n graphs, without an interval."""
    usd_per_usable_graph: float | None
    latency_p50_s: float | None
    latency_p95_s: float | None
    cells: int
    answers: int


class ModeDecision(Record):
    """The decision for one mode.

    `leads`: better than every other candidate. `leads_content`: of those that no other beats in
    score by `min_difference` the one with the most content. `not_worse`: the cheapest of those that
    no other beats in score or content. `undecided`: the candidate with the highest score, which is
    not shown to be the best.
    """

    verdict: DecisionVerdict
    model: str | None
    """The id of the model config; null with the verdict none."""
    reason: str
    """One or two sentences for people, as plain text."""
    config_sha256: str | None
    prompt: PromptRef
    shutdown_date: str | None
    simulated: bool
    evidence: Evidence | None
    rivals: Array[Rival]
    """Their intervals hold together at the confidence of the decision."""
    compared: int
    """Candidates with a score above 0. The best of many looks better than it is."""
    checks: Array[LimitCheck]
    excluded: Array[str]
    """Models that miss a limit."""
    without_usable: Array[str] = ()
    """Candidates without any usable graph, which cannot be named."""
    next_step: NextStep | None
    """If undecided."""


class Decision(Record):
    """The decisions of a run, by mode; a mode without candidates and limits is left out."""

    run_id: str
    confidence: float
    min_difference: float
    min_content_difference: float
    modes: dict[str, ModeDecision]
