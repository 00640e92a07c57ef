"""The loopback HTTP server that speaks the API of the simulated models. Adapter: it listens, waits and closes connections."""

import asyncio
import hashlib
from collections import Counter
from typing import Self

from aiohttp import web

from stages.contracts.json_text import JsonValue, canonical
from stages.simulate.answer import EPOCH
from stages.simulate.characters import MODELS
from stages.simulate.reply import HttpReply, answered, call_failure, failed
from stages.simulate.request import (
    CHAT,
    RESPONSES,
    ApiError,
    JsonObject,
    inside,
    json_object,
    read_request,
)

_LARGEST_BODY, _HANG_S = 256 * 1024 * 1024, 86_400.0


class SimulatedServer:
    """An async context manager: listens on 127.0.0.1 from entering to leaving; port 0 takes a free one."""

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._attempts: Counter[str] = Counter()
        self._store = BatchStore()
        application = web.Application(client_max_size=_LARGEST_BODY)
        application.router.add_route("*", "/{rest:.*}", self._serve)
        self._runner = web.AppRunner(
            application, access_log=None, handler_cancellation=True, shutdown_timeout=0.05
        )

    @property
    def url(self) -> str:
        """The base URL for clients, up to and with `/v1`."""
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> Self:
        """Start listening."""
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = int(self._runner.addresses[0][1])
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening and drop what is still open."""
        await self._runner.cleanup()

    async def _serve(self, http: web.Request) -> web.StreamResponse:
        try:
            reply = await self._reply(http)
        except ApiError as error:
            reply = failed(
                error, http.method, http.path, hashlib.sha256(await http.read()).hexdigest()
            )
        if isinstance(reply, web.StreamResponse):
            return reply
        await asyncio.sleep(reply.delay_ms / 1000)
        content, headers = (
            canonical(reply.body),
            {"content-type": "application/json", **reply.headers},
        )
        return web.Response(status=reply.status, headers=headers, body=content)

    async def _reply(self, http: web.Request) -> HttpReply | web.StreamResponse:
        match http.method, http.path.removeprefix("/v1/").split("/"):
            case "POST", ["responses"] | ["chat", "completions"]:
                return await self._answer(http)
            case "GET", ["models"]:
                models: list[JsonValue] = [
                    {"id": name, "object": "model", "created": 0, "owned_by": "-"}
                    for name in MODELS
                ]
                return HttpReply(body={"object": "list", "data": models})
            case "POST", ["files"]:
                upload = (await http.post()).get("file")
                if isinstance(upload, web.FileField):
                    return HttpReply(body=self._store.add_file(upload.file.read()))
            case "GET", ["files", file_id, "content"] if file_id in self._store.files:
                return web.Response(body=self._store.files[file_id])
            case "POST", ["batches"]:
                return HttpReply(body=self._store.add_batch(json_object(await http.read())))
            case "GET", ["batches"]:
                batches: list[JsonValue] = [*reversed(self._store.batches.values())]  # newest first
                return HttpReply(body={"object": "list", "data": batches, "has_more": False})
            case ("GET", ["batches", name]) | ("POST", ["batches", name, "cancel"]) if (
                name in self._store.batches
            ):
                return HttpReply(body=self._store.batches[name])
        raise ApiError(404, None, f"Invalid URL ({http.method} {http.path[:200]})")

    async def _answer(self, http: web.Request) -> HttpReply | web.StreamResponse:
        request = read_request(await http.read(), http.path)
        key = hashlib.sha256(
            canonical([request.model, request.draw, request.instructions, request.input])
        ).hexdigest()
        self._attempts[key] += 1
        failure = call_failure(request, self._attempts[key])
        if isinstance(failure, ApiError):
            return failed(failure, key, str(self._attempts[key]))
        if failure == "hang":
            await asyncio.sleep(_HANG_S)
        if failure is not None and http.transport is not None:
            http.transport.abort()
            return web.Response(status=503)
        del self._attempts[key]
        return answered(request, http.path)


class BatchStore:
    """Uploaded files and batches by id, in memory; a batch is complete when it has been created."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, JsonObject] = {}

    def add_file(self, content: bytes) -> JsonObject:
        """Keep a file under the hash of its content; gives its description."""
        file_id = f"file-{hashlib.sha256(content).hexdigest()[:24]}"
        self.files[file_id] = content
        return {
            "id": file_id, "object": "file", "bytes": len(content), "created_at": EPOCH, "filename": "batch.jsonl",
            "purpose": "batch", "status": "processed",
        }  # fmt: skip

    def add_batch(self, body: JsonObject) -> JsonObject:
        """Answer every line of the input file that the body of POST /v1/batches names."""
        endpoint, source = body.get("endpoint"), str(body.get("input_file_id"))
        if endpoint not in (RESPONSES, CHAT) or source not in self.files:
            raise ApiError(400, "invalid_value", "Invalid value for 'endpoint' or 'input_file_id'.")
        lines = [
            _answered(line, str(endpoint))
            for line in self.files[source].splitlines()
            if line.strip()
        ]
        good = [line for line in lines if inside(line, "response")["status_code"] == 200]
        bad = [line for line in lines if line not in good]
        batch_id = f"batch_{len(self.batches) + 1}"
        self.batches[batch_id] = {
            "id": batch_id, "object": "batch", "endpoint": endpoint, "errors": None, "input_file_id": source,
            "completion_window": "24h", "status": "completed", "metadata": body.get("metadata"), "created_at": EPOCH,
            "completed_at": EPOCH, "output_file_id": self._lines_file(good), "error_file_id": self._lines_file(bad),
            "request_counts": {"total": len(lines), "completed": len(good), "failed": len(bad)},
        }  # fmt: skip
        return self.batches[batch_id]

    def _lines_file(self, lines: list[JsonObject]) -> JsonValue:
        return (
            self.add_file(b"".join(canonical(line) + b"\n" for line in lines))["id"]
            if lines
            else None
        )


def _answered(line: bytes, endpoint: str) -> JsonObject:
    asked, digest = json_object(line), hashlib.sha256(line).hexdigest()
    try:
        request = read_request(canonical(asked.get("body")), endpoint)
        failure = call_failure(request, 3)
        if failure is not None:
            raise failure if isinstance(failure, ApiError) else ApiError(500, None, "Not answered.")
        status, body = 200, answered(request, endpoint).body
    except ApiError as error:
        status, body = error.status, error.body
    response: JsonObject = {"status_code": status, "request_id": f"req_{digest[:32]}", "body": body}
    return {
        "id": f"batch_req_{digest[:24]}",
        "custom_id": asked.get("custom_id"),
        "response": response,
        "error": None,
    }
