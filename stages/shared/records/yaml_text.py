"""YAML as people write it here: safe types only, and no key twice."""

import math
import re
from collections.abc import Iterable
from typing import Any, NoReturn

import yaml

from stages.shared.records.errors import Model, input_error, read_as

MAX_LEVELS = 100


class NotYaml(ValueError):
    """The text is not YAML; `line` counts from 1 and is None when it is not known."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


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


def parse(text: str) -> object:
    """The value of a YAML text, None for an empty one; NotYaml if it is broken, no plain data, or
    gives a key twice.
    """
    try:
        _check_events(yaml.parse(text, Loader=_Safe))
        value: object = yaml.load(text, Loader=_Strict)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise NotYaml(error.problem or "broken", line) from None
    except (yaml.YAMLError, ValueError) as error:  # such as a NUL, or a number of many digits
        raise NotYaml(str(error).splitlines()[0], None) from None
    return value


def _check_events(events: Iterable[yaml.Event]) -> None:
    """Check that a text is not nested too deeply, and has no aliases, by which a few lines may
    expand to any number.
    """
    level = 0
    for event in events:
        level += isinstance(event, yaml.CollectionStartEvent)
        level -= isinstance(event, yaml.CollectionEndEvent)
        if level > MAX_LEVELS:
            _refuse("nested too deeply", event)
        if isinstance(event, yaml.AliasEvent):
            message = f"*{event.anchor} is an alias: write out what it stands for"
            _refuse(message, event)


def _refuse(message: str, place: Any) -> NoReturn:  # noqa: ANN401 - an event or a node
    raise yaml.MarkedYAMLError(None, None, message, place.start_mark)


def record(model: type[Model], text: str, file: str) -> Model:
    """The record that a YAML text holds: a file, or the beginning of one.

    Raises:
        InputError: not YAML, or unknown, missing or out-of-range keys: all of them.
    """
    try:
        value = parse(text)
    except NotYaml as error:
        where = f"line {error.line}" if error.line else ""
        raise input_error(file, where, f"is not YAML: {error}") from None
    return read_as(model, {} if value is None else value, file=file)


class _WithoutAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True


def written(value: object, *, short_lists: bool = False) -> str:
    r"""A plain value as YAML that `parse` reads as the same value, keys in their order; lists of
    texts on one line each if they are to be short.

    >>> written({"Yes": None, "a: b": "1"})
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
