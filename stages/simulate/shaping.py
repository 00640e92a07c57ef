"""Puts a value into the shape that a JSON Schema asks for, as constrained decoding does."""

from collections.abc import Mapping

from stages.contracts.json_text import JsonValue

Schema = Mapping[str, JsonValue]


def shaped(value: JsonValue, schema: JsonValue) -> JsonValue:
    """The value, with every property that the schema names and no other; what is missing is null, empty or zero.

    A map becomes a list of pairs where the schema wants a list of objects with two properties. A schema that is not understood
    (a reference, for instance) leaves the value as it is.

    >>> pair = {"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "number"}}}
    >>> shaped({"a": 0.5}, {"type": "array", "items": pair})
    [{'key': 'a', 'value': 0.5}]
    """
    if not isinstance(schema, Mapping):
        return value
    branches = schema.get("anyOf")
    if isinstance(branches, list):
        kinds = [branch for branch in branches if isinstance(branch, Mapping) and branch.get("type") != "null"]
        if (value is None and len(kinds) < len(branches)) or not kinds:
            return None
        return shaped(value, kinds[0])
    allowed = schema.get("type")
    types = [kind for kind in allowed if isinstance(kind, str)] if isinstance(allowed, list) else [str(allowed)]
    if value is None and "null" in types:
        return None
    if "object" in types:
        return _object(value, schema)
    if "array" in types:
        return _array(value, schema.get("items"))
    return _plain(value, types, schema.get("enum"))


def _object(value: JsonValue, schema: Schema) -> JsonValue:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return value
    given = value if isinstance(value, dict) else {}
    return {key: shaped(given.get(key), wanted) for key, wanted in properties.items()}


def _array(value: JsonValue, items: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [shaped(item, items) for item in value]
    names = items.get("properties") if isinstance(items, Mapping) else None
    if isinstance(value, dict) and isinstance(names, Mapping) and len(names) == 2:
        first, second = names
        return [shaped({first: key, second: entry}, items) for key, entry in value.items()]
    return []


def _plain(value: JsonValue, types: list[str], enum: JsonValue) -> JsonValue:
    if isinstance(enum, list) and enum and value not in enum:
        return enum[0]
    if "string" in types and not isinstance(value, str):
        return ""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if ("number" in types or "integer" in types) and not number:
        return 0
    return value
