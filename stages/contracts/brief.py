"""What is sent to a model: the prompt, and a brief with its expectations (front-matter) and body
(the user message).
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from stages.contracts import yaml_text
from stages.contracts.errors import InputError, Problem, collecting

Complexity = Literal["simple", "moderate", "complex"]
TargetNumber = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_TARGET_SCHEMA = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}},
    ]
}
Alias = Annotated[str, Field(pattern=r"\S")]
_PARTS = re.compile(r"---[^\S\n]*\n(?P<head>(?:.*\n)*?)---[^\S\n]*(?:\n(?P<body>(?s:.*)))?")
"""A brief's file: the front-matter between two lines `---`, and the body."""


def _as_list(value: object) -> object:
    return [value] if isinstance(value, int | float) else value


class Expectations(BaseModel):
    """What a good graph of the brief must have, from the front-matter; a key that is left out has
    its default.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, title="Front-matter of a brief"
    )

    expect_status_quo: bool = Field(
        True, description="An option that keeps things as they are is expected."
    )
    has_numeric_target: bool = Field(
        False, description="The brief names a numeric target, so the goal needs a threshold."
    )
    complexity: Complexity = Field(
        "simple", description="How involved the problem is; used for reporting only."
    )
    target: Annotated[
        tuple[TargetNumber, ...], BeforeValidator(_as_list), WithJsonSchema(_TARGET_SCHEMA)
    ] = Field(
        (),
        strict=False,
        description="The target as a plain number (240000; 9 for 9 %), or a list of numbers that "
        "are all right. A graph with another threshold then fails the fidelity check `target`. "
        "Needs has_numeric_target: true.",
    )
    options: tuple[Annotated[tuple[Alias, ...], Field(min_length=1, strict=False)], ...] = Field(
        (),
        strict=False,
        description="The options that the brief names, each as a list of aliases; a graph keeps an "
        "option if one of its option labels contains every word of an alias.",
    )

    @field_validator("target")
    @classmethod
    def _is_expected(cls, target: tuple[float, ...], info: ValidationInfo) -> tuple[float, ...]:
        if target and info.data.get("has_numeric_target") is False:
            raise ValueError("is only allowed with has_numeric_target: true")
        return target


@dataclass(frozen=True, slots=True)
class Prompt:
    """A system prompt: its path in the repository, its text, and the hash of the file."""

    path: str
    text: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Brief:
    """One brief: `id` is the file name without `.md`, `sha256` the hash of the whole file."""

    id: str
    expectations: Expectations
    body: str
    sha256: str


def parse_brief(brief_id: str, text: str, file: str) -> Brief:
    """The brief in the text of its file; InputError if its front-matter is not as it should be, or
    its body empty.
    """
    parts = _PARTS.fullmatch(text)
    if parts is None and text.partition("\n")[0].rstrip() == "---":
        raise InputError([Problem(file, "front-matter", "has no end: close it with a line ---")])
    if parts is None:
        message = "no front-matter: begin the file with a line ---, the keys, and a line ---"
        raise InputError([Problem(file, "line 1", message)])
    body = (parts["body"] or "").strip()
    problems: list[Problem] = []
    with collecting(problems):
        expectations = yaml_text.record(
            Expectations, parts["head"], file=file, place="front-matter", above=1
        )
    if not body:
        problems.append(
            Problem(file, "body", "is empty: write the decision problem below the front-matter")
        )
    if problems:
        raise InputError(problems)
    return Brief(
        id=brief_id,
        expectations=expectations,
        body=body,
        sha256=hashlib.sha256(text.encode("utf-8")).hexdigest(),
    )
