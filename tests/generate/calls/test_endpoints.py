"""Every endpoint with a config template, called over loopback as its documentation says."""

import json
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from graph_evaluator.generate.calls.outcome import Reply
from graph_evaluator.generate.plan.call import address
from graph_evaluator.records.model_config import parse_config
from graph_evaluator.records.response import Usage
from graph_evaluator.shell.paths import DRAFT_SCHEMA
from tests.builders.api_bodies import completion_body, response_body
from tests.builders.provider import FakeProvider, json_reply
from tests.generate.asking import PROMPT, cell
from tests.generate.calls.examples import attempt
from tests.generate.entries import paid

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
SCHEMA = json.loads(Path(DRAFT_SCHEMA).read_text(encoding="utf-8"))
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

    def reply(self, request):
        is_response = urlsplit(request.path).path.endswith("/responses")
        build = response_body if is_response else completion_body
        return json_reply(build(model=request.body["model"], usage=None))


@pytest.fixture
def server():
    with CompatibleServer() as server:
        yield server


def template(name):
    file = EXAMPLES / f"{name}.json"
    return parse_config(name, file.read_text(encoding="utf-8"), file=file.as_posix())


def moved(config, host):
    """The config with its endpoint on this machine; scheme and host apart, the address stays as it is."""
    parts = urlsplit(config.base_url or "https://api.openai.com/v1")
    return config.model_copy(
        update={"base_url": urlunsplit(parts._replace(scheme="http", netloc=host))}
    )


def planned(name, host, **changes):
    """The cell of a template whose endpoint is on this machine."""
    config = template(name).model_copy(update=changes)
    return cell(moved(config, host), schema=SCHEMA, variables=SECRETS)


def ask(asked):
    reply = attempt(asked.calls[0], **SECRETS)
    assert isinstance(reply, Reply)
    return paid(asked.calls[0], reply.body, endpoint=address(asked.calls[0].endpoint))


def test_every_template_is_tried_here():
    templates = {file.stem for file in EXAMPLES.glob("*.json")}
    assert template("recorded").provider == "recorded"
    assert EXPECTED.keys() == templates - {"recorded"}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_template_asks_its_endpoint_as_documented_and_what_is_not_reported_is_null(name, server):
    asked = planned(name, server.host)
    config = asked.calls[0].planned.config
    answer = ask(asked)
    (request,) = server.requests
    body, target = request.body, urlsplit(request.path)
    path, query, bound = EXPECTED[name]
    assert target.path == path
    assert target.query == query
    assert body["model"] == config.model
    assert body[bound] == config.params.max_output_tokens
    if config.api == "responses":
        assert body["instructions"] == PROMPT.text
        assert body["input"] == "Buy or rent?"
    else:
        contents = [message["content"] for message in body["messages"]]
        assert contents == [PROMPT.text, "Buy or rent?"]
    assert answer.raw_text == "{}"
    assert answer.measured.endpoint == (config.base_url or "").rstrip("/")
    key = SECRETS.get(config.api_key_env or "")
    assert request.headers.get("authorization") == (f"Bearer {key}" if key else None)
    assert answer.measured.usage == Usage()
    assert answer.measured.service_tier is None
    assert asked.calls[0].planned.prices.cost(answer.measured).usd is None


def test_azure_takes_its_key_in_a_header_and_a_dated_version_the_deployment_in_the_path(server):
    dated = {
        "base_url": "https://r.openai.azure.com/openai",
        "api": "chat_completions",
        "api_version": "2024-10-21",
    }
    for changes in ({}, dated):
        ask(planned("azure-openai", server.host, **changes))
        assert server.requests[-1].headers["api-key"] == SECRETS["AZURE_OPENAI_API_KEY"]
    request = server.requests[-1]
    deployment = "/openai/deployments/my-gpt-5.4-mini-deployment"
    assert request.path == f"{deployment}/chat/completions?api-version=2024-10-21"
    assert request.body["max_completion_tokens"] == 16000
