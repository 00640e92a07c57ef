"""A server on loopback that answers like the Responses API, and goes wrong in every way that a real one has been seen to."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from time import time

from tests.builders.api_bodies import response_body

HTML = b"<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>"


def answer(cell: str) -> bytes:
    """A complete answer."""
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    return json.dumps(response_body(f"to {cell}", id=f"resp_{cell}", usage=usage)).encode()


def http(status: int, body: bytes, length: int | None = None, /, **headers: str) -> bytes:
    """A whole HTTP answer; `length` lies about the body's length."""
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body) if length is None else length}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def error(status: int, code: str, **headers: str) -> bytes:
    """An error in the API's shape."""
    body = {"error": {"message": f"fault {code}", "type": code, "code": code, "param": None}}
    return http(status, json.dumps(body).encode(), None, content_type="application/json", **headers)


WHOLE: dict[str, Callable[[str], bytes]] = {
    "429 Retry-After": lambda cell: error(429, "rate_limit_exceeded", retry_after="0.01"),
    "429 Retry-After date": lambda cell: error(
        429, "rate_limit_exceeded", retry_after=formatdate(time(), usegmt=True)
    ),
    "429 retry-after-ms": lambda cell: error(429, "rate_limit_exceeded", retry_after_ms="10"),
    "429 bare": lambda cell: error(429, "rate_limit_exceeded"),
    "408": lambda cell: error(408, "timeout"),
    "409": lambda cell: error(409, "conflict"),
    "500": lambda cell: error(500, "server_error"),
    "502 HTML": lambda cell: http(502, HTML, content_type="text/html"),
    "503": lambda cell: error(503, "overloaded"),
    "529": lambda cell: error(529, "overloaded"),
    "cut JSON": lambda cell: http(200, answer(cell)[:40], content_type="application/json"),
    "HTML": lambda cell: http(200, HTML, content_type="text/html"),
    "empty body": lambda cell: http(200, b"", content_type="application/json"),
    "wrong shape": lambda cell: http(200, b'{"hello": "world"}', content_type="application/json"),
    "broken gzip": lambda cell: http(
        200, b"no gzip", content_type="application/json", content_encoding="gzip"
    ),
    "a list": lambda cell: http(200, b"[1, 2]", content_type="application/json"),
    "failed answer": lambda cell: http(
        200,
        b'{"status": "failed", "output": [], "error": {"code": "server_error", "message": "oops"}}',
    ),
    "insufficient_quota": lambda cell: error(429, "insufficient_quota"),
    "billing_hard_limit_reached": lambda cell: error(400, "billing_hard_limit_reached"),
    "401": lambda cell: error(401, "invalid_api_key"),
    "403": lambda cell: error(403, "forbidden"),
    "400": lambda cell: error(400, "invalid_value"),
    "404": lambda cell: error(404, "model_not_found"),
    "422": lambda cell: error(422, "unprocessable"),
}
CUT: dict[str, Callable[[str], bytes]] = {  # what is sent before the connection is closed or reset
    "closed at once": lambda cell: b"",
    "reset": lambda cell: b"",
    "no HTTP": lambda cell: b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    "a huge header": lambda cell: http(200, answer(cell), None, x_huge="x" * 1_000_000),
    "closed mid-body": lambda cell: http(200, answer(cell)[:30], len(answer(cell))),
    "short body": lambda cell: http(200, answer(cell), len(answer(cell)) + 10),
    "reset mid-body": lambda cell: http(200, answer(cell)[:30], len(answer(cell))),
}
SLOW = ("drip", "silence", "silent body")
PASSING = tuple(
    name
    for name in (*WHOLE, *CUT)
    if name[:3] not in ("400", "401", "403", "404", "422")
    and not name.startswith(("insuff", "billing"))
)
"""The faults that another attempt gets over, without the slow ones."""


@dataclass
class FaultyServer:
    """`plan(cell, nth)` names the fault of the nth call (from 1) of a cell, None for an answer; `latency_s` delays each."""

    plan: Callable[[str, int], str | None] = lambda cell, nth: None
    latency_s: float = 0.0
    calls: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    keep_requests: bool = False
    in_flight: int = 0
    most_in_flight: int = 0
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        try:
            while await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {
            line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip()
            for line in lines[1:]
            if ":" in line
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        asked = json.loads(body)
        cell = str(asked["input"] if "input" in asked else asked["messages"][-1]["content"])
        self.calls[cell] += 1
        if self.keep_requests:
            self.requests.append(({"": lines[0], **headers}, body))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.latency_s)
            fault = self.plan(cell, self.calls[cell])
            self.faults[fault or "none"] += 1
            return await self._send(cell, fault, writer)
        finally:
            self.in_flight -= 1

    async def _send(self, cell: str, fault: str | None, writer: asyncio.StreamWriter) -> bool:
        whole = http(200, answer(cell), content_type="application/json")
        if fault is None or fault in WHOLE:
            writer.write(whole if fault is None else WHOLE[fault](cell))
            await writer.drain()
            return True
        if fault in CUT:
            writer.write(CUT[fault](cell))
            await writer.drain()
            if fault.startswith("reset"):
                writer.transport.abort()
            return False
        if fault == "drip":
            for byte in whole:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.05)
            return True
        writer.write(whole[:-20] if fault == "silent body" else b"")
        await asyncio.sleep(3600)
        return False


@asynccontextmanager
async def faulty_server(server: FaultyServer) -> AsyncIterator[FaultyServer]:
    """Serve on a free port of the loopback interface; `server.url` is the base URL."""
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, backlog=1024, limit=2**22)
    port = listening.sockets[0].getsockname()[1]
    server.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield server
    finally:
        listening.close()
        for task in asyncio.all_tasks():
            if task is not asyncio.current_task() and "FaultyServer.serve" in repr(task.get_coro()):
                task.cancel()
