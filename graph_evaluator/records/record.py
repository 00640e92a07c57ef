"""The base of every record that is read from or written to a file, the number with its interval
that many of them hold, and how records are read from JSON and YAML: safe types only, no key twice.
"""

import math
import operator
import re
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, NoReturn, TypeVar

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from graph_evaluator.records.errors import InputError, Model, Problem, input_error, read_as
from graph_evaluator.records.json_text import JsonValue, NotJson, parse

Element = TypeVar("Element")
Array = Annotated[tuple[Element, ...], Field(strict=False)]
"""A tuple; an array in a file."""
Omitted = Annotated[Element, Field(exclude_if=operator.not_)]
"""A value whose key is not written, and not hashed, where it is empty: so a new key leaves the hash
of a record that does not use it unchanged.
"""


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
    """A record whose nested records in `PARTS` have no key of their own in a file, which has their
    keys next to its own: a group of values that several records share is one class.
    """

    PARTS: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _nest(cls, value: Any) -> Any:  # noqa: ANN401 - whatever is to be read
        if not isinstance(value, dict):
            return value
        # What JSON can hold is no record that was built before.
        flat = [part for part in cls.PARTS if type(value.get(part)).__module__ == "builtins"]
        return value | dict.fromkeys(flat, value)

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


NOT_MEASURED = Measurement()


def parse_record(
    content: str | bytes, record: type[Model], file: str, where: str = "", *, fix: str = ""
) -> Model:
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


MAX_YAML_LEVELS = 100


_Safe: type[yaml.SafeLoader] = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # seven times as fast where libyaml is


class _Strict(_Safe):  # type: ignore[valid-type,misc]
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            key = str(self.construct_object(key_node, deep=True))
            if key in seen:
                message = f'the key "{key}" is given twice'
                _refuse(message, key_node)
            seen.add(key)
        mapping: dict[object, object] = super().construct_mapping(node, deep)
        return mapping


_Strict.add_implicit_resolver(  # YAML 1.1 reads 1e-9 as a text, as it has no point
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"),
    list("-+0123456789"),
)


def parse_yaml(text: str, file: str) -> object:
    """The value of the YAML text of a file, None for an empty one.

    Raises:
        InputError: it is broken, no plain data, or gives a key twice; with the line, where it is
        known. A bracket or quote that is left open has the line where it begins.
    """
    try:
        _check_events(yaml.parse(text, Loader=_Safe))
        value: object = yaml.load(text, Loader=_Strict)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        is_left_open = re.search("flow|quoted|simple key", error.context or "")
        mark = error.context_mark if is_left_open else error.problem_mark
        last = text.rstrip().count("\n")  # the parser is below it at the end
        line = f"line {min(mark.line, last) + 1}" if mark else ""
        raise input_error(file, line, f"is not YAML: {error.problem or 'broken'}") from None
    except (yaml.YAMLError, ValueError) as error:  # such as a NUL, or a number of many digits
        message = str(error).splitlines()[0]
        raise input_error(file, "", f"is not YAML: {message}") from None
    return value


def _check_events(events: Iterable[yaml.Event]) -> None:
    """Check that a text is not nested too deeply, and has no aliases, by which a few lines may
    expand to any number.
    """
    level = 0
    for event in events:
        level += isinstance(event, yaml.CollectionStartEvent)
        level -= isinstance(event, yaml.CollectionEndEvent)
        if level > MAX_YAML_LEVELS:
            _refuse("nested too deeply", event)
        if isinstance(event, yaml.AliasEvent):
            message = f"*{event.anchor} is an alias: write out what it stands for"
            _refuse(message, event)


def _refuse(message: str, place: Any) -> NoReturn:  # noqa: ANN401 - an event or a node
    raise yaml.MarkedYAMLError(None, None, message, place.start_mark)


def parse_yaml_record(model: type[Model], text: str, file: str) -> Model:
    """The record that a YAML text holds: a file, or the beginning of one.

    Raises:
        InputError: not YAML, or unknown, missing or out-of-range keys: all of them.
    """
    value = parse_yaml(text, file)
    return read_as(model, {} if value is None else value, file=file)


class _WithoutAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True


def written_yaml(value: object, *, short_lists: bool = False) -> str:
    r"""A plain value as YAML that is read as the same value, keys in their order; lists of texts on
    one line each if they are to be short.

    >>> written_yaml({"Yes": None, "a: b": "1"})
    "'Yes': null\n'a: b': '1'\n"
    """
    text: str = yaml.dump(
        value,
        Dumper=_WithoutAliases,
        sort_keys=False,
        allow_unicode=True,
        width=math.inf,
        default_flow_style=None if short_lists else False,
    )
    return text
