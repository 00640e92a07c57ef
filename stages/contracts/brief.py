"""What is sent to a model: the prompt, and a brief with its expectations (front-matter) and body (the user message)."""

import hashlib
import re
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from stages.contracts import yaml_text
from stages.contracts.errors import InputError, Problem, problems_of

Complexity = Literal["simple", "moderate", "complex"]
Target = Annotated[float, Field(gt=0, allow_inf_nan=False)]
TARGET_SCHEMA = {
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
    """What a good graph of the brief must have, from the front-matter; a key that is left out has its default."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, title="Front-matter of a brief")

    expect_status_quo: bool = Field(True, description="An option that keeps things as they are is expected.")
    has_numeric_target: bool = Field(
        False, description="The brief names a numeric target, so the goal needs a threshold."
    )
    complexity: Complexity = Field("simple", description="How involved the problem is; used for reporting only.")
    target: Annotated[tuple[Target, ...], BeforeValidator(_as_list), WithJsonSchema(TARGET_SCHEMA)] = Field(
        (),
        strict=False,
        description="The target as a plain number (240000; 9 for 9 %), or a list of numbers that are all right. A graph with "
        "another threshold then fails the fidelity check `target`. Needs has_numeric_target: true.",
    )
    options: tuple[Annotated[tuple[Alias, ...], Field(min_length=1, strict=False)], ...] = Field(
        (),
        strict=False,
        description="The options that the brief names, each as a list of aliases; a graph keeps an option if one of its "
        "option labels contains every word of an alias.",
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


class Brief(BaseModel):
    """One brief: `id` is the file name without `.md`, `sha256` the hash of the whole file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    expectations: Expectations
    body: str
    sha256: str


def parse_brief(brief_id: str, text: str, file: str) -> Brief:
    """The brief that the text of its file holds.

    Args:
        brief_id: The file name without `.md`.
        text: The whole file, with line ends as they are in it.
        file: The path to name in messages.

    Raises:
        InputError: no front-matter, front-matter that is not as it should be, or an empty body.
    """
    parts = _PARTS.fullmatch(text)
    if parts is None and text.partition("\n")[0].rstrip() == "---":
        raise InputError([Problem(file, "front-matter", "has no end: close it with a line ---")])
    if parts is None:
        message = "no front-matter: begin the file with a line ---, the keys, and a line ---"
        raise InputError([Problem(file, "line 1", message)])
    body = (parts["body"] or "").strip()
    try:
        loaded = yaml_text.parse(parts["head"])
    except yaml_text.NotYaml as error:
        where = f"line {error.line + 1}" if error.line else "front-matter"
        raise InputError([Problem(file, where, f"the front-matter is not YAML: {error}")]) from None
    problems: list[Problem] = []
    expectations = Expectations()
    if loaded is not None and not isinstance(loaded, dict):
        problems.append(Problem(file, "front-matter", "must be a list of `key: value` lines"))
    else:
        try:
            expectations = Expectations.model_validate(loaded or {})
        except ValidationError as error:
            problems += problems_of(error, Expectations, file=file)
    if not body:
        problems.append(Problem(file, "body", "is empty: write the decision problem below the front-matter"))
    if problems:
        raise InputError(problems)
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    return Brief(id=brief_id, expectations=expectations, body=body, sha256=digest)
