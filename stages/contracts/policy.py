"""A policy: tries over models of the run with a rule that accepts an answer. It is estimated from
stored answers and ranked like a model.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import (
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from stages.contracts.model_config import IDENTIFIER, TargetMode, parse_config
from stages.contracts.record import Array, FlatRecord, Record


class PolicyStep(FlatRecord):
    """Calls of one model: `tries` one after another until an answer is accepted, or `best_of` at
    once, of which the best counts.
    """

    OMITTED = ("tries", "best_of", "repair")
    model_config = ConfigDict(extra="forbid")

    model: str = Field(pattern=f"^{IDENTIFIER.pattern}$")
    """The id of a model config."""
    tries: int | None = Field(None, ge=1, le=100)
    """Calls, one after another; 1 where nothing is given."""
    best_of: int | None = Field(None, ge=1, le=100)
    """Instead: calls at once, of which the best score counts."""
    repair: bool = False
    """Whether an answer without a valid graph is sent back once, with what is wrong with it. The
    run needs generate.repair: 1.
    """

    @model_validator(mode="after")
    def _one_of_the_two(self) -> "PolicyStep":
        if self.best_of is not None and self.tries is not None:
            raise ValueError("takes tries or best_of, not both")
        return self

    @property
    def rounds(self) -> tuple[int, ...]:
        """The calls of each round: the next round is called if the one before is not accepted."""
        return (1,) * (self.tries or 1) if self.best_of is None else (self.best_of,)

    @property
    def calls(self) -> int:
        """Answers at most, a repaired one counted once."""
        return sum(self.rounds)


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

    @property
    def repaired_models(self) -> frozenset[str]:
        """The ids of the models whose answers it sends back."""
        return frozenset(step.model for step in self.steps if step.repair)

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

    @model_validator(mode="after")
    def _repairs_all_answers_of_a_model(self) -> "Policy":
        plain = {step.model for step in self.steps if not step.repair}
        for model in sorted(self.repaired_models & plain):
            raise ValueError(f"steps: all steps of {model} take repair, or none")
        return self

    @property
    def written_out(self) -> PolicySteps:
        """What it calls, for those who run it."""
        return PolicySteps(id=self.id, accept=self.accept, steps=self.steps)


@dataclass(frozen=True, slots=True)
class ChosenPolicies:
    """The policies that a run can estimate, by id, and those that it cannot, as a pattern matches
    them and not all of their models take part.
    """

    policies: tuple[Policy, ...] = ()
    left_out: tuple[Policy, ...] = ()


def parse_policy(policy_id: str, text: str, file: str) -> Policy:
    """The policy in the text of its file; InputError has all problems."""
    return parse_config(Policy, policy_id, text, file, template="policies/_template.json")
