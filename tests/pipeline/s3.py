"""An S3 server on the loopback."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import Request, urlopen

BUCKET = "team-answers"
ACCESS = {
    "AWS_ACCESS_KEY_ID": "reader",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_DEFAULT_REGION": "us-east-1",
}
NO_ACCESS = {
    "AWS_ACCESS_KEY_ID": "",
    "AWS_SECRET_ACCESS_KEY": "",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@contextmanager
def served() -> Iterator[str]:
    """Serve an empty bucket; gives the address of the server."""
    from moto.server import ThreadedMotoServer  # takes half a second

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        address = f"http://{host}:{port}"
        with urlopen(Request(f"{address}/{BUCKET}", method="PUT"), timeout=10):
            yield address
    finally:
        server.stop()
