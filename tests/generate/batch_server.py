"""A server that speaks the Files and Batch APIs, with real files and state on disk, for tests; loopback only.

Run it as `python -m tests.generate.batch_server FOLDER`: it prints its port. Everything it knows is in FOLDER, so it may be
killed and started again. What it does is set by `FOLDER/behaviour.json`, read anew at every request:

    looks           looks at a batch until it ends (default 1)
    end             the status it ends with (default "completed")
    finished        how many of its requests are answered by then (default all)
    fail            custom ids whose request fails, with the HTTP status each fails with
    faults          {"METHOD /path-prefix": [status, ...]}: answered with these statuses first, one each; 0 closes the connection
    lose_replies    the same, but the request is carried out before the connection is closed
    garble          the same, but the reply is "cut" in half, a page of "html", of another "type" or a "text"
    stall           the same, but no reply ever comes: the request is carried out and the client is left waiting
    token_limit     requests that fit into the queue; a larger batch fails its validation
    shuffle         true (default): output lines come in the order of their hashes, not of the input
    noise           true: an unknown id, a repeated line and a broken line are in the output file

Every request is a line in `FOLDER/requests.log`.
"""

import hashlib
import json
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.builders.api_bodies import completion_body, response_body
from tests.builders.provider import FakeProvider, Reply, Request, json_reply


