"""What `score` writes: for each response a scorecard, with verdict, scores and evidence."""

from collections.abc import Mapping
from typing import Literal, get_args

from pydantic import Field

from graph_evaluator.records.brief import Complexity
from graph_evaluator.records.recommendation import Recommendation
from graph_evaluator.records.record import Array, FlatRecord, Omitted, Record
from graph_evaluator.records.response import ANSWERED, Cell, CellCost, Measured, Status, Usage

Dimension = Literal["param_quality", "option_diff", "completeness"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
DIMENSION_WEIGHTS: Mapping[Dimension, float] = {
    "param_quality": 0.30,
    "option_diff": 0.30,
    "completeness": 0.40,
}
"""What each dimension contributes to the overall score."""

CheckName = Literal[
    "grounding",
    "prompt_copy",
    "target",
    "direction",
    "options_kept",
    "result_signs",
    "effects",
]
CHECKS: tuple[CheckName, ...] = get_args(CheckName)
"""All fidelity checks, in the order of their results."""
FailingCheck = Literal["grounding", "prompt_copy", "target", "result_signs", "effects"]
"""The checks that can fail; the others warn at most."""
CheckOutcome = Literal["pass", "warn", "fail", "not_applicable"]
EffectOutcome = Literal["right", "wrong", "missing"]
EFFECT_OUTCOMES: tuple[EffectOutcome, ...] = get_args(EffectOutcome)
"""`missing`: the graph has no label for one of the two, or nothing leads from the one to the
other.
"""


class EdgeRef(Record):
    """An edge by its index in the answer (from 0) and its ends; an end that is no string is shown
    as its JSON text.
    """

    index: int
    source: str = Field(alias="from")
    target: str = Field(alias="to")


class Finding(Record):
    """A violation (makes the graph invalid) or a warning (changes no score): a sentence, and the
    nodes and edges concerned.
    """

    code: str
    message: str
    nodes: Array[str] = ()
    edges: Array[EdgeRef] = ()
    path: str | None = None


class SubScore(Record):
    """One sub-score: value in 0..1 (higher is better), weight, a sentence that states what was
    counted, and the nodes and edges that cost marks.
    """

    name: str
    value: float
    weight: float
    message: str
    nodes: Array[str] = ()
    edges: Array[EdgeRef] = ()


class CheckResult(Record):
    """The outcome of one fidelity check: a deterministic test of whether a graph belongs to its
    brief.

    `not_applicable` is not a pass: the check had nothing to compare. The sentence `message` is
    about `labels` (or ids, or missing options of the front-matter). `share` is what the check
    measured, 0 to 1, higher is better; None where it measures none.
    """

    name: str
    outcome: CheckOutcome
    message: str
    labels: Array[str] = ()
    share: float | None = None


class EffectResult(Record):
    """What a graph says about an effect that its brief's front-matter states.

    `value` is the effect by the graph's own numbers, positive where the target rises with the
    cause; None where the graph has no label for what is `unnamed`. `nodes` are the ids of the cause
    and the target with this effect, or of those that have a label.
    """

    effect: str
    outcome: EffectOutcome
    value: float | None = None
    unnamed: Array[str] = ()
    nodes: Omitted[Array[str]] = ()


class DecidingNumber(Record):
    """A single number of a graph that would change the recommended option.

    `message` says it in words, `edge` is the edge that has the number: None where no edge leads
    from the option to the factor that it sets.
    """

    message: str
    edge: EdgeRef | None = None


Outcome = Status | Literal["usable", "unchecked", "unfaithful", "invalid"]


class ScoredCell(FlatRecord):
    """A line of `results/scorecards.jsonl` without its evidence: the one record of a scored cell
    that report, compare and settle read.

    Scores are in 0..1, unrounded, higher is better; None where the graph is structurally invalid or
    there is none.

    * usable: structurally valid, and no fidelity check failed that counts
    * expected_score: `overall_score` of a usable graph; 0.0 where the failure is the model's
      (unparseable, truncated, refused, invalid, not of its brief); None where no answer arrived
    * sub_score_values: by DIMENSION.NAME
    * checks: the outcome of each fidelity check and of each check of the team's own
    * own_checks: what the team's own checks gave: True, False, a number from 0 to 1, or None
    * states_effects, exact_names: what the brief has, also for a cell without a graph
    * content: the share of the brief's stated effects that a valid graph has right, and
      effect_counts their outcomes; None and empty where it is not measured, as neither the names
      are exact nor nine tenths of the labels are coded; `codebook_sha256` is the hash of the codes
    * drawn_effects: how many effects between concepts the graph of a brief with exact names has;
      invented_effects: those of them that do not follow from the stated ones
    * recommendation: None for an invalid graph, and where no option changes the goal
    * right_choice: whether a valid graph recommends the option that the brief states to be the
      best, or, where it states none, no option that it excludes; None where it states neither
    * asked_model: the name that the request has
    * scoring_rules: the SHA-256 of the rules and the scoring version
    """

    PARTS = ("measured", "cost")

    model_id: str
    brief_id: str
    sample: int
    status: Status
    structural_valid: bool
    usable: bool
    violation_codes: Array[str]
    param_quality: float | None
    option_diff: float | None
    completeness: float | None
    overall_score: float | None
    expected_score: float | None
    node_count: int | None
    edge_count: int | None
    warning_codes: Array[str]
    sub_score_values: dict[str, float]
    checks: dict[str, CheckOutcome]
    own_checks: dict[str, bool | float | None] = Field({})
    states_effects: bool = False
    exact_names: bool = False
    content: float | None = None
    effect_counts: dict[EffectOutcome, int] = Field({})
    drawn_effects: int | None = None
    invented_effects: int | None = None
    recommendation: Recommendation | None = None
    right_choice: bool | None = None
    complexity: Complexity
    scoring_version: str
    scoring_rules: str
    asked_model: str | None = None
    fingerprint: str | None = None
    failure_code: str | None = None
    extraction_method: str | None = None
    draws: int = 0
    measured: Measured = Measured()
    cost: CellCost = CellCost()
    codebook_sha256: str | None = None

    @property
    def cell(self) -> Cell:
        """The cell that was scored."""
        return Cell(self.model_id, self.brief_id, self.sample)

    @property
    def answered(self) -> bool:
        """Whether an answer arrived, usable or not."""
        return self.status in ANSWERED

    @property
    def dimensions(self) -> dict[Dimension, float]:
        """The scores of the dimensions; empty without a valid graph."""
        values = {name: getattr(self, name) for name in DIMENSIONS}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def form(self) -> float:
        """The form of a usable graph, else 0."""
        return self.expected_score or 0.0 if self.usable else 0.0

    @property
    def counted_content(self) -> float | None:
        """Its content in every mean: that of a usable graph, None where it is not measured, and 0
        of an answer without one. None without an answer, and where its brief states no effects.
        """
        if not (self.states_effects and self.answered):
            return None
        return self.content if self.usable else 0.0

    @property
    def invented_share(self) -> float | None:
        """The share of the effects between concepts that are invented; None without any."""
        return (self.invented_effects or 0) / self.drawn_effects if self.drawn_effects else None

    @property
    def own_measures(self) -> dict[str, float]:
        """The numbers from 0 to 1 that the team's own checks gave; True and False are none."""
        return {name: value for name, value in self.own_checks.items() if type(value) is float}

    @property
    def content_is_unmeasured(self) -> bool:
        """Whether its graph is usable, its brief states effects, and its content is not known."""
        return self.usable and self.states_effects and self.content is None

    @property
    def recorded(self) -> bool:
        """Whether its answer comes from a file."""
        return self.measured.endpoint == "recorded"

    @property
    def unchecked(self) -> bool:
        """Whether its graph is usable and its words could not be compared with the brief's."""
        return self.usable and self.checks.get("grounding") == "not_applicable"

    @property
    def outcome(self) -> Outcome:
        """In one word: usable, unchecked (usable, but nothing could compare it with its brief),
        unfaithful (valid, but a fidelity check failed), invalid, or the status.
        """
        if self.status != "success":
            return self.status
        if self.unchecked:
            return "unchecked"
        if self.usable:
            return "usable"
        return "unfaithful" if self.structural_valid else "invalid"

    @property
    def codes(self) -> tuple[str, ...]:
        """Why there is no usable graph: the status, else the violations with repeats, else the
        fidelity checks that failed; empty for a usable graph.
        """
        if self.usable:
            return ()
        if self.status != "success":
            return (self.status,)
        if not self.structural_valid:
            return self.violation_codes
        return tuple(name for name, outcome in self.checks.items() if outcome == "fail")

    @property
    def noticed_checks(self) -> tuple[str, ...]:
        """The checks that failed or warned."""
        return tuple(name for name, outcome in self.checks.items() if outcome in ("fail", "warn"))


class Scorecard(ScoredCell):
    """A line of `results/scorecards.jsonl`: a scored cell with the evidence for its scores.

    `effects` are the results of the stated effects, none where content is not measured, and
    `invented` the invented ones. `deciding` are the single numbers that would change the
    recommendation, the most influential first. The sum of value x weight over a dimension's
    sub-scores is the dimension.
    """

    violations: Array[Finding] = ()
    warnings: Array[Finding] = ()
    sub_scores: dict[Dimension, Array[SubScore]] = Field(default_factory=dict)
    fidelity: Array[CheckResult] = ()
    effects: Array[EffectResult] = ()
    invented: Array[str] = ()
    deciding: Array[DecidingNumber] = ()


RESERVED_NAMES = frozenset({
    *CHECKS, *DIMENSIONS, *ScoredCell.model_fields, *Measured.model_fields, *Usage.model_fields,
    *CellCost.model_fields, "run_id", "target_mode", "warnings", "fidelity", "fidelity_codes",
    "unchecked", "recommended", "margin", "certainty",
    *(f"effects_{outcome}" for outcome in EFFECT_OUTCOMES),
})  # fmt: skip
"""The columns of `scores.csv` and the fidelity checks: a team's own check has another name."""
