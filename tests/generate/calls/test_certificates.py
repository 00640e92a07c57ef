"""HTTPS on this machine with a certificate that no system knows."""

import ssl
from pathlib import Path

import pytest

from graph_evaluator.generate.calls.outcome import Fault, Reply
from graph_evaluator.records.errors import InputError
from tests.builders.faulty_replies import WHOLE
from tests.builders.provider import FakeProvider
from tests.builders.provider import Reply as Sent
from tests.generate.calls.examples import attempt, call

FOLDER = Path("tests/fixtures/certificate").absolute()
"""An authority's certificate that is also that of a server at 127.0.0.1, and its key."""


def ask():
    """The reply of a server on this machine with this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(FOLDER / "certificate.pem", FOLDER / "key.pem")
    with FakeProvider(lambda _: Sent(WHOLE), certificate=context) as server:
        return attempt(call(url=server.url))


def test_an_authority_is_trusted_once_ssl_cert_file_names_it(monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    fault = ask()
    assert isinstance(fault, Fault)
    assert (fault.status, fault.code, fault.scope) == ("connection_failed", "certificate", "cell")
    monkeypatch.setenv("SSL_CERT_FILE", str(FOLDER / "certificate.pem"))
    assert isinstance(ask(), Reply)
    monkeypatch.setenv("SSL_CERT_FILE", str(FOLDER / "no-certificate.pem"))
    with pytest.raises(InputError, match="SSL_CERT_FILE"):
        ask()
