"""A brief: one decision problem, its expectations (front-matter) and the body that is sent as the user message."""

import hashlib
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from stages.contracts import yaml_text
from stages.contracts.errors import InputError, Problem, problems_of

Complexity = Literal["simple", "moderate", "complex"]


class Expectations(BaseModel):
    """What a good graph of the brief must have, from the front-matter; a key that is left out has its default."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, title="Front-matter of a brief")

    expect_status_quo: bool = Field(True, description="An option that keeps things as they are is expected.")
    has_numeric_target: bool = Field(
        False, description="The brief names a numeric target, so the goal needs a threshold."
    )
    complexity: Complexity = Field("simple", description="How involved the problem is; used for reporting only.")


class Brief(BaseModel):
    """One brief: `id` is the file name without `.md`, `sha256` the hash of the whole file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    expectations: Expectations
    body: str
    sha256: str


def parse_brief(brief_id: str, text: str, *, file: str) -> Brief:
    """The brief that the text of its file holds.

    Args:
        brief_id: The file name without `.md`.
        text: The whole file, with line ends as they are in it.
        file: The path to name in messages.

    Raises:
        InputError: no front-matter, front-matter that is not as it should be, or an empty body.
    """
    head, separator, body = _split(text)
    if not separator and text.partition("\n")[0].rstrip() == "---":
        raise InputError([Problem(file, "front-matter", "has no end: close it with a line ---")])
    if not separator:
        raise InputError(
            [Problem(file, "line 1", "no front-matter: begin the file with a line ---, the keys, and a line ---")]
        )
    try:
        loaded = yaml_text.parse(head)
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
    if not body.strip():
        problems.append(Problem(file, "body", "is empty: write the decision problem below the front-matter"))
    if problems:
        raise InputError(problems)
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    return Brief(id=brief_id, expectations=expectations, body=body.strip(), sha256=digest)


def _split(text: str) -> tuple[str, str, str]:
    first, newline, rest = text.partition("\n")
    if first.rstrip() != "---" or not newline:
        return "", "", text
    head: list[str] = []
    lines = rest.split("\n")
    for index, line in enumerate(lines):
        if line.rstrip() == "---":
            return "\n".join(head), "---", "\n".join(lines[index + 1 :])
        head.append(line)
    return "", "", text
