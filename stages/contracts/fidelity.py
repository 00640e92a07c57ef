"""The result of a fidelity check: a deterministic test of whether a graph belongs to its brief."""

from dataclasses import dataclass
from typing import Literal

CheckName = Literal[
    "grounding", "prompt_copy", "target", "numbers", "direction", "options_kept", "twin_options", "duplicate_labels"
]
CHECKS: tuple[CheckName, ...] = (
    "grounding", "prompt_copy", "target", "numbers", "direction", "options_kept", "twin_options", "duplicate_labels",
)  # fmt: skip
"""All checks, in the order of their results."""
FAILING_CHECKS: tuple[CheckName, ...] = ("grounding", "prompt_copy", "target")
"""The checks that can fail; the others warn at most."""

Outcome = Literal["pass", "warn", "fail", "not_applicable"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a brief's body: its text and its offsets in characters, the end not included."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The outcome of one check of one graph, with its evidence.

    Attributes:
        name: The check.
        outcome: `not_applicable` is not a pass: the check had nothing to look at, and `message` says why.
        message: One sentence.
        labels: Labels (or ends of edges) that the message is about, as the model wrote them: hostile text.
        numbers: Numbers of the graph that the message is about.
        passages: Where in the brief the evidence is; the first few places.
        share: The measured share from 0 to 1, for checks that compare one with a threshold; else None.
    """

    name: CheckName
    outcome: Outcome
    message: str
    labels: tuple[str, ...] = ()
    numbers: tuple[float, ...] = ()
    passages: tuple[Passage, ...] = ()
    share: float | None = None
