"""A structured answer, mapped back to the ordinary draft-graph form.

A strict schema (`prompts/draft_graph.schema.json`) knows no free keys and no optional ones: interventions are a list of
`{"factor_id", "value"}` pairs, and what does not apply is null. Here pairs become the map and those nulls go away, so that
everything after this point sees one form.
"""

from collections.abc import Mapping

from stages.contracts.json_text import JsonValue

NODE_NULLS = frozenset(
    {
        "category",
        "data",
        "prior",
        "goal_threshold",
        "goal_threshold_raw",
        "goal_threshold_unit",
        "goal_threshold_cap",
    }
)
"""The keys of a node that the schema fills with null where they do not apply."""

DATA_NULLS = frozenset({"interventions", "value", "raw_value", "unit", "cap", "extractionType"})
"""The same for the `data` of a node."""

CLAIM_NULLS = frozenset({"from", "to", "stated_strength", "between", "explanation"})
"""The same for a causal claim."""


def ordinary_form(answer: JsonValue) -> JsonValue:
    """The ordinary draft graph that a structured answer stands for; an answer in any other form comes back as it is.

    Interventions that are a list of pairs, and of nothing else, become a map; where a factor stands twice the last value counts,
    as it does for a key that stands twice in JSON. Nulls go where the schema puts them for "does not apply", and nowhere
    else. Applying it twice is applying it once.

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
