"""The settings in `params.yaml`: one section per stage, and `runtime`, which no stage tracks."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from stages.contracts.scoring_rules import ScoringRules

Selection = Annotated[tuple[str, ...], Field(min_length=1)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GenerateParams(_Section):
    """What can alter an answer, or which answers are drawn."""

    samples: int = Field(1, ge=1, le=1000, description="Answers per (model, brief).")
    round: int = Field(1, ge=1, description="Which independent repetition of the whole experiment.")
    unparsed_draws: int = Field(1, ge=1, le=20, description="Draws a cell may take while its answer is unusable.")


class ReportParams(_Section):
    """What the reports show."""

    rank_by: Literal["expected_score", "overall_score"] = Field(
        "expected_score", description="What the leaderboard ranks by."
    )
    confidence: float = Field(0.95, gt=0.5, lt=1, description="Level of the intervals.")
    analysis_pack_chars: int = Field(
        30_000, ge=2_000, le=1_000_000, description="Length of analysis-pack.md at most, in characters."
    )


class CompareParams(_Section):
    """How two revisions are compared."""

    min_difference: float = Field(0.02, ge=0, le=1, description="The smallest difference of scores that matters.")
    confidence: float = Field(0.95, gt=0.5, lt=1, description="Level of the intervals; 1 - level is the error rate.")
    seed: int = Field(20_260_101, ge=0, description="Seed of the resampling.")
    planned_looks: int = Field(
        1, ge=1, le=100, description="How often the same pair of prompts will be compared, with more samples, rounds or briefs."
    )


class RuntimeParams(_Section):
    """What cannot alter an answer that was received; no stage tracks it."""

    mode: Literal["direct", "batch"] = Field("direct", description="One call per cell, or the Batch API.")
    max_concurrency: int = Field(32, ge=1, le=1024, description="Calls out at once.")
    timeout_s: float = Field(300.0, gt=0, le=86_400, description="Deadline of one call, seconds.")
    flex_timeout_s: float = Field(1_800.0, gt=0, le=86_400, description="The same for service_tier flex.")
    max_attempts: int = Field(8, ge=1, le=100, description="Calls of one cell at most.")
    cell_timeout_s: float = Field(
        3_600.0, gt=0, le=604_800, description="All attempts of one cell together, waits included, seconds."
    )
    max_wait_s: float = Field(
        120.0, gt=0, le=86_400, description="The longest wait before a retry, whatever the server asks for, seconds."
    )
    requests_per_minute: float | None = Field(
        None, gt=0, description="Per endpoint and key; null: as the server allows."
    )
    tokens_per_minute: float | None = Field(None, gt=0, description="Per endpoint and key; null: as the server allows.")
    max_cost_usd: float | None = Field(
        None, ge=0, description="Hard cap on what one run may spend, US dollars; null: none."
    )
    warm_prompt_cache: bool = Field(
        True, description="Send one cell of a model first so that the rest read the prompt cache."
    )
    batch_poll_s: float = Field(30.0, gt=0, le=3_600, description="Time between two looks at a batch, seconds.")


class Params(_Section):
    """All of `params.yaml`."""

    prompt: str = Field(description="Path of the system prompt; no default.")
    models: Selection = Field(description="Ids or glob patterns of model configs.")
    briefs: Selection = Field(description="Ids or glob patterns of briefs.")
    generate: GenerateParams = GenerateParams.model_validate({})
    score: ScoringRules = ScoringRules()
    report: ReportParams = ReportParams.model_validate({})
    compare: CompareParams = CompareParams.model_validate({})
    runtime: RuntimeParams = RuntimeParams.model_validate({})
