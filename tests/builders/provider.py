"""The fake provider of all tests: a server on loopback whose replies a function chooses, also those that a real one sends when it fails."""

import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

from tests.builders.api_bodies import response_body

DRIP_S = 0.05


@dataclass(frozen=True)
class Request:
    """What was asked; the names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The JSON object that was sent."""
        loaded: dict[str, Any] = json.loads(self.content)
        return loaded


@dataclass(frozen=True)
class Reply:
    """What is sent: `raw`, where it is given, else a whole HTTP answer; `sent_length` lies about its length.

    Then the connection is kept, closed, reset, or held in silence until the client is gone; "drip" sends one byte at a time.
    """

    content: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    sent_length: int | None = None
    raw: bytes | None = None
    then: Literal["keep", "close", "reset", "silence", "drip"] = "keep"

    def http(self) -> bytes:
        """All bytes that are sent."""
        if self.raw is not None:
            return self.raw
        length = len(self.content) if self.sent_length is None else self.sent_length
        lines = [f"HTTP/1.1 {self.status} X", f"content-length: {length}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join([*lines, "", ""]).encode() + self.content


def json_reply(value, status=200, **headers) -> Reply:
    """A reply with a JSON value; `_` in the name of a header stands for `-`."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Reply(json.dumps(value).encode(), status, {"content-type": "application/json"} | named)


class FakeProvider:
    """Serves while it is entered as a context; `requests` are those so far, in their order."""

    def __init__(self, reply=None, *, port=0, certificate=None) -> None:
        self.requests: list[Request] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.lock = threading.RLock()
        self._reply = reply
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def answer(self):
                headers = {name.lower(): value for name, value in self.headers.items()}
                content = read_content(self.rfile, headers)
                request = Request(self.command, self.path, headers, content)
                with provider.lock:
                    provider.requests.append(request)
                    provider.in_flight += 1
                    provider.most_in_flight = max(provider.most_in_flight, provider.in_flight)
                try:
                    reply = provider.reply(request)
                    self.close_connection = reply.then not in ("keep", "drip")
                    send(self.connection, reply)
                finally:
                    with provider.lock:
                        provider.in_flight -= 1

            do_GET = do_HEAD = do_POST = do_PATCH = answer  # noqa: N815

            def log_message(self, *_):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 1024

            def handle_error(self, request, client_address):
                pass

        self._server = Quiet(("127.0.0.1", port), Handler)
        self._scheme = "http"
        if certificate is not None:
            self._scheme = "https"
            self._server.socket = certificate.wrap_socket(self._server.socket, server_side=True)

    def reply(self, request):
        """The reply to a request."""
        assert self._reply is not None
        return self._reply(request)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self._scheme}://{self.host}/v1"

    def serve_forever(self) -> None:
        self._server.serve_forever(0.02)

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


def read_content(stream, headers):
    """The content of a request, which may come in chunks."""
    if headers.get("transfer-encoding") != "chunked":
        return stream.read(int(headers.get("content-length", 0)))
    content = b""
    while size := int(stream.readline(), 16):
        content += stream.read(size)
        stream.readline()
    return content


def send(connection, reply):
    """Send a reply, and end it as it says."""
    raw = reply.http()
    if reply.then == "drip":
        for byte in raw:
            connection.sendall(bytes([byte]))
            time.sleep(DRIP_S)
        return
    connection.sendall(raw)
    if reply.then == "silence":
        connection.recv(1)
    if reply.then == "reset":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()


GRAPH = '{"nodes": [], "edges": []}'


def answer_body(text=GRAPH, **changed) -> bytes:
    """A complete answer of the Responses API, of 1,000 tokens in and 500 out."""
    usage = {
        "input_tokens": 1000,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 500,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 1500,
    }
    stated = {"model": "m-1", "service_tier": "default", "usage": usage}
    return json.dumps(response_body(text, **stated | changed)).encode()


def always(brief, nth) -> tuple[int, bytes]:
    """Every call is answered."""
    return 200, answer_body()


def input_of(asked) -> str:
    """The user message of a request."""
    return str(asked["input"] if "input" in asked else asked["messages"][-1]["content"])


class CountingServer(FakeProvider):
    """Answers with `answering(name, nth call of that name from 1)`, and keeps the count of calls.

    What a call is named by is its input, unless `name` says otherwise. The first calls of a name
    in `script` get the replies that are listed there.
    """

    def __init__(self, answering=always, *, latency_s=0.0, name=input_of, port=0):
        super().__init__(port=port)
        self.calls: Counter[str] = Counter()
        self.script: dict[str, Sequence[tuple[int, bytes]]] = {}
        self.answering = answering
        self._latency_s = latency_s
        self._name = name

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [request.body for request in self.requests]

    def reply(self, request):
        text = self._name(request.body)
        with self.lock:
            self.calls[text] += 1
            nth = self.calls[text]
        time.sleep(self._latency_s)
        script = self.script.get(text, [])
        status, content = script[nth - 1] if nth <= len(script) else self.answering(text, nth)
        return Reply(content, status)
