"""HTTPS on this machine with a certificate of a private authority."""

import asyncio
import datetime
import ipaddress
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from stages.contracts.errors import InputError
from stages.generate.calls.client import open_caller
from stages.generate.calls.faults import CallFailed, Fault, Reply
from stages.generate.plan.endpoint import Endpoint
from tests.generate.calls.examples import call
from tests.generate.faulty_server import FaultyServer

NOW = datetime.datetime.now(datetime.UTC)


def signed(
    name: str, key: ec.EllipticCurvePrivateKey, issuer: str, by: ec.EllipticCurvePrivateKey
) -> bytes:
    """A certificate as PEM: of an authority when it is signed by itself, else of a server at 127.0.0.1."""
    subject, authority = (
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)]) for text in (name, issuer)
    )
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(authority)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - datetime.timedelta(days=1))
        .not_valid_after(NOW + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=name == issuer, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(by, hashes.SHA256())
    )
    return certificate.public_bytes(serialization.Encoding.PEM)


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    """The file of a private authority, beside `server.pem` with a certificate and key that it signed."""
    root, server = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    (tmp_path / "authority.pem").write_bytes(signed("authority", root, "authority", root))
    private = server.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (tmp_path / "server.pem").write_bytes(signed("server", server, "authority", root) + private)
    return tmp_path / "authority.pem"


def ask(folder: Path) -> Reply | Fault:
    """The reply of a server on this machine that has the certificate in `folder`."""

    async def main() -> Reply | Fault:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "server.pem")
        server = await asyncio.start_server(FaultyServer().serve, "127.0.0.1", 0, ssl=context)
        async with server:
            url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            endpoint = Endpoint(provider="openai", url=url)
            async with open_caller([endpoint], {}) as caller:
                try:
                    return await caller(call(endpoint=endpoint))
                except CallFailed as failed:
                    return failed.fault

    return asyncio.run(main())


def test_a_private_authority_named_in_ssl_cert_file_is_trusted(
    authority: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    assert isinstance(ask(authority.parent), Reply)


def test_an_unknown_authority_is_refused_once_and_the_variable_is_named(
    authority: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    found = ask(authority.parent)
    assert isinstance(found, Fault)
    assert (found.status, found.code, found.scope) == ("connection_failed", "certificate", "cell")
    assert "SSL_CERT_FILE" in found.message


def test_a_file_that_holds_no_certificates_is_named_before_anything_is_called(
    authority: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority.write_text("no certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with pytest.raises(InputError, match="SSL_CERT_FILE"):
        ask(authority.parent)
