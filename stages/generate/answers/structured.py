"""Structured output: the schema that is sent, whether an answer follows it, and the answer in the ordinary draft-graph form.

A strict schema (`prompts/draft_graph.schema.json`) has no free and no optional keys: interventions are a list of
`{"factor_id", "value"}` pairs, and what does not apply is null. The ordinary form has a map of interventions and no such
nulls, so that everything after this point reads one form.
"""

from collections.abc import Iterator, Mapping

from jsonschema import Draft202012Validator, SchemaError

from stages.contracts.json_text import JsonValue

NODE_NULLS = frozenset(
    ["category", "data", "prior", "goal_threshold", "goal_threshold_raw", "goal_threshold_unit", "goal_threshold_cap"]
)
DATA_NULLS = frozenset(["interventions", "value", "raw_value", "unit", "cap", "extractionType"])
CLAIM_NULLS = frozenset(["from", "to", "stated_strength", "between", "explanation"])
"""The keys of a node, of its `data` and of a causal claim that the schema fills with null where they do not apply."""
_LONGEST_PATH = 200


def schema_fault(schema: dict[str, JsonValue]) -> str | None:
    """Why a JSON value cannot be used as a schema, in a few words; None when it can."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"is not a JSON Schema: {error.message} at {_shortened(error.json_path)}"
    remote = next((name for name in _references(schema) if not name.startswith("#")), None)
    return f'refers to "{remote}": only references within the file ("#/...") are resolved' if remote else None


def outside_strict_subset(schema: JsonValue, path: str = "$") -> str | None:
    """The first place at which the API's strict mode would refuse a schema, None when it takes the schema.

    Every object must be closed, and every property of it required.
    """
    if isinstance(schema, list):
        inner = ((f"{path}[{index}]", part) for index, part in enumerate(schema))
    elif isinstance(schema, dict):
        if schema.get("type") == "object" or "properties" in schema:
            properties, required = schema.get("properties", {}), schema.get("required", [])
            if schema.get("additionalProperties") is not False:
                return f'{path} (needs "additionalProperties": false)'
            if not isinstance(properties, dict) or not isinstance(required, list) or {*properties} != {*required}:
                return f"{path} (every property must be required)"
        inner = ((f"{path}.{key}", part) for key, part in schema.items())
    else:
        return None
    return next(filter(None, (outside_strict_subset(part, below) for below, part in inner)), None)


def departure(value: JsonValue, schema: dict[str, JsonValue]) -> str | None:
    """The path of the first place at which a value does not follow a schema; None when it follows it."""
    error = next(Draft202012Validator(schema).iter_errors(value), None)
    return _shortened(error.json_path) if error else None


def _references(schema: JsonValue) -> Iterator[str]:
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    if isinstance(schema, dict) and isinstance(found := schema.get("$ref"), str):
        yield found
    for part in parts:
        yield from _references(part)


def _shortened(path: str) -> str:
    return path if len(path) <= _LONGEST_PATH else path[:_LONGEST_PATH] + "..."


def ordinary_form(answer: JsonValue) -> JsonValue:
    """A structured answer as an ordinary draft graph; an answer in any other form is returned unchanged.

    Interventions that are a list of pairs, and of nothing else, become a map; the last value of a repeated factor counts, as
    it does for a repeated key in JSON. Nulls are removed where the schema puts them for "does not apply", and nowhere else.
    Applying it twice gives the same as applying it once.

    >>> ordinary_form({"nodes": [{"id": "opt_a", "data": {"interventions": [{"factor_id": "fac_p", "value": 0.4}]}, "prior": None}]})
    {'nodes': [{'id': 'opt_a', 'data': {'interventions': {'fac_p': 0.4}}}]}
    >>> ordinary_form("no graph")
    'no graph'
    """
    if not isinstance(answer, dict):
        return answer
    changed: dict[str, JsonValue] = dict(answer)
    nodes, claims = answer.get("nodes"), answer.get("causal_claims")
    if isinstance(nodes, list):
        changed["nodes"] = [_node(node) for node in nodes]
    if isinstance(claims, list):
        changed["causal_claims"] = [
            _without_nulls(claim, CLAIM_NULLS) if isinstance(claim, dict) else claim for claim in claims
        ]
    return changed


def _node(node: JsonValue) -> JsonValue:
    if not isinstance(node, dict):
        return node
    kept = _without_nulls(node, NODE_NULLS)
    data = kept.get("data")
    if isinstance(data, dict):
        inner = _without_nulls(data, DATA_NULLS)
        if "interventions" in inner:
            inner["interventions"] = _interventions(inner["interventions"])
        kept["data"] = inner
    return kept


def _interventions(value: JsonValue) -> JsonValue:
    if not isinstance(value, list):
        return value
    mapped: dict[str, JsonValue] = {}
    for pair in value:
        if not isinstance(pair, dict) or pair.keys() != {"factor_id", "value"}:
            return value
        factor = pair["factor_id"]
        if not isinstance(factor, str):
            return value
        mapped[factor] = pair["value"]
    return mapped


def _without_nulls(record: Mapping[str, JsonValue], nullable: frozenset[str]) -> dict[str, JsonValue]:
    return {key: value for key, value in record.items() if value is not None or key not in nullable}
