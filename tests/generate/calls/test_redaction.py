import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.generate.calls.redaction import LONGEST_MESSAGE, Redaction


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
