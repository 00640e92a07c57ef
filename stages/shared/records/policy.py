"""A policy: tries over models of the run with a rule that accepts an answer. It is estimated from
stored answers and ranked like a model.
"""

from typing import Annotated, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from stages.shared.records.model_config import IDENTIFIER, TargetMode, parse_config
from stages.shared.records.record import Array, Record


class PolicyStep(Record):
    """Calls of one model, one after another until an answer is accepted."""

    model_config = ConfigDict(extra="forbid")

    model: str = Field(pattern=f"^{IDENTIFIER.pattern}$")
    """The id of a model config."""
    tries: int = Field(1, ge=1, le=100)
    """Calls at most."""


class MinScore(Record):
    """Accepts a usable graph whose overall score is so high."""

    model_config = ConfigDict(extra="forbid")

    min_score: float = Field(ge=0, le=1)
    """The least overall score, 0 to 1."""


def _kind_of_rule(value: object) -> str:
    """The tag of an acceptance rule, in brackets: it is no part of a path in a message."""
    return "[score]" if isinstance(value, (dict, MinScore)) else "[usable]"


AcceptRule = Annotated[
    Annotated[Literal["usable"], Tag("[usable]")] | Annotated[MinScore, Tag("[score]")],
    Discriminator(_kind_of_rule),
]


class PolicySteps(Record):
    """What a policy calls, and what ends it. The last answer counts where none is accepted."""

    id: str
    accept: AcceptRule
    steps: Array[PolicyStep]

    @property
    def models(self) -> tuple[str, ...]:
        """The ids of its models, each once."""
        return tuple(dict.fromkeys(step.model for step in self.steps))

    def accepts(self, usable: bool, score: float) -> bool:
        """Whether an answer ends the policy; `score` is its expected score."""
        least = 0.0 if self.accept == "usable" else self.accept.min_score
        return usable and score >= least


class Policy(PolicySteps):
    """One file of `policies/`."""

    model_config = ConfigDict(extra="forbid", title="Policy")

    schema_: str | None = Field(None, alias="$schema")
    """For editors."""
    comment: str | None = Field(None, alias="$comment")
    """For people."""
    id: str = Field(pattern=f"^{IDENTIFIER.pattern}$")
    """Equal to the file name without .json, and no model's id."""
    display_name: str = Field(min_length=1, max_length=100)
    """The name in reports."""
    target_mode: TargetMode
    """The mode that the policy is a candidate for."""
    accept: AcceptRule = "usable"
    """What ends it: a usable graph, or one of such a score."""
    steps: Array[PolicyStep] = Field(min_length=1, max_length=20)

    @property
    def written_out(self) -> PolicySteps:
        """What it calls, for those who run it."""
        return PolicySteps(id=self.id, accept=self.accept, steps=self.steps)


def parse_policy(policy_id: str, text: str, file: str) -> Policy:
    """The policy in the text of its file; InputError has all problems."""
    return parse_config(Policy, policy_id, text, file, template="policies/_template.json")
