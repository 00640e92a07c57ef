"""The settings in `params.yaml`: one section per stage, and `runtime`, which no stage tracks.

The weights and limits of the scores are the specification's, in code (`docs/scoring.md`). A
scorecard records the hash of the rules that it was made with, so that scores made with different
rules are never compared silently.
"""

import re
from typing import Annotated, Literal, get_args

from pydantic import Field, field_validator

from graph_evaluator.records.model_config import TargetMode
from graph_evaluator.records.record import Array, WrittenRecord
from graph_evaluator.records.scorecard import RESERVED_NAMES, FailingCheck

SCORING_VERSION = "5"
"""Raised whenever a change of code alters a score, a verdict or a violation code of any graph."""

Weight = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Bound = Annotated[float, Field(gt=0)]  # may be infinite
IdPatterns = Annotated[tuple[str, ...], Field(min_length=1, strict=False)]


class OwnCheckRule(WrittenRecord):
    """How a check of `checks/` counts."""

    fails: bool = False
    """A graph for which it is False is unusable."""


class ScoringRules(WrittenRecord):
    """Everything under `score` in `params.yaml`."""

    generic_labels: Array[str] = (
        "market risk", "competition", "cost", "revenue", "growth", "risk", "demand", "supply",
    )  # fmt: skip
    status_quo_pattern: str = r"status[\s_-]?quo|baseline|keep|maintain|do\s+nothing"
    fidelity: Array[FailingCheck] = get_args(FailingCheck)
    """Checks that make a graph unusable if they fail."""
    min_content: Weight = 0.2
    """A graph with no more of its brief's stated effects right fails the check `effects`; with
    more, `grounding` warns instead of failing.
    """

    checks: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")], OwnCheckRule] = Field({})
    """The checks of `checks/` that run, by the names of their files without `.py`."""

    @field_validator("checks")
    @classmethod
    def _are_new_names(cls, checks: dict[str, OwnCheckRule]) -> dict[str, OwnCheckRule]:
        taken = [name for name in checks if name in RESERVED_NAMES]
        if taken:
            raise ValueError(f"{taken[0]} is a reserved name: rename checks/{taken[0]}.py")
        return checks

    @field_validator("status_quo_pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        if not pattern:
            raise ValueError("is empty and would match every label")
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"is not a regular expression: {error}") from None
        return pattern


class GenerateParams(WrittenRecord):
    """Settings that can alter an answer."""

    samples: int = Field(1, ge=1, le=1000)
    """Answers per (model, brief)."""
    round: int = Field(1, ge=1)
    """Which independent repetition of the whole experiment."""
    unparsed_draws: int = Field(1, ge=1, le=20)
    """Calls for one answer at most, while it is unparseable, cut off or refused."""


class ModeLimits(WrittenRecord):
    """Limits of a mode. Shares are judged by their intervals, the cost by what was spent."""

    max_p95_latency_s: Bound | None = None
    """95 % of the calls take at most this long, seconds."""
    max_usd_per_usable_graph: Bound | None = None
    """US dollars, all answers counted."""
    min_usable_rate: float | None = Field(None, gt=0, lt=1)
    """Share of answers with a usable graph."""


class ReportParams(WrittenRecord):
    """What the reports show."""

    analysis_pack_chars: int = Field(30_000, ge=2_000, le=1_000_000)
    """Maximum length of analysis-pack.md, characters."""
    modes: dict[TargetMode, ModeLimits] = Field({})
    """Limits of each mode. Every model is a candidate for a mode with limits; without limits those
    with its target_mode.
    """


class CompareParams(WrittenRecord):
    """How two revisions are compared."""

    min_difference: Weight = 0.05
    """The smallest difference in form that matters: one node too many moves a graph's by 0.04."""
    min_content_difference: Weight = 0.05
    """The smallest difference in content that matters."""
    confidence: float = Field(0.95, gt=0.5, lt=1)
    """Level of the intervals; 1 - level is the error rate."""


class RuntimeParams(WrittenRecord):
    """Settings that cannot alter a received answer; no stage tracks them."""

    mode: Literal["direct", "batch"] = "direct"
    """One call per answer, or the Batch API."""
    max_concurrency: int = Field(32, ge=1, le=1024)
    """Concurrent calls."""
    timeout_s: Seconds = 300.0
    """Deadline of one call, seconds."""
    flex_timeout_s: Seconds = 1_800.0
    """The same for service_tier flex."""
    max_attempts: int = Field(8, ge=1, le=100)
    """Maximum calls for one answer."""
    cell_timeout_s: float = Field(3_600.0, gt=0, le=604_800)
    """Deadline of all calls for one answer, waits included, seconds."""
    max_wait_s: Seconds = 120.0
    """Longest wait before a retry, even if the server asks for more, seconds."""
    requests_per_minute: Bound | None = None
    """Per endpoint and key; null: as the server allows."""
    max_cost_usd: NotNegative | None = None
    """Hard cap on the cost of a run, shared by simultaneous runs, US dollars; null: none."""
    max_cost_usd_month: NotNegative | None = None
    """The same for all commands on this ledger since the first of the month, UTC."""
    warm_prompt_cache: bool = True
    """Send one call of a model first, so that the others read the cache."""
    batch_poll_s: float = Field(30.0, gt=0, le=3_600)
    """Time between two status requests for a batch, seconds."""
    require_all: bool = False
    """A missing answer ends the run with exit code 1, as for CI."""


class Params(WrittenRecord):
    """All of `params.yaml`."""

    prompt: str
    """Path of the system prompt; no default."""
    models: IdPatterns
    """Ids or glob patterns of model configs."""
    briefs: IdPatterns
    """Ids or glob patterns of briefs."""
    generate: GenerateParams = GenerateParams()
    score: ScoringRules = ScoringRules()
    report: ReportParams = ReportParams()
    compare: CompareParams = CompareParams()
    runtime: RuntimeParams = RuntimeParams()
