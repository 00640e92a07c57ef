"""Why a cell has no answer yet: in which fields its request differs from the most similar one that was ever answered."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stages.contracts.json_text import JsonValue, canonical, parse

NOTHING_STORED = "nothing stored"
FIELDS = ("endpoint", "api", "api_version", "model", "prompt", "brief", "settings", "round", "sample", "draw")
"""The fields of a request, under the names that people set them by."""
_KEYS = {"prompt": "instructions_sha256", "brief": "input"}
_MOST_COMPARED = 1_000


@dataclass(frozen=True, slots=True)
class _Fields:
    """A request, field by field, in the order of `FIELDS`."""

    values: tuple[str, ...]
    settings: dict[str, JsonValue]

    def without(self, index: int) -> tuple[int, tuple[str, ...]]:
        return index, self.values[:index] + self.values[index + 1 :]

    @property
    def subject(self) -> tuple[str, ...]:
        return tuple(self.values[FIELDS.index(name)] for name in ("model", "brief"))


class StoredRequests:
    """The canonical requests of all stored answers. One that differs in a single field is found at once, however many there are."""

    def __init__(self, stored: Iterable[str]) -> None:
        self._all = [_fields(text) for text in stored]
        self._but_one = {request.without(index): request for request in self._all for index in range(len(FIELDS))}
        self._by_subject: dict[tuple[str, ...], list[_Fields]] = {}
        for request in self._all:
            self._by_subject.setdefault(request.subject, []).append(request)

    def difference(self, canonical_request: str) -> str:
        """The names of the fields that differ from the most similar request, joined with " and "."""
        wanted = _fields(canonical_request)
        for index in range(len(FIELDS) - 1, -1, -1):
            near = self._but_one.get(wanted.without(index))
            if near is not None:
                return _named(wanted, near)
        candidates = self._by_subject.get(wanted.subject, []) or self._all[-_MOST_COMPARED:]
        if not candidates:
            return NOTHING_STORED
        return _named(wanted, min(candidates, key=lambda other: _distance(wanted, other)))


def _fields(canonical_request: str) -> _Fields:
    loaded = parse(canonical_request)
    record = loaded if isinstance(loaded, dict) else {}
    settings = record.get("settings")
    values = tuple(canonical(record.get(_KEYS.get(name, name))).decode("utf-8") for name in FIELDS)
    return _Fields(values, settings if isinstance(settings, dict) else {})


def _distance(one: _Fields, other: _Fields) -> int:
    return sum(ours != theirs for ours, theirs in zip(one.values, other.values, strict=True))


def _named(wanted: _Fields, near: _Fields) -> str:
    names: list[str] = []
    for name, ours, theirs in zip(FIELDS, wanted.values, near.values, strict=True):
        if ours != theirs:
            names += _settings_named(wanted.settings, near.settings) if name == "settings" else [name]
    return " and ".join(names)


def _settings_named(ours: dict[str, JsonValue], theirs: dict[str, JsonValue]) -> Sequence[str]:
    return [f"settings.{key}" for key in sorted(ours.keys() | theirs.keys()) if ours.get(key) != theirs.get(key)]
