"""Comparing JSON values of any depth, numbers as doubles."""

import math
from typing import Any


def same_json(left: object, right: object) -> bool:
    """Whether two JSON values are the same, numbers as doubles; without recursion, however deep they are."""
    todo = [(left, right)]
    while todo:
        one, other = todo.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            todo += [(one[key], other[key]) for key in one]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            todo += zip(one, other, strict=True)
        elif _number(one) and _number(other):
            if _double(one) != _double(other):
                return False
        elif type(one) is not type(other) or one != other:
            return False
    return True


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _double(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def type_name(value: object) -> str:
    """What a JSON value is, as vectors name it."""
    return (
        "object"
        if isinstance(value, dict)
        else "array"
        if isinstance(value, list)
        else type(value).__name__
    )


def depth(value: Any) -> int:
    """How deep arrays and objects lie in each other in a value; 0 for a scalar."""
    levels, level = 0, [value]
    while level := [entry for entry in level if isinstance(entry, dict | list)]:
        levels += 1
        level = [
            inner
            for entry in level
            for inner in (entry.values() if isinstance(entry, dict) else entry)
        ]
    return levels
