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

Place = str | tuple[str, int, str]
"""A JSON path, or the path of a list, the index of an entry and the rest: joined only for the problems that are kept."""


class SchemaProblems:
    """The problems found so far: the first ones, and how many in all. Each reader tells what it cannot read."""

    def __init__(self) -> None:
        self.kept: list[SchemaProblem] = []
        self.count = 0

    def add(self, place: Place, message: str) -> None:
        """One more problem."""
        self.count += 1
        if len(self.kept) < MAX_PROBLEMS:
            self.kept.append(SchemaProblem(_path(place), message))

    def wrong(self, place: Place, wanted: str, found: object) -> None:
        """A value of another type than is wanted."""
        if self.count < MAX_PROBLEMS:
            self.add(place, f"must be {wanted}, found {_NAMES.get(type(found), 'no JSON value')}")
        else:
            self.count += 1

    def text(self, value: JsonValue, place: Place) -> str | None:
        """A text; None where there is none, or something else."""
        if value is None or isinstance(value, str):
            return value
        self.wrong(place, "text", value)
        return None

    def number(self, value: JsonValue, place: Place, *, needed: bool = True) -> float | None:
        """A finite number; None where there is none."""
        if value is None and not needed:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.wrong(place, "a number", value)
            return None
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.add(place, "must be a finite number")
            return None
        return number

    def identifier(self, item: Item, key: str, place: tuple[str, int, str]) -> str:
        """What stands for the id at a key that is not text: the JSON text of a number or boolean, else the place itself."""
        value = item.get(key)
        if key not in item:
            self.add(place, "is missing")
        else:
            self.wrong(place, "text", value)
        if type(value) is int:
            return str(value)
        return canonical(value).decode() if isinstance(value, bool | float) else _path(place)[2:]


def _path(place: Place) -> str:
    return place if isinstance(place, str) else f"{place[0]}[{place[1]}]{place[2]}"
