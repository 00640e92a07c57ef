"""Finds the JSON in the text of an answer, and brings the answer to a strict schema into the
ordinary draft-graph form.
"""

import re
from contextlib import suppress
from dataclasses import dataclass

from stages.shared.records.json_text import MAX_LEVELS, JsonValue, NotJson, parse
from stages.shared.records.response import ExtractionMethod

_WHITE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""White space in the sense of ECMAScript, byte order mark included: what is trimmed around an
answer.
"""
_FENCED = re.compile(r"```(?:json)?(.*)```", re.DOTALL | re.IGNORECASE | re.ASCII)
NODE_NULLS = frozenset(
    [
        "category",
        "data",
        "prior",
        "goal_threshold",
        "goal_threshold_raw",
        "goal_threshold_unit",
        "goal_threshold_cap",
    ]
)
DATA_NULLS = frozenset(["interventions", "value", "raw_value", "unit", "cap", "extractionType"])
CLAIM_NULLS = frozenset(["from", "to", "stated_strength", "between", "explanation"])
"""The keys of a node, of its `data` and of a causal claim that the schema fills with null where
they do not apply.
"""
_LONGEST_PATH = 200


@dataclass(frozen=True, slots=True)
class Extraction:
    """The JSON in a text, and how it was found; `parsed` is None when there is none, or when it is
    `null`: either way there is nothing to score.
    """

    parsed: JsonValue = None
    method: ExtractionMethod | None = None


def extract(text: str) -> Extraction:
    r"""The JSON value in the text of an answer. Never raises.

    The text is trimmed and read. Failing that, and if the whole of it is one code fence (tagged
    `json` in any case, or not tagged), the content of the fence is read. Failing that, the text
    from the first `{` to the last `}`.

    >>> extract('```json\n{"nodes": []}\n```')
    Extraction(parsed={'nodes': []}, method='stripped_fence')
    >>> extract("I cannot help with that.")
    Extraction(parsed=None, method=None)
    """
    trimmed = text.strip(_WHITE_SPACE)
    fenced, start, end = _FENCED.fullmatch(trimmed), trimmed.find("{"), trimmed.rfind("}")
    candidates: tuple[tuple[ExtractionMethod, str | None], ...] = (
        ("direct", trimmed),
        ("stripped_fence", fenced[1].strip(_WHITE_SPACE) if fenced else None),
        ("bracketed", trimmed[start : end + 1] if 0 <= start < end else None),
    )
    for method, candidate in candidates:
        if candidate is None:
            continue
        with suppress(NotJson):
            # The response file that holds it has one level more.
            return Extraction(parse(candidate, levels=MAX_LEVELS - 1), method)
    return Extraction()


def departure(value: JsonValue, schema: dict[str, JsonValue]) -> str | None:
    """The path of the first place at which a value does not follow a schema; None when it follows
    it.
    """
    from jsonschema import Draft202012Validator  # takes a while, and few runs send a schema

    error = next(Draft202012Validator(schema).iter_errors(value), None)
    return str(error.json_path)[:_LONGEST_PATH] if error else None


def ordinary_form(answer: JsonValue) -> JsonValue:
    """A structured answer as an ordinary draft graph; an answer in any other form is returned
    unchanged.

    A strict schema (`prompts/draft_graph.schema.json`) has no free and no optional keys. So
    interventions that are a list of `{"factor_id", "value"}` pairs, and of nothing else, become a
    map; the last value of a repeated factor counts, as it does for a repeated key in JSON. Nulls
    are removed where the schema puts them for "does not apply", and nowhere else. Applying it twice
    gives the same as applying it once.

    >>> effect = {"factor_id": "fac_p", "value": 0.4}
    >>> ordinary_form({"nodes": [{"data": {"interventions": [effect]}, "prior": None}]})
    {'nodes': [{'data': {'interventions': {'fac_p': 0.4}}}]}
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
        changed["causal_claims"] = [_without_nulls(claim, CLAIM_NULLS) for claim in claims]
    return changed


def _node(node: JsonValue) -> JsonValue:
    changed = _without_nulls(node, NODE_NULLS)
    if isinstance(changed, dict) and isinstance(changed.get("data"), dict):
        data = _without_nulls(changed["data"], DATA_NULLS)
        if isinstance(data, dict) and "interventions" in data:
            data["interventions"] = _interventions(data["interventions"])
        changed["data"] = data
    return changed


def _interventions(value: JsonValue) -> JsonValue:
    mapped: dict[str, JsonValue] = {}
    for pair in value if isinstance(value, list) else [None]:
        match pair:
            case {"factor_id": str(factor), "value": effect, **others} if not others:
                mapped[factor] = effect
            case _:
                return value
    return mapped


def _without_nulls(value: JsonValue, nullable: frozenset[str]) -> JsonValue:
    if not isinstance(value, dict):
        return value
    return {key: entry for key, entry in value.items() if entry is not None or key not in nullable}
