"""The base of every record that is read from or written to a file, and the number with its interval
that many of them hold.
"""

import operator
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from stages.shared.records.errors import InputError, Problem, input_error, read_as
from stages.shared.records.json_text import JsonValue, NotJson, parse

Element = TypeVar("Element")
Read = TypeVar("Read", bound=BaseModel)
Array = Annotated[tuple[Element, ...], Field(strict=False)]
"""A tuple, which a file holds as an array."""
Omitted = Annotated[Element, Field(exclude_if=operator.not_)]
"""A value whose key is not written where it is empty."""


LATER = "later"
"""Marks a key that is younger than the hashes that cover its record: `Annotated[int, LATER]`."""


def hashed_values(record: BaseModel) -> dict[str, JsonValue]:
    """What a hash covers of a record: every key, but one marked `LATER` only beside its default.

    So a new key with a default leaves the hashes of everything that does not use it as they were.
    """
    values: dict[str, JsonValue] = record.model_dump(mode="json", by_alias=True)
    for name, field in type(record).model_fields.items():
        key = field.serialization_alias or name
        value = getattr(record, name)
        is_default = value == field.get_default(call_default_factory=True)
        if is_default and LATER in field.metadata:
            values.pop(key, None)
        elif isinstance(value, BaseModel) and key in values:
            values[key] = hashed_values(value)
    return values


class WrittenRecord(BaseModel):
    """The base of what a person writes: frozen, with strict types, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Record(BaseModel):
    """A frozen record. Types are strict: text is never read as a number. Keys that it does not know
    are ignored.
    """

    model_config = ConfigDict(frozen=True, strict=True, populate_by_name=True, extra="ignore")

    def to_json(self) -> dict[str, JsonValue]:
        """The JSON object of the record, keys in the order of its fields."""
        return self.model_dump(by_alias=True)


class FlatRecord(Record):
    """A record whose nested records in `PARTS` have no key of their own in a file, which has theirs
    beside its own: a group of values that several records share is one class.
    """

    PARTS: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _nest(cls, value: Any) -> Any:  # noqa: ANN401 - whatever is to be read
        return dict.fromkeys(cls.PARTS, value) | value if isinstance(value, dict) else value

    @model_serializer(mode="wrap")
    def _flatten(self, handler: SerializerFunctionWrapHandler) -> dict[str, JsonValue]:
        values: dict[str, Any] = handler(self)
        for part in self.PARTS:
            values |= values.pop(part)
        return values


class Measurement(Record):
    """An estimate with its confidence interval and the number of briefs behind it; null: not
    measured. Where it says so, `n` counts cells, and there is no interval.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0

    @property
    def ends(self) -> tuple[float, float] | None:
        """The lower and the upper end of the interval; None without one."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def excludes_zero(self) -> bool:
        """Whether there is an interval that lies above 0 or below it."""
        return self.ends is not None and (self.ends[0] > 0 or self.ends[1] < 0)


NOT_MEASURED = Measurement()


def parse_record(
    content: str | bytes, record: type[Read], file: str, where: str = "", *, fix: str = ""
) -> Read:
    """The record that a file, or a line of one, holds as JSON.

    Raises:
        InputError: every problem; with a fix, as for what a command wrote, the first one.
    """
    try:
        return read_as(record, parse(content), file=file, where=where)
    except NotJson as error:
        problem = Problem(file, where, f"is not JSON: {error}")
    except InputError as error:
        if not fix:
            raise
        problem = error.problems[0]
    message = f"{problem.message}; {fix}" if fix else problem.message
    raise input_error(problem.file, problem.where, message)
