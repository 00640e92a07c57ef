"""Where calls go, what they need, and how it is shown."""

import pytest

from graph_evaluator.generate.plan.call import Endpoint, address, endpoint_of, is_loopback
from graph_evaluator.generate.plan.loading import missing_keys
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
    base_url, variable, expected
):
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
def test_only_this_machine_is_loopback(url, expected):
    assert is_loopback(Endpoint(provider="openai", url=url)) is expected


@cases(
    "changed, variables, needed",
    {
        "the provider's key": ({}, {}, ["OPENAI_API_KEY"]),
        "another key": ({"api_key_env": "MY_KEY"}, {}, ["MY_KEY"]),
        "a key that is set": ({}, {"OPENAI_API_KEY": "k"}, []),
        "no key at another address": ({"base_url": "https://proxy.example/v1"}, {}, []),
        "none on this machine": ({"base_url": LOCAL, "api_key_env": "MY_KEY"}, {}, []),
        "a header on this machine": (
            {"base_url": LOCAL, "headers_env": {"X-Title": "TITLE"}},
            {},
            ["TITLE"],
        ),
        "a simulated model": ({"provider": "simulated", "api_key_env": "MY_KEY"}, {}, []),
    },
)
def test_a_call_needs_the_variables_of_its_endpoint(changed, variables, needed):
    problems = missing_keys([cells(config(**changed))[0].calls[0]], variables)
    assert [problem.where for problem in problems] == needed
