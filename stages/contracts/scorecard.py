"""A scorecard: what `score` writes for a response, that is, the verdict, the scores and the evidence for each of them."""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field, model_validator

from stages.contracts.brief import Complexity
from stages.contracts.cell import Measured
from stages.contracts.fidelity import CheckResult
from stages.contracts.json_text import JsonValue
from stages.contracts.record import Record
from stages.contracts.response import CellRecord

Dimension = Literal["param_quality", "option_diff", "completeness"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)


class EdgeRef(Record):
    """An edge by its index in the answer (from 0) and its ends; an end that is no string is shown as its JSON text."""

    index: int
    source: str = Field(alias="from")
    target: str = Field(alias="to")


class Finding(Record):
    """A violation (makes the graph invalid) or a warning (changes no score): a sentence, and the nodes and edges concerned."""

    code: str
    message: str
    nodes: Annotated[tuple[str, ...], Field(strict=False)] = ()
    edges: Annotated[tuple[EdgeRef, ...], Field(strict=False)] = ()
    path: str | None = None


class SubScore(Record):
    """One sub-dimension: value in 0..1 (higher is better), weight, what was counted, and a sentence that states it."""

    name: str
    value: float
    weight: float
    counted: dict[str, JsonValue]
    message: str


class Scorecard(CellRecord):
    """One line of `results/scorecards.jsonl`.

    Scores are in 0..1, unrounded, higher is better; None when the graph is structurally invalid or there is none.
    A graph is `usable` when it is structurally valid and no fidelity check that counts failed. `expected_score` is
    `overall_score` of a usable graph, 0.0 where the failure is the model's (unparseable, truncated, refused, invalid, not of
    its brief), None where no answer arrived. The sum of value x weight over a dimension's sub-scores is the dimension.
    `prompt_sha256` and `brief_sha256` are the files that the fidelity checks compared the graph with.
    """

    PARTS = ("measured",)

    structural_valid: bool
    usable: bool
    violation_codes: Annotated[tuple[str, ...], Field(strict=False)]
    param_quality: float | None
    option_diff: float | None
    completeness: float | None
    overall_score: float | None
    expected_score: float | None
    node_count: int | None
    edge_count: int | None
    violations: Annotated[tuple[Finding, ...], Field(strict=False)] = ()
    warnings: Annotated[tuple[Finding, ...], Field(strict=False)] = ()
    sub_scores: dict[Dimension, Annotated[tuple[SubScore, ...], Field(strict=False)]] = Field(default_factory=dict)
    fidelity: Annotated[tuple[CheckResult, ...], Field(strict=False)] = ()
    complexity: Complexity
    scoring_version: str
    scoring_rules: str
    """SHA-256 of the rules and the scoring version."""
    fingerprint: str | None = None
    failure_code: str | None = None
    extraction_method: str | None = None
    measured: Measured = Measured()
    prompt_sha256: str | None = None
    brief_sha256: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _usable_without_checks(cls, value: Any) -> Any:  # noqa: ANN401 - whatever is to be read
        """Version 0.1 made no fidelity checks: there, a valid graph is a usable one."""
        return {"usable": value.get("structural_valid"), **value} if isinstance(value, dict) else value

    @property
    def fidelity_codes(self) -> tuple[str, ...]:
        """The names of the fidelity checks that failed or warned, in their order."""
        return tuple(check.name for check in self.fidelity if check.outcome in ("fail", "warn"))