class State:
    """What the server knows, on disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        for name in ("files", "batches"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    def behaviour(self) -> dict[str, Any]:
        file = self.folder / "behaviour.json"
        loaded: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
        return loaded

    def next_fault(self, table: str, request: str) -> Any:
        """The next status to answer a request with instead of doing it; None when it is to be done."""
        for prefix, statuses in self.behaviour().get(table, {}).items():
            if request.startswith(prefix):
                counter = self.folder / f"{table}-{hashlib.sha256(prefix.encode()).hexdigest()[:8]}"
                used = int(counter.read_text()) if counter.exists() else 0
                counter.write_text(str(used + 1))
                if used < len(statuses):
                    return statuses[used]
        return None

    def new_id(self, kind: str) -> str:
        return f"{kind}_{len(list((self.folder / 'files').iterdir())) + len(list((self.folder / 'batches').iterdir()))}"

    def batch(self, batch_id: str) -> dict[str, Any] | None:
        file = self.folder / "batches" / f"{batch_id}.json"
        loaded: dict[str, Any] | None = json.loads(file.read_text()) if file.exists() else None
        return loaded

    def keep(self, batch: dict[str, Any]) -> None:
        file = self.folder / "batches" / f"{batch['id']}.json"
        part = file.with_suffix(".part")
        part.write_text(json.dumps(batch))
        part.replace(file)

    def batches(self) -> list[dict[str, Any]]:
        """Newest first."""
        found = [json.loads(file.read_text()) for file in (self.folder / "batches").glob("*.json")]
        return sorted(found, key=lambda batch: -batch["order"])

    def add_file(self, content: bytes) -> str:
        file_id = self.new_id("file")
        (self.folder / "files" / file_id).write_bytes(content)
        return file_id

    def create(self, asked: dict[str, Any]) -> dict[str, Any]:
        lines = (self.folder / "files" / asked["input_file_id"]).read_bytes().splitlines()
        batch: dict[str, Any] = {
            "id": self.new_id("batch"),
            "object": "batch",
            "endpoint": asked["endpoint"],
            "completion_window": "24h",
            "input_file_id": asked["input_file_id"],
            "metadata": asked.get("metadata"),
            "created_at": int(time.time()),
            "status": "in_progress",
            "request_counts": {"total": len(lines), "completed": 0, "failed": 0},
            "looks": 0,
            "order": time.time_ns(),
        }
        limit = self.behaviour().get("token_limit")
        running = sum(
            other["request_counts"]["total"]
            for other in self.batches()
            if other["status"] == "in_progress"
        )
        if limit is not None and len(lines) + running > limit:
            batch["status"] = "failed"
            batch["errors"] = {
                "object": "list",
                "data": [
                    {"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}
                ],
            }
        self.keep(batch)
        return batch

    def look(self, batch: dict[str, Any]) -> dict[str, Any]:
        if batch["status"] in ("in_progress", "cancelling"):
            batch["looks"] += 1
            behaviour = self.behaviour()
            if batch["status"] == "cancelling":
                self.end(batch, "cancelled", behaviour.get("finished", 0))
            elif batch["looks"] >= behaviour.get("looks", 1):
                self.end(batch, behaviour.get("end", "completed"), behaviour.get("finished"))
            self.keep(batch)
        return batch

    def end(self, batch: dict[str, Any], status: str, finished: int | None) -> None:
        content = (self.folder / "files" / batch["input_file_id"]).read_bytes()
        requests = [json.loads(line) for line in content.splitlines()]
        behaviour = self.behaviour()
        answers: list[bytes] = []
        errors: list[bytes] = []
        for index, request in enumerate(requests):
            line: dict[str, Any] = {"id": f"req_{index}", "custom_id": request["custom_id"]}
            status_code = behaviour.get("fail", {}).get(request["custom_id"])
            if finished is not None and index >= finished:
                note = {
                    "code": f"batch_{status}",
                    "message": f"This request was not run: the batch {status}.",
                }
                errors.append(json.dumps({**line, "response": None, "error": note}).encode())
            elif status_code is not None:
                body: Any = {"error": {"message": f"made to fail with {status_code}", "code": None}}
                answer = {"status_code": status_code, "request_id": "r", "body": body}
                errors.append(json.dumps({**line, "response": answer, "error": None}).encode())
            else:
                answer = {
                    "status_code": 200,
                    "request_id": "r",
                    "body": body_for(request, batch["endpoint"]),
                }
                text = json.dumps({**line, "response": answer, "error": None}, ensure_ascii=False)
                answers.append(text.encode())
        if behaviour.get("shuffle", True):
            answers.sort(key=lambda line: hashlib.sha256(line).digest())
        batch["request_counts"] |= {"completed": len(answers), "failed": len(errors)}
        if behaviour.get("noise") and answers:
            stranger = {
                "custom_id": "nobody",
                "response": {"status_code": 200, "body": {}},
                "error": None,
            }
            answers += [answers[0], json.dumps(stranger).encode(), b'{"custom_id": ']
        batch["status"] = status
        batch["output_file_id"] = self.add_file(b"\n".join(answers) + b"\n") if answers else None
        batch["error_file_id"] = self.add_file(b"\n".join(errors) + b"\n") if errors else None


def body_for(request: dict[str, Any], endpoint: str) -> dict[str, Any]:
    """The answer to one request: its text repeats the brief, with the line ends that a careless reader would split at."""
    asked = request["body"]
    if endpoint == "/v1/responses":
        text = f'{{"nodes": [], "edges": [], "said": "{asked["input"]}\u2028\u0085"}}'
        usage = {"input_tokens": 100, "output_tokens": 50, "total_tokens": 150}
        return response_body(text, model=asked["model"], usage=usage)
    text = f'{{"nodes": [], "edges": [], "said": "{asked["messages"][-1]["content"]}"}}'
    usage = {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150}
    return completion_body(text, model=asked["model"], usage=usage)


def as_bytes(answer: Any) -> bytes:
    """The body of a reply."""
    return answer if isinstance(answer, bytes) else json.dumps(answer).encode()


GARBLED: dict[str, Callable[[Any], bytes]] = {
    "cut": lambda answer: as_bytes(answer)[: len(as_bytes(answer)) // 2],
    "html": lambda _: b"<html><body>\nBad gateway\n</body></html>",
    "type": lambda _: b'[{"id": 7}]',
    "text": lambda _: b'"accepted"',
    "empty": lambda _: b"",
}


class BatchServer(FakeProvider):
    """The Files and Batch APIs with the state of a folder."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        super().__init__(port=port)
        self.state = State(folder)

    def reply(self, request: Request) -> Reply:
        path = request.path.split("?")[0].removeprefix("/v1")
        name = f"{request.method} {path}"
        with self.state.lock:
            with (self.state.folder / "requests.log").open("a") as log:
                log.write(name + "\n")
            fault = self.state.next_fault("faults", name)
            if fault == 0:
                return CLOSED
            if fault is not None:
                return json_reply({"error": {"message": f"injected {fault}"}}, fault)
            status, answer = self.answer(request.method, path, request.content)
            if self.state.next_fault("lose_replies", name) is not None:
                return CLOSED
            garbled = self.state.next_fault("garble", name)
            stalls = self.state.next_fault("stall", name) is not None
            with (self.state.folder / "done.log").open("a") as log:
                log.write(name + "\n")
        if stalls:
            return Reply(raw=b"", then="silence")
        return Reply(as_bytes(answer) if garbled is None else GARBLED[garbled](answer), status)

    def answer(self, method: str, path: str, content: bytes) -> tuple[int, Any]:
        state = self.state
        if path == "/files" and method == "POST":
            part = re.search(rb'name="file".*?\r\n\r\n(.*?)\r\n--', content, re.DOTALL)
            assert part is not None
            file_id = state.add_file(part.group(1))
            return 200, {
                "id": file_id,
                "object": "file",
                "bytes": len(part.group(1)),
                "created_at": 0,
                "filename": "f",
                "purpose": "batch",
                "status": "processed",
            }
        if path == "/batches" and method == "POST":
            return 200, state.create(json.loads(content))
        if path == "/batches":
            found = state.batches()
            return 200, {"object": "list", "data": found, "has_more": False}
        named = re.fullmatch(r"/batches/([^/]+)(/cancel)?", path)
        if named:
            batch = state.batch(named.group(1))
            if batch is None:
                return 404, {
                    "error": {
                        "message": f"No batch found with id '{named.group(1)}'.",
                        "code": None,
                    }
                }
            if named.group(2) and batch["status"] == "in_progress":
                batch["status"] = "cancelling"
                state.keep(batch)
                return 200, batch
            return 200, state.look(batch)
        stored = re.fullmatch(r"/files/([^/]+)/content", path)
        if stored and (state.folder / "files" / stored.group(1)).exists():
            return 200, (state.folder / "files" / stored.group(1)).read_bytes()
        return 404, {"error": {"message": "no such thing", "code": None}}


CLOSED = Reply(raw=b"", then="close")

if __name__ == "__main__":
    server = BatchServer(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(server.port, flush=True)
    server.serve_forever()
