"""A scorecard: what `score` writes for a response, that is, the verdict, the scores and the evidence for each of them."""

from typing import Literal

import msgspec

from stages.contracts.brief import Complexity
from stages.contracts.json_text import JsonValue
from stages.contracts.response import ANSWERED, Cell, Status

Dimension = Literal["param_quality", "option_diff", "completeness"]
DIMENSIONS: tuple[Dimension, ...] = ("param_quality", "option_diff", "completeness")


class EdgeRef(msgspec.Struct, frozen=True, order=True, gc=False, rename={"source": "from", "target": "to"}):
    """An edge by its place in the answer (from 0) and its ends; an end that is no string is shown as its JSON text."""

    index: int
    source: str
    target: str


class Finding(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A violation (makes the graph invalid) or a warning (changes no score), with what it is about, in a sentence."""

    code: str
    message: str
    nodes: tuple[str, ...] = ()
    edges: tuple[EdgeRef, ...] = ()
    path: str | None = None


class SubScore(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One sub-dimension: value in 0..1 (higher is better), weight, what was counted, and a sentence that says it."""

    name: str
    value: float
    weight: float
    counted: dict[str, JsonValue]
    message: str


class Scorecard(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One line of `results/scorecards.jsonl`.

    Scores are in 0..1, unrounded, higher is better; None when the graph is structurally invalid or there is none.
    `expected_score` is `overall_score`, 0.0 where the failure is the model's doing (unparseable, cut off, refused,
    invalid), None where no answer came. The sum of value x weight over a dimension's sub-scores is the dimension.
    """

    model_id: str
    brief_id: str
    sample: int
    status: Status
    structural_valid: bool
    violation_codes: tuple[str, ...]
    param_quality: float | None
    option_diff: float | None
    completeness: float | None
    overall_score: float | None
    expected_score: float | None
    node_count: int | None
    edge_count: int | None
    violations: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    sub_scores: dict[Dimension, tuple[SubScore, ...]] = {}
    complexity: Complexity
    scoring_version: str
    scoring_rules: str
    """SHA-256 of the rules and the scoring version."""
    fingerprint: str | None = None
    failure_code: str | None = None
    extraction_method: str | None = None
    latency_ms: float | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    est_cost_usd: float | None = None
    pricing_source: str | None = None
    attempts: int = 0
    draws: int = 0
    simulated: bool = False
    created_at: str | None = None

    @property
    def cell(self) -> Cell:
        """Which cell this is the scorecard of."""
        return Cell(self.model_id, self.brief_id, self.sample)

    @property
    def answered(self) -> bool:
        """True when an answer came, usable or not."""
        return self.status in ANSWERED
