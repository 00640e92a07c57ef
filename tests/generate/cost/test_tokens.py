"""Tokens are counted where the data is on this machine; the network is never asked."""

import hashlib
import socket
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.generate.cost.tokens import estimate, input_tokens, token_counter

NAME = hashlib.sha1(b"https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken").hexdigest()


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("content", [None, b"", b"something else"], ids=["nothing", "an empty file", "another file"])
def test_without_the_very_data_the_count_is_an_estimate_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    if content is not None:
        (tmp_path / NAME).write_bytes(content)
    count, how = token_counter()
    assert how.startswith("estimated")
    assert count("a short sentence") == 4
    assert content is None or (tmp_path / NAME).read_bytes() == content


def test_a_cache_that_is_switched_off_means_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert token_counter()[1].startswith("estimated")


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(one: str, other: str) -> None:
    assert estimate(one) <= estimate(one + other) <= estimate(one) + estimate(other) + 1


def test_a_request_counts_both_texts_and_their_frame() -> None:
    assert input_tokens(len, "12345", "123") == 16
