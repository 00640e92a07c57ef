"""YAML as people write it here: safe types only, and no key twice."""

import math
import re
from collections.abc import Iterable
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from stages.shared.records.errors import InputError, input_error, problems_of

MAX_LEVELS = 100
CONFLICT_MARKER = re.compile(r"^<<<<<<< ", re.MULTILINE)
"""The line that git writes where two versions of a file differ."""
YamlRecord = TypeVar("YamlRecord", bound=BaseModel)


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
                raise yaml.constructor.ConstructorError(
                    None, None, f'the key "{key}" is given twice', key_node.start_mark
                )
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
    except yaml.YAMLError as error:
        conflict = CONFLICT_MARKER.search(text)
        if conflict:
            line = text.count("\n", 0, conflict.start()) + 1
            raise NotYaml("it is in conflict: resolve it by hand and `git add` it", line) from None
        mark = getattr(error, "problem_mark", None)
        sentence = str(getattr(error, "problem", None) or error).splitlines()[0]
        raise NotYaml(sentence, mark.line + 1 if mark else None) from None
    except NotYaml:
        raise
    except (RecursionError, ValueError) as error:
        if "integer string conversion" in str(error):
            raise NotYaml("a number is too long", None) from None
        raise NotYaml(str(error).splitlines()[0] or "nested too deeply", None) from None
    return value


def _check_events(events: Iterable[yaml.Event]) -> None:
    """Check that a text is not nested too deeply, and has no aliases, by which a few lines may
    expand to any number.
    """
    level = 0
    for event in events:
        line = event.start_mark.line + 1 if event.start_mark else None
        level += isinstance(event, yaml.CollectionStartEvent)
        level -= isinstance(event, yaml.CollectionEndEvent)
        if level > MAX_LEVELS:
            raise NotYaml("nested too deeply", line)
        if isinstance(event, yaml.AliasEvent):
            raise NotYaml(f"*{event.anchor} is an alias: write out what it stands for", line)


def record(
    model: type[YamlRecord], text: str, *, file: str, place: str = "", above: int = 0
) -> YamlRecord:
    """The record that a YAML text of `key: value` lines holds: a file, or a `place` in it with so
    many lines `above`.

    Raises:
        InputError: not YAML, or unknown, missing or out-of-range keys: all of them.
    """
    try:
        loaded = parse(text)
        if not isinstance(loaded, dict | None):
            raise input_error(file, place, "must hold `key: value` lines")
        return model.model_validate(loaded or {})
    except NotYaml as error:
        where = f"line {error.line + above}" if error.line else place
        subject = f"the {place} " if place else ""
        raise input_error(file, where, f"{subject}is not YAML: {error}") from None
    except ValidationError as error:
        raise InputError(problems_of(error, model, file=file)) from None


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
