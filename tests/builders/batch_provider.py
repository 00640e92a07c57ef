"""A server that speaks the Files and Batch APIs, with its files and state in memory; loopback only.

What goes wrong is set by `behave`:

    looks           looks at a batch until it ends (default 1)
    end             the status it ends with (default "completed")
    text            the text of every answer (default a graph)
    finished        how many of its requests are answered by then (default all)
    fail            custom ids whose request fails, with the HTTP status each fails with
    faults          {"METHOD /path-prefix": [status, ...]}: replies to the next requests, which are not carried out; 0 closes the connection
    garble          {"METHOD /path-prefix": [name in GARBLED, ...]}: the next requests are carried out, and their replies garbled
    token_limit     requests that fit into the queue; a larger batch fails its validation
    counts          what the ended batch says of its requests, whatever they are
    leave_out       custom ids of requests without a line in the files
    noise           true: an unknown id, a repeated line and a broken line are in the output file
"""

import itertools
import json
import re
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.builders.api_bodies import completion_body, response_body
from tests.builders.provider import FakeProvider, Reply, json_reply

CLOSED = Reply(raw=b"", then="close")
GARBLED: dict[str, Callable[[bytes], Reply]] = {
    "cut": lambda content: Reply(content[: len(content) // 2]),
    "html": lambda _: Reply(b"<html><body>\nBad gateway\n</body></html>"),
    "type": lambda _: Reply(b'[{"id": 7}]'),
    "text": lambda _: Reply(b'"accepted"'),
    "empty": lambda _: Reply(b""),
    "lost": lambda _: CLOSED,
    "stalled": lambda _: Reply(raw=b"", then="silence"),
    "unlisted": lambda _: json_reply({"data": [], "has_more": False}),
}
UNREADABLE = ("cut", "html", "type", "text", "empty", "lost")
NOT_FOUND = json_reply({"error": {"message": "no such thing", "code": None}}, 404)


class BatchProvider(FakeProvider):
    """`asked` counts requests such as "POST /files"; `done` has those that were carried out."""

    def __init__(self):
        super().__init__()
        self.behaviour: dict[str, Any] = {}
        self.asked: Counter[str] = Counter()
        self.done: list[str] = []
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self._numbers = itertools.count()

    def behave(self, **behaviour):
        """What goes wrong from now on."""
        self.behaviour = behaviour

    def submitted(self) -> list[dict[str, Any]]:
        """Every request of every batch that was created."""
        return [request for batch in self.batches.values() for request in self._requests_of(batch)]

    def most_submitted(self) -> int:
        """How often the request that is in most batches was submitted."""
        return max(Counter(request["custom_id"] for request in self.submitted()).values())

    def reply(self, request) -> Reply:
        path = request.path.split("?")[0].removeprefix("/v1")
        name = f"{request.method} {path}"
        with self.lock:
            self.asked[name] += 1
            fault = self._next("faults", name)
            if fault == 0:
                return CLOSED
            if fault:
                return json_reply({"error": {"message": f"injected {fault}"}}, fault)
            reply = self._carry_out(request.method, path, request.content)
            self.done.append(name)
            garble = self._next("garble", name)
        return reply if garble is None else GARBLED[garble](reply.content)

    def _next(self, table, name):
        for prefix, entries in self.behaviour.get(table, {}).items():
            if name.startswith(prefix) and entries:
                return entries.pop(0)
        return None

    def _carry_out(self, method, path, content):
        _, kind, *names = path.split("/")
        if (method, kind, names) == ("POST", "files", []):
            part = re.search(rb'name="file".*?\r\n\r\n(.*?)\r\n--', content, re.DOTALL)
            assert part is not None
            return json_reply({"id": self._add_file(part.group(1))})
        if (method, kind, names) == ("POST", "batches", []):
            return json_reply(self._create(json.loads(content)))
        if kind == "batches" and not names:
            newest_first = list(reversed(self.batches.values()))
            return json_reply({"data": newest_first, "has_more": False})
        if kind == "batches" and names[0] in self.batches:
            batch = self.batches[names[0]]
            if method == "POST":
                batch["status"] = "cancelling"
            else:
                self._look(batch)
            return json_reply(batch)
        if kind == "files" and names[0] in self.files:
            return Reply(self.files[names[0]])
        return NOT_FOUND

    def _add_file(self, content):
        file_id = f"file_{next(self._numbers)}"
        self.files[file_id] = content
        return file_id

    def _requests_of(self, batch):
        return [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]

    def _create(self, asked):
        batch = asked | {
            "id": f"batch_{next(self._numbers)}",
            "created_at": int(time.time()),
            "status": "in_progress",
            "looks": 0,
        }
        count = len(self._requests_of(batch))
        batch["request_counts"] = {"total": count, "completed": 0, "failed": 0}
        if count > self.behaviour.get("token_limit", 1_000):
            error = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}
            batch |= {"status": "failed", "errors": {"data": [error]}}
        self.batches[batch["id"]] = batch
        return batch

    def _look(self, batch):
        batch["looks"] += 1
        finished = self.behaviour.get("finished")
        if batch["status"] == "cancelling":
            self._end(batch, "cancelled", finished or 0)
        elif batch["status"] == "in_progress" and batch["looks"] >= self.behaviour.get("looks", 1):
            self._end(batch, self.behaviour.get("end", "completed"), finished)

    def _end(self, batch, status, finished):
        answers: list[bytes] = []
        errors: list[bytes] = []
        requests = self._requests_of(batch)
        for request in requests[:finished]:
            failed_with = self.behaviour.get("fail", {}).get(request["custom_id"])
            body = {"error": {"message": "made to fail", "code": None}}
            if failed_with is None:
                body = body_for(request["body"], self.behaviour.get("text"))
            response = {"status_code": failed_with or 200, "body": body}
            line = line_of(request, response=response, error=None)
            (errors if failed_with else answers).append(line)
        for request in requests[len(answers) + len(errors) :]:
            error = {"code": f"batch_{status}", "message": f"The batch {status}."}
            errors.append(line_of(request, response=None, error=error))
        answers.reverse()
        batch["request_counts"] |= {"completed": len(answers), "failed": len(errors)}
        batch["request_counts"] |= self.behaviour.get("counts", {})
        left_out = [id_.encode() for id_ in self.behaviour.get("leave_out", ())]
        answers = [line for line in answers if not any(id_ in line for id_ in left_out)]
        if self.behaviour.get("noise"):
            stranger = line_of({"custom_id": "nobody"}, response={"status_code": 200, "body": {}})
            answers += [answers[0], stranger, b'{"custom_id": ']
        batch["status"] = status
        for name, lines in (("output_file_id", answers), ("error_file_id", errors)):
            batch[name] = self._add_file(b"\n".join(lines) + b"\n") if lines else None


def line_of(request, **fields) -> bytes:
    """The line of an output or error file about a request."""
    record = {"custom_id": request["custom_id"]} | fields
    return json.dumps(record, ensure_ascii=False).encode()


def body_for(asked, text):
    """The answer to one request: its text repeats the brief, with the line ends that a careless reader would split at."""
    if "input" in asked:
        text = text or f'{{"nodes": [], "edges": [], "said": "{asked["input"]}\u2028\u0085"}}'
        return response_body(text, usage={"input_tokens": 100, "output_tokens": 50})
    return completion_body('{"nodes": [], "edges": []}')
