"""HTTPS on this machine with a certificate that no system knows."""

import datetime
import ipaddress
import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from graph_evaluator.generate.calls.faults import Fault, Reply
from graph_evaluator.records.errors import InputError
from tests.builders.faulty_replies import WHOLE
from tests.builders.provider import FakeProvider
from tests.builders.provider import Reply as Sent
from tests.generate.calls.examples import attempt, call

NOW = datetime.datetime.now(datetime.UTC)
SIGNS = x509.KeyUsage(True, False, False, False, False, True, True, False, False)


@pytest.fixture
def certificate(tmp_path):
    """The file of an authority's certificate that is also that of a server at 127.0.0.1; its key is beside it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a test")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(NOW - datetime.timedelta(days=1))
        .not_valid_after(NOW + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(SIGNS, critical=True)
        .add_extension(address, critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    form, password = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (tmp_path / "key.pem").write_bytes(key.private_bytes(pem, form, password))
    file = tmp_path / "certificate.pem"
    file.write_bytes(signed.public_bytes(pem))
    return file


def ask(certificate):
    """The reply of a server on this machine with this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    with FakeProvider(lambda _: Sent(WHOLE), certificate=context) as server:
        return attempt(call(url=server.url))


def test_an_authority_is_trusted_once_ssl_cert_file_names_it(certificate, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    fault = ask(certificate)
    assert isinstance(fault, Fault)
    assert (fault.status, fault.code, fault.scope) == ("connection_failed", "certificate", "cell")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert isinstance(ask(certificate), Reply)
    wrong = certificate.with_name("wrong.pem")
    wrong.write_text("no certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(wrong))
    with pytest.raises(InputError, match="SSL_CERT_FILE"):
        ask(certificate)
