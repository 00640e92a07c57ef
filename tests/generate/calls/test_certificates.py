"""HTTPS on this machine with a certificate of a private authority."""

import datetime
import ipaddress
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from stages.generate.calls.faults import Fault, Reply
from stages.shared.records.errors import InputError
from tests.builders.faulty_replies import WHOLE
from tests.builders.provider import FakeProvider
from tests.builders.provider import Reply as Sent
from tests.generate.calls.examples import attempt, call

NOW = datetime.datetime.now(datetime.UTC)
SIGNS_CERTIFICATES = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
Key = ec.EllipticCurvePrivateKey


def signed(name: str, key: Key, authority: Key) -> bytes:
    """A certificate as PEM: of the authority when it is signed by itself, else of a server at 127.0.0.1."""
    subject, issuer = (
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)]) for text in (name, "authority")
    )
    is_authority = key is authority
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    extensions: list[x509.ExtensionType] = [
        x509.BasicConstraints(ca=is_authority, path_length=None),
        x509.SubjectAlternativeName([address]),
        x509.SubjectKeyIdentifier.from_public_key(key.public_key()),
        x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()),
    ]
    if is_authority:
        extensions.append(SIGNS_CERTIFICATES)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - datetime.timedelta(days=1))
        .not_valid_after(NOW + datetime.timedelta(days=1))
    )
    for extension in extensions:
        is_critical = isinstance(extension, x509.BasicConstraints | x509.KeyUsage)
        builder = builder.add_extension(extension, is_critical)
    return builder.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    """The file of a private authority, beside `server.pem` with a certificate and key that it signed."""
    root, server = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    private = server.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (tmp_path / "server.pem").write_bytes(signed("server", server, root) + private)
    file = tmp_path / "authority.pem"
    file.write_bytes(signed("authority", root, root))
    return file


def ask(authority: Path) -> Reply | Fault:
    """The reply of a server on this machine whose certificate the authority signed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.with_name("server.pem"))
    with FakeProvider(lambda _: Sent(WHOLE), certificate=context) as server:
        return attempt(call(url=server.url))


def test_an_authority_is_trusted_once_ssl_cert_file_names_it(
    authority: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    fault = ask(authority)
    assert isinstance(fault, Fault)
    assert (fault.status, fault.code, fault.scope) == ("connection_failed", "certificate", "cell")
    assert "name its file in SSL_CERT_FILE" in fault.message
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    assert isinstance(ask(authority), Reply)
    authority.write_text("no certificate")
    with pytest.raises(InputError, match="SSL_CERT_FILE"):
        ask(authority)
