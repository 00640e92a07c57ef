"""Every endpoint with a config template, called over loopback as its documentation says."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from stages.contracts.brief import Brief, Expectations
from stages.contracts.model_config import ModelConfig, parse_model_config
from stages.contracts.params import GenerateParams
from stages.contracts.response import Usage
from stages.generate.answers.answer import Answer, read_content
from stages.generate.callers import open_caller
from stages.generate.missing import missing_keys
from stages.generate.plan.cells import PlannedCell, plan_cells
from stages.generate.plan.endpoint import endpoint_of, is_loopback
from tests.builders.api_bodies import completion_body, response_body
from tests.builders.cases import cases
from tests.builders.provider import FakeProvider, Reply, Request, json_reply
from tests.generate.asking import PROMPT, planned_model

EXAMPLES = Path("models/_examples")
SECRETS = {
    name: f"sk-secret-of-{name.lower()}"
    for name in (
        "ANTHROPIC_API_KEY",
        "AZURE_OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "LITELLM_API_KEY",
        "OPENROUTER_API_KEY",
        "OPENROUTER_APP_URL",
        "OPENROUTER_APP_TITLE",
    )
}
BRIEF = Brief(
    id="b", expectations=Expectations.model_validate({}), body="Rent or buy?", sha256="0" * 64
)

EXPECTED = {
    "anthropic": ("/v1/chat/completions", "", "max_tokens"),
    "azure-openai": ("/openai/v1/responses", "api-version=preview", "max_output_tokens"),
    "google-gemini": ("/v1beta/openai/chat/completions", "", "max_tokens"),
    "litellm": ("/v1/responses", "", "max_output_tokens"),
    "llama-cpp": ("/v1/chat/completions", "", "max_tokens"),
    "lm-studio": ("/v1/responses", "", "max_output_tokens"),
    "ollama": ("/v1/chat/completions", "", "max_tokens"),
    "openrouter": ("/api/v1/chat/completions", "", "max_tokens"),
    "vllm": ("/v1/responses", "", "max_output_tokens"),
}
"""Template: path, query, and the name under which the bound on the output goes."""


class CompatibleServer(FakeProvider):
    """Stands in for any of the endpoints: answers with as little as the API allows."""

    usage: dict[str, int] | None = None

    def reply(self, request: Request) -> Reply:
        is_response = urlsplit(request.path).path.endswith("/responses")
        build = response_body if is_response else completion_body
        return json_reply(build(model=request.body["model"], usage=self.usage))


@pytest.fixture
def server() -> Iterator[CompatibleServer]:
    with CompatibleServer() as server:
        yield server


def template(name: str) -> ModelConfig:
    file = EXAMPLES / f"{name}.json"
    return parse_model_config(name, file.read_text(encoding="utf-8"), file=file.as_posix())


def moved(config: ModelConfig, host: str) -> ModelConfig:
    """The config with its endpoint on this machine; scheme and host apart, the address stays as it is."""
    parts = urlsplit(config.base_url or "https://api.openai.com/v1")
    return config.model_copy(
        update={"base_url": urlunsplit(parts._replace(scheme="http", netloc=host))}
    )


def planned_for(config: ModelConfig, variables: dict[str, str]) -> PlannedCell:
    schema = json.loads(Path("prompts/draft_graph.schema.json").read_text(encoding="utf-8"))
    model = planned_model(config, schema=schema, variables=variables)
    (planned,) = plan_cells([model], PROMPT, [BRIEF], GenerateParams.model_validate({}))
    return planned


def ask(planned: PlannedCell, variables: dict[str, str]) -> Answer:
    call = replace(planned.calls[0], timeout_s=20.0)

    async def once() -> Answer:
        async with open_caller([call.endpoint], variables) as caller:
            reply = await caller(call)
        return Answer(
            fingerprint=call.fingerprint,
            model=call.model,
            request=call.canonical,
            content=read_content(reply.body),
            latency_ms=reply.latency_ms,
            attempts=1,
            created_at=reply.created_at,
            endpoint=reply.endpoint,
        )

    return asyncio.run(once())


def test_every_template_is_tried_here() -> None:
    templates = {file.stem for file in EXAMPLES.glob("*.json")}
    assert template("recorded").provider == "recorded"
    assert EXPECTED.keys() == templates - {"recorded"}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_template_asks_its_endpoint_as_documented(name: str, server: CompatibleServer) -> None:
    config = moved(template(name), server.host)
    planned = planned_for(config, SECRETS)
    answer = ask(planned, SECRETS)
    (request,) = server.requests
    body, target = request.body, urlsplit(request.path)
    path, query, bound = EXPECTED[name]
    assert (target.path, target.query) == (path, query)
    assert (body["model"], body[bound]) == (config.model, config.params.max_output_tokens)
    if config.api == "responses":
        assert (body["instructions"], body["input"]) == ("Draft a graph.", "Rent or buy?")
    else:
        assert [message["content"] for message in body["messages"]] == [
            "Draft a graph.",
            "Rent or buy?",
        ]
    assert answer.content.raw_text == "{}"
    assert answer.endpoint == (config.base_url or "").rstrip("/")
    key = SECRETS.get(config.api_key_env or "")
    assert request.headers.get("authorization") == (f"Bearer {key}" if key else None)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_local_server_needs_no_key_and_the_others_name_theirs(name: str) -> None:
    config = template(name)
    endpoint = endpoint_of(config, {})
    problems = missing_keys([planned_for(config, {}).calls[0]], {})
    assert bool(problems) == (not is_loopback(endpoint))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_what_an_endpoint_does_not_report_is_null(name: str, server: CompatibleServer) -> None:
    planned = planned_for(moved(template(name), server.host), SECRETS)
    answer = ask(planned, SECRETS)
    assert (answer.content.usage, answer.content.service_tier) == (Usage(), None)
    assert planned.model.prices.cost(answer).usd is None


@cases(
    "name, usage",
    {
        "chat completions": ("ollama", {"prompt_tokens": 7, "completion_tokens": 3}),
        "responses": ("vllm", {"input_tokens": 7, "output_tokens": 3}),
    },
)
def test_usage_without_details_is_read_as_far_as_it_is_given(
    name: str, usage: dict[str, int], server: CompatibleServer
) -> None:
    server.usage = usage
    planned = planned_for(moved(template(name), server.host), {})
    answer = ask(planned, {})
    assert answer.content.usage == Usage(input_tokens=7, output_tokens=3)
    assert planned.model.prices.cost(answer).usd == 0.0


def test_azure_takes_its_key_in_a_header_of_its_own(server: CompatibleServer) -> None:
    ask(planned_for(moved(template("azure-openai"), server.host), SECRETS), SECRETS)
    assert server.requests[0].headers["api-key"] == SECRETS["AZURE_OPENAI_API_KEY"]


def test_a_dated_version_of_azure_names_the_deployment_in_the_path(
    server: CompatibleServer,
) -> None:
    changes = {
        "base_url": "https://r.openai.azure.com/openai",
        "api": "chat_completions",
        "api_version": "2024-10-21",
    }
    config = moved(template("azure-openai").model_copy(update=changes), server.host)
    ask(planned_for(config, SECRETS), SECRETS)
    (request,) = server.requests
    assert (
        request.path
        == "/openai/deployments/my-gpt-5.4-mini-deployment/chat/completions?api-version=2024-10-21"
    )
    assert (request.headers["api-key"], request.body["max_completion_tokens"]) == (
        SECRETS["AZURE_OPENAI_API_KEY"],
        16000,
    )


def test_extra_headers_come_from_the_environment(server: CompatibleServer) -> None:
    ask(planned_for(moved(template("openrouter"), server.host), SECRETS), SECRETS)
    headers = server.requests[0].headers
    assert (headers["http-referer"], headers["x-title"]) == (
        SECRETS["OPENROUTER_APP_URL"],
        SECRETS["OPENROUTER_APP_TITLE"],
    )


def test_openai_base_url_is_used_and_part_of_the_fingerprint(server: CompatibleServer) -> None:
    file = Path("models/gpt-4.1.json")
    config = parse_model_config("gpt-4.1", file.read_text(encoding="utf-8"), file=file.name)
    variables = {
        "OPENAI_BASE_URL": f"http://{server.host}/proxy/v1/",
        "OPENAI_API_KEY": "sk-secret-own",
    }
    planned = planned_for(config, variables)
    answer = ask(planned, variables)
    assert (server.requests[0].path, answer.endpoint) == (
        "/proxy/v1/responses",
        f"http://{server.host}/proxy/v1",
    )
    assert planned.fingerprints != planned_for(config, {}).fingerprints


def test_the_documentation_lists_api_key_and_bound_of_every_template() -> None:
    page = Path("docs/endpoints.md").read_text(encoding="utf-8")
    for name, (_, _, bound) in EXPECTED.items():
        config = template(name)
        (row,) = [line for line in page.splitlines() if line.startswith(f"| [`{name}.json`]")]
        assert f"| {config.api.replace('_', ' ')} |" in row
        assert f"`{bound}`" in row
        assert (config.api_key_env or "none") in row


def test_the_config_in_the_offline_recipe_is_one() -> None:
    page = Path("docs/offline-model.md").read_text(encoding="utf-8")
    text = page.split("```json\n")[1].split("```")[0]
    assert (
        parse_model_config("smollm2-135m", text, file="docs").params.response_format
        == "json_schema"
    )
