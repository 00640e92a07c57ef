"""The settings in `params.yaml`: one section per stage, and `runtime`, which no stage tracks.

The defaults of `score` are the specification's values (`docs/scoring.md`). A scorecard records the
hash of the rules that it was made with, so that scores made with different rules are never compared
silently.
"""

import math
import re
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from graph_evaluator.records.model_config import TargetMode
from graph_evaluator.records.record import Array, WrittenRecord
from graph_evaluator.records.scorecard import FailingCheck

SCORING_VERSION = "5"
"""Raised whenever a change of code alters a score, a verdict or a violation code of any graph."""

Weight = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Level = Annotated[float, Field(gt=0.5, lt=1)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Bound = Annotated[float, Field(gt=0)]  # may be infinite
Count = Annotated[int, Field(ge=0)]
AtLeastOne = Annotated[int, Field(ge=1)]
IdPatterns = Annotated[tuple[str, ...], Field(min_length=1, strict=False)]


class _Weights(WrittenRecord):
    @model_validator(mode="after")
    def _sum_to_one(self) -> Self:
        values: list[float] = [
            value for value in self.__dict__.values() if isinstance(value, float)
        ]
        if abs(math.fsum(values) - 1.0) > 1e-9:
            raise ValueError(f"the weights must sum to 1, and sum to {math.fsum(values):.6g}")
        return self


class OverallWeights(_Weights):
    """What each dimension contributes to the overall score."""

    param_quality: Weight = 0.30
    option_diff: Weight = 0.30
    completeness: Weight = 0.40


class ParamQualityWeights(_Weights):
    """The sub-dimensions of parameter quality."""

    strength_diversity: Weight = 0.25
    exists_prob_diversity: Weight = 0.20
    std_variation: Weight = 0.15
    default_takeover: Weight = 0.25
    range_discipline: Weight = 0.15


class OptionDiffWeights(_Weights):
    """The sub-dimensions of option differentiation."""

    status_quo_present: Weight = 0.25
    no_identical_interventions: Weight = 0.25
    each_option_sets_factor: Weight = 0.25
    unique_factor_per_option: Weight = 0.25


class CompletenessWeights(_Weights):
    """The sub-dimensions of completeness."""

    external_factor_present: Weight = 0.20
    coaching_populated: Weight = 0.20
    goal_threshold: Weight = 0.20
    factor_label_specificity: Weight = 0.20
    readability_band: Weight = 0.20


class Weights(WrittenRecord):
    """All weights; each group sums to one."""

    overall: OverallWeights = OverallWeights()
    param_quality: ParamQualityWeights = ParamQualityWeights()
    option_diff: OptionDiffWeights = OptionDiffWeights()
    completeness: CompletenessWeights = CompletenessWeights()


class Limits(WrittenRecord):
    """What is structurally allowed, in counts."""

    min_options: Count = 2
    max_options: AtLeastOne = 6
    max_nodes: AtLeastOne = 50
    max_edges: AtLeastOne = 100

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min_options > self.max_options:
            raise ValueError("min_options must not exceed max_options")
        return self


class Thresholds(WrittenRecord):
    """The numbers that the sub-dimensions compare with."""

    strength_full_marks_at: AtLeastOne = 3
    """Distinct |mean| values for full marks."""
    exists_prob_full_marks_at: AtLeastOne = 2
    """Distinct exists_probability values for full marks."""
    default_mean: NotNegative = 0.5
    """|mean| of an edge that was left at its default."""
    default_std: NotNegative = 0.125
    """std of an edge that was left at its default."""
    default_zero_at_percent: Positive = Field(50.0, le=100)
    """Percentage of default edges that scores 0."""
    max_inbound: Positive = 1.0
    """The most that a node's inbound |mean| may add up to."""
    readable_min_nodes: Count = 6
    readable_max_nodes: Count = 12
    crowded_max_nodes: Count = 20
    """Up to here a graph gets crowded_marks, beyond it none."""
    crowded_marks: Weight = 0.5

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.readable_min_nodes <= self.readable_max_nodes <= self.crowded_max_nodes:
            raise ValueError(
                "readable_min_nodes <= readable_max_nodes <= crowded_max_nodes must hold"
            )
        return self


class ScoringRules(WrittenRecord):
    """Everything under `score` in `params.yaml`."""

    weights: Weights = Weights()
    limits: Limits = Limits()
    thresholds: Thresholds = Thresholds()
    generic_labels: Array[str] = (
        "market risk", "competition", "cost", "revenue", "growth", "risk", "demand", "supply",
    )  # fmt: skip
    status_quo_pattern: str = r"status[\s_-]?quo|baseline|keep|maintain|do\s+nothing"
    fidelity: Array[FailingCheck] = (
        "grounding", "prompt_copy", "target", "result_signs", "effects",
    )  # fmt: skip
    """Checks that make a graph unusable if they fail."""
    min_content: Weight = 0.2
    """A graph with no more of its brief's stated effects right fails the check `effects`; with
    more, `grounding` warns instead of failing.
    """

    @field_validator("status_quo_pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        if not pattern:
            raise ValueError("is empty, and so would be found in every label")
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"is not a regular expression: {error}") from None
        return pattern


class GenerateParams(WrittenRecord):
    """What can alter an answer, or which answers are drawn."""

    samples: int = Field(1, ge=1, le=1000)
    """Answers per (model, brief)."""
    round: AtLeastOne = 1
    """Which independent repetition of the whole experiment."""
    unparsed_draws: int = Field(1, ge=1, le=20)
    """Draws a cell may take while its answer is unusable."""


class ModeLimits(WrittenRecord):
    """What a model must keep to be named for a mode: shares are judged by their intervals, the cost
    by what was spent.
    """

    max_p95_latency_s: Bound | None = None
    """95 % of the calls take at most so many seconds."""
    max_usd_per_usable_graph: Bound | None = None
    """US dollars, all answers counted."""
    min_usable_rate: float | None = Field(None, gt=0, lt=1)
    """Share of answers with a usable graph."""


class ReportParams(WrittenRecord):
    """What the reports show."""

    analysis_pack_chars: int = Field(30_000, ge=2_000, le=1_000_000)
    """Characters of analysis-pack.md at most."""
    modes: dict[TargetMode, ModeLimits] = Field({})
    """Limits of each mode. Every model is a candidate for a mode with limits; else those with its
    target_mode.
    """


class CompareParams(WrittenRecord):
    """How two revisions are compared."""

    min_difference: Weight = 0.05
    """The smallest difference in form that matters: one node too many moves a graph's by 0.04."""
    min_content_difference: Weight = 0.05
    """The smallest difference in content that matters."""
    confidence: Level = 0.95
    """Level of the intervals; 1 - level is the error rate."""


class RuntimeParams(WrittenRecord):
    """What cannot alter an answer that was received; no stage tracks it."""

    mode: Literal["direct", "batch"] = "direct"
    """One call per cell, or the Batch API."""
    max_concurrency: int = Field(32, ge=1, le=1024)
    """Calls out at once."""
    timeout_s: Seconds = 300.0
    """Deadline of one call, seconds."""
    flex_timeout_s: Seconds = 1_800.0
    """The same for service_tier flex."""
    max_attempts: int = Field(8, ge=1, le=100)
    """Calls of one cell at most."""
    cell_timeout_s: float = Field(3_600.0, gt=0, le=604_800)
    """All attempts of one cell, waits included, seconds."""
    max_wait_s: Seconds = 120.0
    """The longest wait before a retry, whatever the server asks for, seconds."""
    requests_per_minute: Bound | None = None
    """Per endpoint and key; null: as the server allows."""
    max_cost_usd: NotNegative | None = None
    """Hard cap on what one run spends, US dollars; null: none."""
    warm_prompt_cache: bool = True
    """Send one cell of a model first, so that the rest read the cache."""
    batch_poll_s: float = Field(30.0, gt=0, le=3_600)
    """Time between two looks at a batch, seconds."""
    require_all: bool = False
    """A cell without an answer ends the run with exit code 1, as for CI."""


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
