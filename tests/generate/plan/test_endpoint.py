"""Where calls go, what they need, and how it is shown."""

import pytest

from stages.generate.missing import missing_keys
from stages.generate.plan.endpoint import Endpoint, address, endpoint_of, is_loopback
from tests.builders.cases import cases
from tests.generate.asking import cells, config

LOCAL = "http://127.0.0.1:8080/v1"


@cases(
    "base_url, variable, expected",
    {
        "the provider's own": (None, None, "https://api.openai.com/v1"),
        "the environment's": (None, LOCAL, LOCAL),
        "the config's first": ("https://proxy.example/v1/", LOCAL, "https://proxy.example/v1"),
        "its own, spelt out": ("https://api.openai.com/v1", None, "https://api.openai.com/v1"),
    },
)
def test_the_address_is_the_configs_else_the_environments_else_the_providers(
    base_url: str | None, variable: str | None, expected: str
) -> None:
    variables = {"OPENAI_BASE_URL": variable} if variable else {}
    assert address(endpoint_of(config(base_url=base_url), variables)) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (None, False),
        (LOCAL, True),
        ("http://localhost:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://192.168.0.1/v1", False),
        ("http://localhost.example/v1", False),
    ],
)
def test_only_this_machine_is_loopback(url: str | None, expected: bool) -> None:
    assert is_loopback(Endpoint(provider="openai", url=url)) is expected


def needs(
    base_url: str | None, key: str | None, variables: dict[str, str], **headers: str
) -> list[str]:
    of = config(base_url=base_url, api_key_env=key, headers_env=headers)
    return [problem.where for problem in missing_keys([cells(of)[0].calls[0]], variables)]


def test_the_provider_itself_needs_its_key_unless_another_is_named() -> None:
    assert needs(None, None, {}) == ["OPENAI_API_KEY"]
    assert needs(None, "MY_KEY", {}) == ["MY_KEY"]
    assert needs(None, None, {"OPENAI_API_KEY": "k"}) == []


def test_another_address_gets_no_key_that_the_config_does_not_name() -> None:
    assert needs("https://proxy.example/v1", None, {}) == []
    assert endpoint_of(config(base_url="https://proxy.example/v1"), {}).key_env is None
    assert needs("https://proxy.example/v1", "MY_KEY", {}) == ["MY_KEY"]


def test_loopback_and_simulated_models_need_no_key() -> None:
    assert needs(LOCAL, "MY_KEY", {}) == []
    simulated = config(provider="simulated", api_key_env="MY_KEY")
    assert missing_keys([cells(simulated)[0].calls[0]], {}) == []


def test_a_header_that_the_config_names_is_needed_too() -> None:
    assert needs(LOCAL, None, {}, **{"X-Title": "TITLE"}) == ["TITLE"]
