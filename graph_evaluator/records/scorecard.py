"""What `score` writes: for each response a scorecard, with verdict, scores and their evidence. What
its codes mean is in `codes.toml`.
"""

import tomllib
from importlib.resources import files
from typing import Literal, NamedTuple, get_args

from pydantic import Field

from graph_evaluator.records.brief import Complexity
from graph_evaluator.records.json_text import JsonValue
from graph_evaluator.records.record import Array, FlatRecord, Omitted, Record
from graph_evaluator.records.response import Cell, CellCost, Measured, Status

Dimension = Literal["param_quality", "option_diff", "completeness"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)

CheckName = Literal[
    "grounding",
    "prompt_copy",
    "target",
    "numbers",
    "direction",
    "options_kept",
    "twin_options",
    "duplicate_labels",
    "result_signs",
    "effects",
]
CHECKS: tuple[CheckName, ...] = get_args(CheckName)
"""All fidelity checks, in the order of their results."""
FailingCheck = Literal["grounding", "prompt_copy", "target", "result_signs", "effects"]
"""The checks that can fail; the others warn at most."""
CheckOutcome = Literal["pass", "warn", "fail", "not_applicable"]
EffectOutcome = Literal["right", "wrong", "no_path", "missing"]
EFFECT_OUTCOMES: tuple[EffectOutcome, ...] = get_args(EffectOutcome)
"""`no_path`: nothing leads from the cause to the target, or no net effect; `missing`: the graph has
no label for one of the two.
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
    """One sub-dimension: value in 0..1 (higher is better), weight, what was counted, and a sentence
    that states it.
    """

    name: str
    value: float
    weight: float
    counted: dict[str, JsonValue]
    message: str


class Passage(Record):
    """A part of a brief's body: its text and its offsets in characters, the end not included."""

    text: str
    start: int
    end: int


class CheckResult(Record):
    """The outcome of one fidelity check: a deterministic test of whether a graph belongs to its
    brief.

    `not_applicable` is not a pass: the check had nothing to compare. The sentence `message` is
    about `labels` (or ids, or missing options of the front-matter) and `numbers`; `passages` are
    the first places in the brief that show it. `share` is what the check measured, 0 to 1, higher
    is better; None where it measures none.
    """

    name: CheckName
    outcome: CheckOutcome
    message: str
    labels: Array[str] = ()
    numbers: Array[float] = ()
    passages: Array[Passage] = ()
    share: float | None = None


class EffectResult(Record):
    """What a graph says about an effect that its brief's front-matter states.

    `value` is the effect by the graph's own numbers, positive where the target rises with the
    cause; None where it is missing. `coded`: both labels are in the codebook.
    """

    effect: str
    outcome: EffectOutcome
    value: float | None = None
    coded: bool = False


class Scorecard(FlatRecord):
    """One line of `results/scorecards.jsonl`.

    Scores are in 0..1, unrounded, higher is better; None when the graph is structurally invalid or
    there is none. A graph is `usable` when it is structurally valid and no fidelity check that
    counts failed. `expected_score` is `overall_score` of a usable graph, 0.0 where the failure is
    the model's (unparseable, truncated, refused, invalid, not of its brief), None where no answer
    arrived. The sum of value x weight over a dimension's sub-scores is the dimension.
    `scoring_rules` is the SHA-256 of the rules and the scoring version; `prompt_sha256` and
    `brief_sha256` are those of the files that the fidelity checks compared the graph with.
    `content` is the share of the effects stated in the brief's front-matter that the graph has
    right, and `effects` are their results; `coded` is the share of the labels that could name a
    concept or a stated option that the brief's codebook holds, and `codebook_sha256` the hash of
    its codes. None and empty where no effect is stated, for an invalid graph, and for labels in
    another language.
    """

    PARTS = ("measured", "cost")

    model_id: str
    brief_id: str
    sample: int
    status: Status
    traffic: Omitted[bool] = False
    """The answer to an input that no brief has, scored form only: part of no total."""
    input: Omitted[str] = ""
    """The beginning of that input."""
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
    violations: Array[Finding] = ()
    warnings: Array[Finding] = ()
    sub_scores: dict[Dimension, Array[SubScore]] = Field(default_factory=dict)
    fidelity: Array[CheckResult] = ()
    content: float | None = None
    coded: float | None = None
    effects: Array[EffectResult] = ()
    complexity: Complexity
    scoring_version: str
    scoring_rules: str
    fingerprint: str | None = None
    failure_code: str | None = None
    extraction_method: str | None = None
    draws: int = 0
    measured: Measured = Measured()
    cost: CellCost = CellCost()
    prompt_sha256: str | None = None
    brief_sha256: str | None = None
    codebook_sha256: str | None = None

    @property
    def cell(self) -> Cell:
        """The cell that was scored."""
        return Cell(self.model_id, self.brief_id, self.sample)

    @property
    def effect_counts(self) -> dict[EffectOutcome, int]:
        """How many of the stated effects have each outcome."""
        outcomes = [result.outcome for result in self.effects]
        return {outcome: outcomes.count(outcome) for outcome in EFFECT_OUTCOMES}

    @property
    def unchecked(self) -> bool:
        """True for a usable graph whose words could not be compared with those of its brief."""
        outcomes = {check.name: check.outcome for check in self.fidelity}
        return self.usable and outcomes.get("grounding") == "not_applicable"


class Code(NamedTuple):
    """What a code means, and what to do about it."""

    meaning: str
    fix: str


_TABLES = tomllib.loads(files("graph_evaluator.records").joinpath("codes.toml").read_text("utf-8"))
SENTENCES: dict[str, list[str]] = _TABLES.pop("sentences")
"""What a finding says about one thing, and about several."""
_GROUPS = {
    group: {code: Code(**texts) for code, texts in codes.items()}
    for group, codes in _TABLES.items()
}
VIOLATIONS, WARNINGS = _GROUPS["violations"], _GROUPS["warnings"]
CODES = {code: texts for codes in _GROUPS.values() for code, texts in codes.items()}


def meaning_of(code: str) -> Code:
    """What a status, a violation or a warning means, and what to do about it; an unknown code
    says so.
    """
    return CODES.get(code, Code("There is no description of this code.", "See the cell's page."))


def code_name(code: str) -> str:
    """The readable name of a code.

    >>> code_name("CYCLE_DETECTED"), code_name("parse_failed")
    ('Cycle detected', 'Parse failed')
    """
    return code.replace("_", " ").capitalize()


"""Statuses, and names of fidelity checks and sub-scores, too."""
