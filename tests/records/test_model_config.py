import json

import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.records.model_config import parse_config
from tests.builders.cases import cases

GOOD = {
    "id": "m",
    "display_name": "M",
    "provider": "openai",
    "model": "gpt-x",
    "api_key_env": "OPENAI_API_KEY",
    "params": {"temperature": 0},
    "target_mode": "normal",
    "pricing": {"input_per_1m": 2.5, "output_per_1m": 10, "source": "test"},
}


def _error(changes, *, without=""):
    fields = {key: value for key, value in {**GOOD, **changes}.items() if key != without}
    with pytest.raises(InputError) as raised:
        parse_config("m", json.dumps(fields), file="models/m.json")
    return str(raised.value)


@cases(
    "changes, said",
    {
        "id differs from the file name": ({"id": "other"}, 'expected "m"'),
        "misspelt parameter": ({"params": {"temprature": 0}}, 'did you mean "temperature"?'),
        "unknown parameter lists the allowed": (
            {"params": {"seed": 1}},
            "allowed are max_output_tokens",
        ),
        "text for a number": ({"params": {"temperature": "0"}}, "valid number"),
        "azure without its address": ({"provider": "azure"}, "needs base_url and api_version"),
        "unknown key": ({"extra": 1}, "extra: unknown key"),
    },
)
def test_a_broken_config_is_reported_with_its_key(changes, said):
    message = _error(changes)
    assert said in message
    assert message.startswith("models/m.json: ")


@pytest.mark.parametrize("text", ["", "[]", "NaN"])
def test_what_is_no_json_object_is_an_error_not_a_crash(text):
    with pytest.raises(InputError, match=r"models/m\.json"):
        parse_config("m", text, file="models/m.json")


def test_comments_do_not_change_the_hash_of_a_config():
    plain = parse_config("m", json.dumps(GOOD), file="m")
    commented = parse_config("m", json.dumps({"$comment": "why", **GOOD}), file="m")
    assert plain.sha256 == commented.sha256


KEYS = [
    "sk-proj-Ab12Cd34Ef56Gh78",
    "gsk_fMaZaZqPxKtqWERTYUIOP",
    "a1b2c3d4e5f60718293a4b5c6d7e8f90",
    "AIzaSyD4example0key",
    "hunter 22",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("where", ["api_key_env", "headers_env"])
def test_a_key_in_place_of_a_variables_name_is_refused_and_not_printed(where, key):
    message = _error({where: key if where == "api_key_env" else {"X-Key": key}})
    assert where in message
    assert "name of a variable" in message
    assert key not in message
    assert key[:8] not in message


@pytest.mark.parametrize(
    "url",
    [
        "ftp://proxy.example/v1",
        "https://[::1/v1",
        "https://user:hunter22@proxy.example/v1",
        "https://proxy.example/v1?key=hunter22",
        "http://hunter22:99999/v1",
    ],
)
def test_an_address_with_a_user_or_a_query_is_refused_and_not_printed(url):
    message = _error({"base_url": url})
    assert message.startswith("models/m.json: base_url: must be an address")
    assert "hunter22" not in message
    assert "found" not in message


@pytest.mark.parametrize("where", ["model", "headers_env", "pricing"])
def test_a_key_anywhere_else_is_not_printed_either(where):
    key = "sk-proj-Ab12Cd34Ef56Gh78"
    assert key not in _error({where: [key]})
    assert key not in _error({key: 1})
    assert key not in _error({"params": {key: 1}})


@pytest.mark.parametrize("name", ["X Key", "X-Key\n", "sk-proj-Ab12Cd34Ef56Gh78"])
def test_a_headers_name_that_is_none_is_refused(name):
    message = _error({"headers_env": {name: "SOME_KEY"}})
    assert "header" in message
    assert "Ab12Cd34" not in message


@pytest.mark.parametrize(
    "name",
    [
        "sketch_team_key_2",
        "OPENAI_API_KEY",
        "hf_token_for_team",
        "key_of_team_4_in_2026_01_02",
        "GSK_TOKEN_OF_THE_TEAM",
    ],
)
def test_the_name_of_a_variable_is_taken(name):
    config = parse_config("m", json.dumps({**GOOD, "api_key_env": name}), file="models/m.json")
    assert config.api_key_env == name
