"""The loopback HTTP server that speaks the API of the simulated models.

Adapter: it listens, waits and closes connections.
"""

import asyncio
import hashlib
from collections import Counter
from typing import Self

from aiohttp import web

from stages.contracts.json_text import JsonObject, JsonValue, canonical
from stages.simulate.answer import EPOCH
from stages.simulate.characters import MODELS
from stages.simulate.reply import HttpReply, answered, call_failure, failed
from stages.simulate.request import (
    CHAT,
    RESPONSES,
    ApiError,
    SimulatedRequest,
    json_object,
    read_request,
)

_MAX_BODY = 256 * 1024 * 1024
_HANG_S = 86_400.0


class SimulatedServer:
    """An async context manager: listens on 127.0.0.1 from entering to leaving; port 0 takes a free
    one.
    """

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._attempts: Counter[str] = Counter()
        self._batches = BatchApi()
        application = web.Application(client_max_size=_MAX_BODY)
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
            digest = hashlib.sha256(await http.read()).hexdigest()
            reply = failed(error, http.method, http.path, digest)
        if isinstance(reply, web.StreamResponse):
            return reply
        await asyncio.sleep(reply.delay_ms / 1000)
        headers = {"content-type": "application/json", **reply.headers}
        return web.Response(status=reply.status, headers=headers, body=canonical(reply.body))

    async def _reply(self, http: web.Request) -> HttpReply | web.StreamResponse:
        batches, uploads = self._batches.batches, self._batches.files
        match http.method, http.path.removeprefix("/v1/").split("/"):
            case "POST", ["responses"] | ["chat", "completions"]:
                return await self._answer(http)
            case "GET", ["models"]:
                return HttpReply(body=_listed([{"id": name, "object": "model"} for name in MODELS]))
            case "POST", ["files"]:
                upload = (await http.post()).get("file")
                if isinstance(upload, web.FileField):
                    return HttpReply(body=self._batches.add_file(upload.file.read()))
            case "GET", ["files", name, "content"] if name in uploads:
                return web.Response(body=uploads[name])
            case "POST", ["batches"]:
                return HttpReply(body=self._batches.add_batch(json_object(await http.read())))
            case "GET", ["batches"]:
                newest_first: list[JsonValue] = [*reversed(batches.values())]
                return HttpReply(body=_listed(newest_first) | {"has_more": False})
            case ("GET", ["batches", name]) | ("POST", ["batches", name, "cancel"]) if (
                name in batches
            ):
                return HttpReply(body=batches[name])
        raise ApiError(404, None, f"Invalid URL ({http.method} {http.path[:200]})")

    async def _answer(self, http: web.Request) -> HttpReply | web.StreamResponse:
        request = read_request(await http.read(), http.path)
        key = _request_key(request)
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


def _listed(entries: list[JsonValue]) -> JsonObject:
    return {"object": "list", "data": entries}


def _request_key(request: SimulatedRequest) -> str:
    parts = [request.model, request.draw, request.instructions, request.input]
    return hashlib.sha256(canonical(parts)).hexdigest()


class BatchApi:
    """Uploaded files and batches by id, in memory; a batch is complete once it is created."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, JsonObject] = {}

    def add_file(self, content: bytes) -> JsonObject:
        """Keep a file under the hash of its content; gives its description."""
        file_id = f"file-{hashlib.sha256(content).hexdigest()[:24]}"
        self.files[file_id] = content
        return {"id": file_id, "object": "file"}

    def add_batch(self, body: JsonObject) -> JsonObject:
        """Answer every line of the input file that the body of POST /v1/batches names."""
        endpoint = str(body.get("endpoint"))
        source = str(body.get("input_file_id"))
        if endpoint not in (RESPONSES, CHAT) or source not in self.files:
            raise ApiError(400, "invalid_value", "Invalid value for 'endpoint' or 'input_file_id'.")
        answers: list[JsonObject] = []
        errors: list[JsonObject] = []
        for line in self.files[source].splitlines():
            if line.strip():
                reply = _line_reply(line, endpoint)
                replies = answers if reply.status == 200 else errors
                replies.append(_output_line(line, reply))
        batch_id = f"batch_{len(self.batches) + 1}"
        total = len(answers) + len(errors)
        counts: JsonObject = {"total": total, "completed": len(answers), "failed": len(errors)}
        self.batches[batch_id] = {
            "id": batch_id,
            "object": "batch",
            "status": "completed",
            "metadata": body.get("metadata"),
            "created_at": EPOCH,
            "input_file_id": source,
            "output_file_id": self._lines_file(answers),
            "error_file_id": self._lines_file(errors),
            "request_counts": counts,
        }
        return self.batches[batch_id]

    def _lines_file(self, lines: list[JsonObject]) -> JsonValue:
        if not lines:
            return None
        return self.add_file(b"".join(canonical(line) + b"\n" for line in lines))["id"]


def _line_reply(line: bytes, endpoint: str) -> HttpReply:
    """The answer to one line of a batch; an error for a model that answers no call."""
    try:
        request = read_request(canonical(json_object(line).get("body")), endpoint)
    except ApiError as error:
        return failed(error)
    failure = call_failure(request, 3)
    if failure is None:
        return answered(request, endpoint)
    if isinstance(failure, ApiError):
        return failed(failure)
    return failed(ApiError(500, None, "Not answered."))


def _output_line(line: bytes, reply: HttpReply) -> JsonObject:
    return {
        "custom_id": json_object(line).get("custom_id"),
        "response": {"status_code": reply.status, "body": reply.body},
        "error": None,
    }
