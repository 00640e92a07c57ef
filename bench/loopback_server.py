"""`python -m bench.loopback_server --latency-ms 100`: a provider that answers any request after a fixed time.

It keeps up with far more than it is asked for, so that a benchmark measures the client. Prints its port, then serves until killed.
`GET /stats` tells the requests so far and the most that were in flight at once, `GET /reset` sets both to zero.
"""

import argparse
import asyncio
import json
from typing import cast

from bench.draft_graphs import answer_text

ANSWER_BYTES = 6 * 1024


class Provider:
    """What the connections share."""

    def __init__(self, latency_s: float) -> None:
        self.latency_s = latency_s
        self.requests = 0
        self.in_flight = 0
        self.most_in_flight = 0
        body = _answer()
        self.answer = (
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
            % (
                len(body),
                body,
            )
        )

    def told(self, path: bytes) -> bytes:
        """The answer to a question about the server itself."""
        if path == b"/reset":
            self.requests = self.most_in_flight = 0
        body = json.dumps(
            {"requests": self.requests, "most_in_flight": self.most_in_flight}
        ).encode()
        return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)


class Connection(asyncio.Protocol):
    """One connection: requests one after the other, each answered after the latency."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self.transport: asyncio.Transport | None = None
        self.received = bytearray()
        self.wanted = -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the transport."""
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Collect a request; answer it later when it is whole."""
        self.received += data
        if self.wanted < 0:
            end = self.received.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self.received[:end]).lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            self.wanted = end + 4 + length
        if len(self.received) < self.wanted or self.transport is None:
            return
        if self.received.startswith(b"GET "):
            self.transport.write(self.provider.told(bytes(self.received).split(b" ", 2)[1]))
        else:
            self.provider.requests += 1
            self.provider.in_flight += 1
            self.provider.most_in_flight = max(
                self.provider.most_in_flight, self.provider.in_flight
            )
            asyncio.get_running_loop().call_later(self.provider.latency_s, self.answer)
        self.received.clear()
        self.wanted = -1

    def answer(self) -> None:
        """Send the answer, if anybody is still there."""
        self.provider.in_flight -= 1
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(self.provider.answer)


def _answer() -> bytes:
    nodes = 6
    while len(text := answer_text(nodes, seed=1)) < ANSWER_BYTES - 500:
        nodes += 1
    message = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }
    usage = {
        "input_tokens": 9_000,
        "input_tokens_details": {"cached_tokens": 8_000},
        "output_tokens": 1_700,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 10_700,
    }
    return json.dumps(
        {
            "id": "resp_1",
            "object": "response",
            "created_at": 1_767_225_600,
            "status": "completed",
            "model": "gpt-4.1",
            "output": [message],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": usage,
        }
    ).encode()


async def _serve(latency_s: float) -> None:
    provider = Provider(latency_s)
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(provider), "127.0.0.1", 0, backlog=4096
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency-ms", type=float, default=100.0)
    asyncio.run(_serve(parser.parse_args().latency_ms / 1000))
