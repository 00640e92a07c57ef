"""HTTPS on this machine with a certificate of a private authority."""

import datetime
import ipaddress
import ssl
from pathlib import Path
from typing import Any

import httpx2
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


def signed(name: str, key: Key, authority: Key, *, key_identifiers: bool) -> bytes:
    """A certificate as PEM: of the authority when it is signed by itself, else of a server at 127.0.0.1."""
    subject, issuer = (
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)]) for text in (name, "authority")
    )
    is_authority = key is authority
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    extensions: list[tuple[x509.ExtensionType, bool]] = [
        (x509.BasicConstraints(ca=is_authority, path_length=None), True),
        (x509.SubjectAlternativeName([address]), False),
    ]
    if is_authority:
        extensions.append((SIGNS_CERTIFICATES, True))
    if key_identifiers:
        own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key())
        extensions += [(own, False), (signer, False)]
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - datetime.timedelta(days=1))
        .not_valid_after(NOW + datetime.timedelta(days=1))
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def write_certificates(folder: Path, *, key_identifiers: bool = True) -> Path:
    """The file of a private authority, beside `server.pem` with a certificate and key that it signed."""
    root, server = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    private = server.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    certificate = signed("server", server, root, key_identifiers=key_identifiers)
    (folder / "server.pem").write_bytes(certificate + private)
    file = folder / "authority.pem"
    file.write_bytes(signed("authority", root, root, key_identifiers=key_identifiers))
    return file


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    """The file of a private authority whose certificates have everything that is checked."""
    return write_certificates(tmp_path)


@pytest.fixture
def strictly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every version of Python verifies certificates as 3.13 does."""
    create_context = httpx2.create_ssl_context

    def strict_context(**options: Any) -> ssl.SSLContext:
        context = create_context(**options)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    monkeypatch.setattr(httpx2, "create_ssl_context", strict_context)


def ask(folder: Path) -> Reply | Fault:
    """The reply of a server on this machine that has the certificate in `folder`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    with FakeProvider(lambda _: Sent(WHOLE), certificate=context) as server:
        return attempt(call(url=server.url))


def test_a_private_authority_named_in_ssl_cert_file_is_trusted(
    authority: Path, strictly: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    assert isinstance(ask(authority.parent), Reply)


def test_a_certificate_without_key_identifiers_is_refused_with_the_reason(
    tmp_path: Path, strictly: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(write_certificates(tmp_path, key_identifiers=False)))
    fault = ask(tmp_path)
    assert isinstance(fault, Fault)
    assert "issued with key identifiers" in fault.message


def test_an_unknown_authority_is_refused_once_and_the_variable_is_named(
    authority: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    found = ask(authority.parent)
    assert isinstance(found, Fault)
    assert found.status == "connection_failed"
    assert found.code == "certificate"
    assert found.scope == "cell"
    assert "SSL_CERT_FILE" in found.message


def test_a_file_that_holds_no_certificates_is_named_before_anything_is_called(
    authority: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority.write_text("no certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with pytest.raises(InputError, match="SSL_CERT_FILE"):
        ask(authority.parent)
