"""`python -m bench.loopback_server --latency-ms 100`: a provider that answers any request after a fixed time.

It keeps up with more than it is asked for, so that a benchmark measures the client. Prints its port, then serves until killed.
`GET /stats` says how many calls there were and how many were in flight at once, `GET /reset` sets both to zero.
"""

import argparse
import time

from bench.draft_graphs import answer_text
from tests.builders.provider import FakeProvider, Reply, Request, answer_body, json_reply

ANSWER_BYTES = 6 * 1024


class TimedProvider(FakeProvider):
    """Gives every call the same answer; `calls` counts them."""

    def __init__(self, latency_s: float) -> None:
        super().__init__()
        self.calls = 0
        self._latency_s = latency_s
        self._answer = Reply(_answer())

    def reply(self, request: Request) -> Reply:
        """The answer to a call, or the state of the server."""
        with self.lock:
            self.requests.clear()  # a benchmark makes too many to keep
            if request.method == "POST":
                self.calls += 1
            elif request.path == "/reset":
                self.calls = self.most_in_flight = 0
        if request.method == "POST":
            time.sleep(self._latency_s)
            return self._answer
        return json_reply({"requests": self.calls, "most_in_flight": self.most_in_flight})


def _answer() -> bytes:
    nodes = 6
    while len(text := answer_text(nodes, seed=1)) < ANSWER_BYTES - 500:
        nodes += 1
    return answer_body(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency-ms", type=float, default=100.0)
    provider = TimedProvider(parser.parse_args().latency_ms / 1000)
    print(provider.port, flush=True)
    provider.serve_forever()
