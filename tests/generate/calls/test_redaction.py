import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.generate.calls.redaction import LONGEST_MESSAGE, Redaction

KEY = "canary/key+with=signs"


@pytest.mark.parametrize(
    "form",
    [
        KEY,
        quote(KEY, safe=""),
        base64.b64encode(KEY.encode()).decode(),
        base64.b64encode(KEY.encode()).decode().rstrip("="),
    ],
    ids=["plain", "percent-encoded", "base64", "base64 unpadded"],
)
def test_a_key_is_removed_in_every_form(form: str) -> None:
    assert "canary" not in Redaction([KEY]).body(f"before {form} after")
    assert form not in Redaction([KEY]).body(f"before {form} after")


ODD = "canary$x'\"\\ #&<=%/+"


@pytest.mark.parametrize(
    "form",
    [
        json.dumps(ODD),
        json.dumps(json.dumps({"key": ODD})),
        json.dumps(ODD).replace("/", "\\/"),
        json.dumps(json.dumps(ODD).replace("/", "\\/")),
        quote(ODD, safe="").lower(),
        quote(ODD),
        quote_plus(ODD),
        html.escape(ODD),
        json.dumps(html.escape(ODD)),
    ],
    ids=[
        "JSON",
        "JSON in JSON",
        "JSON, PHP",
        "JSON in JSON, PHP",
        "small hex",
        "path",
        "form",
        "HTML",
        "HTML in JSON",
    ],
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
