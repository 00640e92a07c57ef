"""The scored cell: a line of `results/scorecards.jsonl` as every analysis reads it. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeVar

from graph_evaluator.records.brief import Complexity
from graph_evaluator.records.response import ANSWERED, Cell, CellCost, Measured, Status
from graph_evaluator.records.scorecard import DIMENSIONS, CheckOutcome, Dimension, Scorecard

Outcome = Status | Literal["usable", "unchecked", "unfaithful", "invalid"]
_WORST_FIRST: tuple[CheckOutcome, ...] = ("fail", "warn", "pass", "not_applicable")
Grouped = TypeVar("Grouped")
Key = TypeVar("Key", str, tuple[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredCell:
    """A cell with its scores, 0 to 1, and without the evidence for them.

    * expected_score: that of a usable graph; 0 where the model failed, None where no answer came
    * overall_score, dimensions, sub_scores (by DIMENSION.NAME): of every valid graph
    * default_share: of its causal edges those at the default parameters; None without any
    * content: the share of the brief's stated effects that a valid graph has right
    * coded: the share of the labels that could name a concept or option which the codebook holds
    * codebook_sha256: the hash of the codes by which the labels were read; None without a codebook
    * codes: what makes the graph unusable: the status, else violations with repeats, else the
      fidelity checks that failed; empty for a usable graph
    * fidelity: the worst outcome of the fidelity checks: fail, warn, unchecked or pass; None
      without a valid graph
    * noticed_checks: those that failed or warned
    * input: the beginning of the input of traffic; empty for a cell of a brief
    * unchecked: whether its graph is usable and nothing could compare it with its brief
    """

    model_id: str
    brief_id: str
    sample: int
    status: Status
    complexity: Complexity
    structural_valid: bool
    usable: bool
    expected_score: float | None
    overall_score: float | None
    content: float | None
    coded: float | None
    codebook_sha256: str | None
    dimensions: Mapping[Dimension, float]
    sub_scores: Mapping[str, float]
    default_share: float | None
    codes: tuple[str, ...]
    violation_codes: tuple[str, ...]
    warning_codes: tuple[str, ...]
    fidelity: CheckOutcome | Literal["unchecked"] | None
    noticed_checks: tuple[str, ...]
    unchecked: bool
    node_count: int | None
    edge_count: int | None
    scoring_version: str
    scoring_rules: str
    fingerprint: str | None
    failure_code: str | None
    extraction_method: str | None
    draws: int
    measured: Measured
    cost: CellCost
    input: str = ""

    @property
    def cell(self) -> Cell:
        """The cell that was scored."""
        return Cell(self.model_id, self.brief_id, self.sample)

    @property
    def answered(self) -> bool:
        """Whether an answer arrived, usable or not."""
        return self.status in ANSWERED

    @property
    def score(self) -> float:
        """What it counts: the expected score of a usable graph, else 0."""
        return self.expected_score or 0.0 if self.usable else 0.0

    @property
    def counted_content(self) -> float | None:
        """What it counts as content, where its brief states effects: that of a usable graph, 0 of
        an answer without one; None where no answer came, or the labels could not be read.
        """
        return self.content if self.usable or not self.answered else 0.0

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


def scored_cell(card: Scorecard) -> ScoredCell:
    """The scored cell of a scorecard."""
    fidelity: CheckOutcome | Literal["unchecked"] | None = min(
        (check.outcome for check in card.fidelity), key=_WORST_FIRST.index, default=None
    )
    if card.unchecked and fidelity != "warn":
        fidelity = "unchecked"
    dimensions = {name: getattr(card, name) for name in DIMENSIONS}
    noticed = [check.name for check in card.fidelity if check.outcome in ("fail", "warn")]
    return ScoredCell(
        model_id=card.model_id,
        brief_id=card.brief_id,
        sample=card.sample,
        status=card.status,
        complexity=card.complexity,
        structural_valid=card.structural_valid,
        usable=card.usable,
        expected_score=card.expected_score,
        overall_score=card.overall_score,
        content=card.content,
        coded=card.coded,
        codebook_sha256=card.codebook_sha256,
        violation_codes=card.violation_codes,
        node_count=card.node_count,
        edge_count=card.edge_count,
        scoring_version=card.scoring_version,
        scoring_rules=card.scoring_rules,
        fingerprint=card.fingerprint,
        failure_code=card.failure_code,
        extraction_method=card.extraction_method,
        draws=card.draws,
        measured=card.measured,
        cost=card.cost,
        input=card.input,
        dimensions={name: value for name, value in dimensions.items() if value is not None},
        sub_scores={
            f"{dimension}.{sub.name}": sub.value
            for dimension, subs in card.sub_scores.items()
            for sub in subs
        },
        default_share=_default_share(card),
        codes=_codes(card),
        warning_codes=tuple(warning.code for warning in card.warnings),
        fidelity=fidelity,
        noticed_checks=tuple(noticed),
        unchecked=card.unchecked,
    )


def _codes(card: Scorecard) -> tuple[str, ...]:
    if card.usable:
        return ()
    if card.status != "success":
        return (card.status,)
    if not card.structural_valid:
        return card.violation_codes
    return tuple(check.name for check in card.fidelity if check.outcome == "fail")


def _default_share(card: Scorecard) -> float | None:
    for subs in card.sub_scores.values():
        for sub in subs:
            defaults, edges = sub.counted.get("defaults"), sub.counted.get("causal_edges")
            if isinstance(defaults, int) and isinstance(edges, int) and edges:
                return defaults / edges
    return None


def group(values: Iterable[Grouped], key: Callable[[Grouped], Key]) -> dict[Key, list[Grouped]]:
    """The values by key, the keys sorted, the values of a key in their order."""
    return {name: list(same) for name, same in groupby(sorted(values, key=key), key=key)}
