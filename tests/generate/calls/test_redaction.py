import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.generate.calls.redaction import LONGEST_MESSAGE, Redaction
from tests.builders.cases import cases

KEY = "canary/key+with=signs"


@cases(
    "form",
    {
        "plain": KEY,
        "percent-encoded": quote(KEY, safe=""),
        "base64": base64.b64encode(KEY.encode()).decode(),
        "base64 unpadded": base64.b64encode(KEY.encode()).decode().rstrip("="),
    },
)
def test_a_key_is_removed_in_every_form(form: str) -> None:
    assert "canary" not in Redaction([KEY]).body(f"before {form} after")
    assert form not in Redaction([KEY]).body(f"before {form} after")


ODD = "canary$x'\"\\ #&<=%/+"


@cases(
    "form",
    {
        "JSON": json.dumps(ODD),
        "JSON in JSON": json.dumps(json.dumps({"key": ODD})),
        "JSON, PHP": json.dumps(ODD).replace("/", "\\/"),
        "JSON in JSON, PHP": json.dumps(json.dumps(ODD).replace("/", "\\/")),
        "small hex": quote(ODD, safe="").lower(),
        "path": quote(ODD),
        "form": quote_plus(ODD),
        "HTML": html.escape(ODD),
        "HTML in JSON": json.dumps(html.escape(ODD)),
    },
)
def test_a_key_of_odd_characters_is_removed_however_it_is_escaped(form: str) -> None:
    assert "canary" not in Redaction([ODD]).body(f"before {form} after")


@pytest.mark.parametrize(
    "text",
    [
        "sk-proj-abc_DEF-123",
        "sk-abcd****wxyz",
        "Bearer whatever-it-is",
        "gsk_fMaZ0aZqP3xKtq",
        "AIzaSyD3xK9q",
    ],
)
def test_what_looks_like_a_key_is_removed_from_messages(text: str) -> None:
    assert Redaction([]).message(f"got {text}!").startswith("got [key]")


def test_an_empty_or_tiny_value_is_no_secret() -> None:
    assert Redaction(["", "a"]).body("a text") == "a text"


@given(st.text())
def test_a_message_is_one_bounded_line(text: str) -> None:
    message = Redaction([]).message(text * 50)
    assert len(message) <= LONGEST_MESSAGE
    assert len(message.splitlines()) <= 1
