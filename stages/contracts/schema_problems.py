"""Reading single values of an answer, and keeping the path of each that is not as it should be."""

import math

from stages.contracts.draft_graph import SchemaProblem
from stages.contracts.json_text import JsonValue, canonical

MAX_PROBLEMS = 50
"""How many schema problems of one answer are kept; all are counted."""

_NAMES = {
    type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "text", list: "an array",
    dict: "an object",
}  # fmt: skip

Item = dict[str, JsonValue]
"""A node, an edge, or another object of an answer."""


class SchemaProblems:
    """The problems found so far: the first ones, and how many in all. Each reader tells what it cannot read."""

    def __init__(self) -> None:
        self.kept: list[SchemaProblem] = []
        self.count = 0

    def add(self, path: str, message: str) -> None:
        """One more problem."""
        self.count += 1
        if len(self.kept) < MAX_PROBLEMS:
            self.kept.append(SchemaProblem(path, message))

    def wrong(self, path: str, wanted: str, found: object) -> None:
        """A value of another type than is wanted."""
        if self.count < MAX_PROBLEMS:
            self.add(path, f"must be {wanted}, found {_NAMES.get(type(found), 'no JSON value')}")
        else:
            self.count += 1

    def text(self, item: Item, key: str, path: str) -> str | None:
        """The text at a key; None where there is none, or something else."""
        value = item.get(key)
        if value is None or isinstance(value, str):
            return value
        self.wrong(f"{path}.{key}", "text", value)
        return None

    def number(self, value: JsonValue, path: str, *, needed: bool = True) -> float | None:
        """A finite number; None where there is none."""
        if value is None and not needed:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.wrong(path, "a number", value)
            return None
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.add(path, "must be a finite number")
            return None
        return number

    def identifier(self, item: Item, key: str, path: str) -> str:
        """The id at a key: text, the JSON text of a number or boolean, else the place itself."""
        value = item.get(key)
        if isinstance(value, str):
            return value
        if key not in item:
            self.add(f"{path}.{key}", "is missing")
        else:
            self.wrong(f"{path}.{key}", "text", value)
        return canonical(value).decode() if isinstance(value, bool | int | float) else f"{path[2:]}.{key}"
