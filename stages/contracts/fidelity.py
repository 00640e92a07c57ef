"""The result of a fidelity check: a deterministic test of whether a graph belongs to its brief."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from stages.contracts.record import Record

CheckName = Literal[
    "grounding", "prompt_copy", "target", "numbers", "direction", "options_kept", "twin_options", "duplicate_labels"
]
CHECKS: tuple[CheckName, ...] = get_args(CheckName)
"""All checks, in the order of their results."""
FailingCheck = Literal["grounding", "prompt_copy", "target"]
FAILING_CHECKS: tuple[FailingCheck, ...] = get_args(FailingCheck)
"""The checks that can fail; the others warn at most."""

Outcome = Literal["pass", "warn", "fail", "not_applicable"]


class Passage(Record):
    """A part of a brief's body: its text and its offsets in characters, the end not included."""

    text: str
    start: int
    end: int


class CheckResult(Record):
    """The outcome of one check of one graph, with its evidence."""

    name: CheckName
    outcome: Outcome
    """`not_applicable` is not a pass: the check had nothing to compare, and `message` says why."""
    message: str
    """One sentence."""
    labels: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """What the message is about: labels or ids as the model wrote them, or the options of the front-matter that are missing."""
    numbers: Annotated[tuple[float, ...], Field(strict=False)] = ()
    """Numbers of the graph that the message is about."""
    passages: Annotated[tuple[Passage, ...], Field(strict=False)] = ()
    """Where in the brief the evidence is, the first few places."""
    share: float | None = None
    """The share from 0 to 1 that the check measured, higher is better; None where it measures none."""
