"""A provider that goes wrong in every way that a real one has been seen to."""

import json
import ssl
from collections import Counter
from collections.abc import Callable
from email.utils import formatdate
from time import sleep, time

from tests.builders.api_bodies import response_body
from tests.builders.provider import FakeProvider, Reply, Request, input_of, json_reply

HTML = b"<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>"


def answer(cell: str) -> bytes:
    """A complete answer."""
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    return json.dumps(response_body(f"to {cell}", id=f"resp_{cell}", usage=usage)).encode()


def error(status: int, code: str, **headers: str) -> Reply:
    """An error in the API's shape."""
    body = {"message": f"fault {code}", "type": code, "code": code, "param": None}
    return json_reply({"error": body}, status, **headers)


def _limited(**headers: str) -> Reply:
    return error(429, "rate_limit_exceeded", **headers)


FAULTS: dict[str, Callable[[bytes], Reply]] = {
    "429 Retry-After": lambda _: _limited(retry_after="0.01"),
    "429 Retry-After date": lambda _: _limited(retry_after=formatdate(time(), usegmt=True)),
    "429 retry-after-ms": lambda _: _limited(retry_after_ms="10"),
    "429 bare": lambda _: _limited(),
    "408": lambda _: error(408, "timeout"),
    "409": lambda _: error(409, "conflict"),
    "500": lambda _: error(500, "server_error"),
    "502 HTML": lambda _: Reply(HTML, 502, {"content-type": "text/html"}),
    "503": lambda _: error(503, "overloaded"),
    "529": lambda _: error(529, "overloaded"),
    "cut JSON": lambda whole: Reply(whole[:40]),
    "HTML": lambda _: Reply(HTML, headers={"content-type": "text/html"}),
    "empty body": lambda _: Reply(),
    "wrong shape": lambda _: json_reply({"hello": "world"}),
    "broken gzip": lambda _: Reply(b"no gzip", headers={"content-encoding": "gzip"}),
    "a list": lambda _: json_reply([1, 2]),
    "failed answer": lambda _: json_reply(
        {"status": "failed", "output": [], "error": {"code": "server_error", "message": "oops"}}
    ),
    "insufficient_quota": lambda _: error(429, "insufficient_quota"),
    "billing_hard_limit_reached": lambda _: error(400, "billing_hard_limit_reached"),
    "401": lambda _: error(401, "invalid_api_key"),
    "403": lambda _: error(403, "forbidden"),
    "400": lambda _: error(400, "invalid_value"),
    "404": lambda _: error(404, "model_not_found"),
    "422": lambda _: error(422, "unprocessable"),
    "closed at once": lambda _: Reply(raw=b"", then="close"),
    "reset": lambda _: Reply(raw=b"", then="reset"),
    "no HTTP": lambda _: Reply(raw=b"SSH-2.0-OpenSSH_9.6\r\n\r\n", then="close"),
    "a huge header": lambda whole: Reply(whole, headers={"x-huge": "x" * 1_000_000}, then="close"),
    "closed mid-body": lambda whole: Reply(whole[:30], sent_length=len(whole), then="close"),
    "short body": lambda whole: Reply(whole, sent_length=len(whole) + 10, then="close"),
    "reset mid-body": lambda whole: Reply(whole[:30], sent_length=len(whole), then="reset"),
}
SLOW_FAULTS: dict[str, Callable[[bytes], Reply]] = {
    "drip": lambda whole: Reply(whole, then="drip"),
    "silence": lambda _: Reply(raw=b"", then="silence"),
    "silent body": lambda whole: Reply(whole[:-20], sent_length=len(whole), then="silence"),
}
LASTING = ("insufficient_quota", "billing_hard_limit_reached", "400", "401", "403", "404", "422")
PASSING = tuple(name for name in FAULTS if name not in LASTING)
"""The faults that another attempt gets over, without the slow ones."""


class FaultyServer(FakeProvider):
    """`plan(cell, nth)` names the fault of the nth call (from 1) of a cell, None for an answer; `latency_s` delays each."""

    def __init__(
        self,
        plan: Callable[[str, int], str | None] = lambda _cell, _nth: None,
        *,
        latency_s: float = 0.0,
        certificate: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__(certificate=certificate)
        self.calls: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self._plan = plan
        self._latency_s = latency_s

    def reply(self, request: Request) -> Reply:
        cell = input_of(request.body)
        sleep(self._latency_s)
        with self.lock:
            self.calls[cell] += 1
            fault = self._plan(cell, self.calls[cell])
            self.faults[fault or "none"] += 1
        whole = answer(cell)
        return Reply(whole) if fault is None else (FAULTS | SLOW_FAULTS)[fault](whole)
