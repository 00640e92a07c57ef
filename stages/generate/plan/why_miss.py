"""Why a cell has no answer yet: in what its request differs from the nearest one that was ever answered."""

from collections.abc import Iterable, Sequence

import msgspec

from stages.contracts.json_text import JsonValue, canonical, parse

NOTHING_STORED = "nothing stored"
FIELDS = ("endpoint", "api", "api_version", "model", "prompt", "brief", "settings", "round", "sample", "draw")
"""What a request consists of, in the words of those who set it."""
_KEYS = {"prompt": "instructions_sha256", "brief": "input"}


class Asked(msgspec.Struct, frozen=True):
    """A request, field by field, in the order of `FIELDS`; `settings` are kept as they are to tell which of them differ."""

    fields: tuple[str, ...]
    settings: dict[str, JsonValue]


def asked(canonical_request: str) -> Asked:
    """The fields of a canonical request."""
    loaded = parse(canonical_request)
    record = loaded if isinstance(loaded, dict) else {}
    settings = record.get("settings")
    fields = tuple(canonical(record.get(_KEYS.get(name, name))).decode("utf-8") for name in FIELDS)
    return Asked(fields, settings if isinstance(settings, dict) else {})


class Nearest:
    """Finds the nearest of all stored requests. One that differs in a single field is found at once, whatever their number."""

    def __init__(self, stored: Iterable[str]) -> None:
        self._all = [asked(text) for text in stored]
        self._but_one: dict[tuple[int, tuple[str, ...]], Asked] = {}
        for request in self._all:
            for index in range(len(FIELDS)):
                self._but_one[index, _without(request.fields, index)] = request
        self._cells: dict[tuple[str, ...], list[Asked]] = {}
        for request in self._all:
            self._cells.setdefault(_who(request), []).append(request)

    def why(self, canonical_request: str) -> str:
        """The names of the fields that differ, joined with " and "; `nothing stored` for an empty ledger."""
        wanted = asked(canonical_request)
        for index in range(len(FIELDS) - 1, -1, -1):
            near = self._but_one.get((index, _without(wanted.fields, index)))
            if near is not None:
                return _named(wanted, near)
        candidates = self._cells.get(_who(wanted), []) or self._all[-_MOST_COMPARED:]
        if not candidates:
            return NOTHING_STORED
        return _named(wanted, min(candidates, key=lambda other: _distance(wanted, other)))


_MOST_COMPARED = 1_000


def _who(request: Asked) -> tuple[str, ...]:
    return tuple(request.fields[FIELDS.index(name)] for name in ("model", "brief"))


def _without(fields: tuple[str, ...], index: int) -> tuple[str, ...]:
    return fields[:index] + fields[index + 1 :]


def _distance(one: Asked, other: Asked) -> int:
    return sum(a != b for a, b in zip(one.fields, other.fields, strict=True))


def _named(wanted: Asked, near: Asked) -> str:
    names: list[str] = []
    for name, ours, theirs in zip(FIELDS, wanted.fields, near.fields, strict=True):
        if ours == theirs:
            continue
        names += _settings_named(wanted.settings, near.settings) if name == "settings" else [name]
    return " and ".join(names)


def _settings_named(ours: dict[str, JsonValue], theirs: dict[str, JsonValue]) -> Sequence[str]:
    return [f"settings.{key}" for key in sorted(ours.keys() | theirs.keys()) if ours.get(key) != theirs.get(key)]
