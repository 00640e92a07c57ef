import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.generate.client.redaction import LONGEST_MESSAGE, Redaction

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
def test_a_key_is_taken_out_in_every_form(form: str) -> None:
    assert "canary" not in Redaction([KEY]).body(f"before {form} after")
    assert form not in Redaction([KEY]).body(f"before {form} after")


@pytest.mark.parametrize("text", ["sk-proj-abc_DEF-123", "sk-abcd****wxyz", "Bearer whatever-it-is"])
def test_what_looks_like_a_key_is_taken_out_of_messages(text: str) -> None:
    assert Redaction([]).message(f"got {text}!").startswith("got [key]")


def test_an_empty_or_tiny_value_is_no_secret() -> None:
    assert Redaction(["", "a"]).body("a text") == "a text"


@given(st.text())
def test_a_message_is_one_bounded_line(text: str) -> None:
    message = Redaction([]).message(text * 50)
    assert len(message) <= LONGEST_MESSAGE
    assert len(message.splitlines()) <= 1
