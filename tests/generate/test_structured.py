"""The strict schema of the draft graph, and the way back from it."""

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.generate.answers import (
    CLAIM_NULLS,
    DATA_NULLS,
    NODE_NULLS,
    departure,
    ordinary_form,
)
from graph_evaluator.generate.plan.call import is_strict
from graph_evaluator.generate.plan.loading import load_schema
from graph_evaluator.records.errors import InputError
from graph_evaluator.records.graph import read
from graph_evaluator.shell.paths import DRAFT_SCHEMA, write_atomic
from tests.builders.cases import cases

SCHEMA: dict[str, Any] = json.loads(
    Path("prompts/draft_graph.schema.json").read_text(encoding="utf-8")
)

PAIR = {"factor_id": "fac_p", "value": 0.4}
OPTION = {"id": "opt_a", "kind": "option", "label": "Raise the price"}
CLAIM = {"type": "direct_effect", "from": "opt_a", "to": "fac_p", "stated_strength": "weak"}
NODE, DATA = dict.fromkeys(NODE_NULLS), dict.fromkeys(DATA_NULLS)
"""Every key that the schema fills with null where it does not apply."""
REST: dict[str, Any] = {"edges": [], "coaching": {"summary": "Churn.", "strengthen_items": []}}
STRUCTURED: dict[str, Any] = REST | {
    "nodes": [NODE | OPTION | {"data": DATA | {"interventions": [PAIR]}}],
    "causal_claims": [dict.fromkeys(CLAIM_NULLS) | CLAIM],
}
ORDINARY: dict[str, Any] = REST | {
    "nodes": [OPTION | {"data": {"interventions": {"fac_p": 0.4}}}],
    "causal_claims": [CLAIM],
}


def nullable(schema):
    """True when null satisfies the schema."""
    return jsonschema.Draft202012Validator(schema).is_valid(None)


def test_the_keys_that_may_be_null_are_those_of_the_schema():
    node = SCHEMA["properties"]["nodes"]["items"]["properties"]
    data = node["data"]["anyOf"][0]["properties"]
    claim = SCHEMA["properties"]["causal_claims"]["items"]["properties"]
    for record, nulls in ((node, NODE_NULLS), (data, DATA_NULLS), (claim, CLAIM_NULLS)):
        assert {name for name, part in record.items() if nullable(part)} == nulls


def test_a_structured_answer_becomes_the_ordinary_graph_and_is_not_changed_itself():
    before = copy.deepcopy(STRUCTURED)
    assert departure(STRUCTURED, SCHEMA) is None
    assert ordinary_form(STRUCTURED) == ORDINARY
    assert before == STRUCTURED
    assert ordinary_form(option([PAIR, PAIR | {"value": 0.9}])) == option({"fac_p": 0.9})
    assert read(ORDINARY)[0].nodes[0].interventions == {"fac_p": 0.4}


def option(interventions):
    return {"nodes": [{"id": "opt_a", "data": {"interventions": interventions}}]}


@cases(
    "answer",
    {
        "a map already": option({"fac_p": 0.4}),
        "an id that is no string": option([PAIR, {"factor_id": 7, "value": 1}]),
        "more than a pair": option([PAIR | {"unit": "EUR"}]),
        "nulls elsewhere": {
            "nodes": [{"id": "goal_a", "kind": None, "label": None}],
            "edges": None,
        },
    },
)
def test_other_forms_are_left_for_scoring_to_judge(answer):
    assert ordinary_form(answer) == answer


KEYS = ["nodes", "data", "interventions", "factor_id", "value", "causal_claims", "from", "prior"]
ANSWERS = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(ANSWERS)
def test_mapping_twice_is_mapping_once(answer):
    once = ordinary_form(answer)
    assert ordinary_form(once) == once


OBJECT: dict[str, Any] = {
    "type": "object",
    "properties": {"nodes": {"type": "array"}},
    "required": ["nodes"],
    "additionalProperties": False,
}


@cases(
    "schema, strict",
    {
        "the shipped one": (SCHEMA, True),
        "optional": (OBJECT | {"required": []}, False),
        "open within": (
            OBJECT | {"properties": {"nodes": {"type": "array", "items": {"type": "object"}}}},
            False,
        ),
    },
)
def test_a_strict_schema_closes_every_object_and_requires_every_property(schema, strict):
    assert is_strict(schema) == strict


@cases(
    "schema, fault",
    {
        "the shipped one": (SCHEMA, None),
        "no such type": ({"type": "objekt"}, "is not a JSON Schema"),
        "a remote reference": (
            {"properties": {"a": {"$ref": "https://example.org/a"}}},
            "example.org",
        ),
        "a local reference": (
            {"$defs": {"a": {}}, "properties": {"a": {"$ref": "#/$defs/a"}}},
            None,
        ),
    },
)
def test_a_schema_that_cannot_be_used_is_refused(schema, fault, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_atomic(DRAFT_SCHEMA, json.dumps(schema).encode())
    if fault is None:
        assert load_schema() == schema
        return
    with pytest.raises(InputError, match=fault):
        load_schema()
