"""The members of an answer's JSON, taken as what they should be and left out where they are something else."""

from typing import Any

import msgspec

from stages.contracts.json_text import JsonValue, parse


class _Members(msgspec.Struct):
    """The members of an answer that are read; the others, the echoed prompt among them, are skipped."""

    id: Any = None
    model: Any = None
    status: Any = None
    error: Any = None
    incomplete_details: Any = None
    output: Any = msgspec.UNSET
    choices: Any = msgspec.UNSET
    usage: Any = None
    service_tier: Any = None


_PARTS = msgspec.json.Decoder(_Members)


def parts(body: str) -> dict[str, JsonValue]:
    """The members of an answer that matter; none when it is no JSON object.

    Raises:
        NotJson: it is no JSON.
    """
    try:
        found = _PARTS.decode(body)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeEncodeError, RecursionError):
        return as_record(parse(body))  # lone surrogates, numbers beyond a double, or no answer at all
    named = {name: getattr(found, name) for name in found.__struct_fields__}
    return {name: value for name, value in named.items() if value is not msgspec.UNSET}


def as_record(value: JsonValue) -> dict[str, JsonValue]:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_records(value: JsonValue) -> list[dict[str, JsonValue]]:
    """The objects of an array, or none."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def as_text(value: JsonValue) -> str | None:
    """The text; None for an empty one."""
    return value if isinstance(value, str) and value else None


def as_count(value: JsonValue) -> int | None:
    """A number of tokens; None for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 2**53 else None
