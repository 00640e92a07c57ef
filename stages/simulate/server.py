"""The loopback HTTP server that speaks the API of the simulated models. Adapter: it listens, waits and closes connections."""

import asyncio
import hashlib
from collections import Counter
from typing import Self

from aiohttp import web

from stages.contracts.json_text import JsonValue, canonical
from stages.simulate.batches import BatchStore
from stages.simulate.characters import MODELS
from stages.simulate.faults import call_failure
from stages.simulate.reply import HttpReply, answered, failed
from stages.simulate.request import ApiError, json_object, read_request

_LARGEST_BODY = 256 * 1024 * 1024
_HANG_S = 86_400.0


class SimulatedServer:
    """An async context manager: listens on 127.0.0.1 from entering to leaving; port 0 takes a free one."""

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._attempts: Counter[str] = Counter()
        self._store = BatchStore()
        application = web.Application(client_max_size=_LARGEST_BODY)
        application.router.add_route("*", "/{rest:.*}", self._serve)
        self._runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=0.05)

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
            reply = failed(error, http.method, http.path, hashlib.sha256(await http.read()).hexdigest())
        if isinstance(reply, web.StreamResponse):
            return reply
        await asyncio.sleep(reply.delay_ms / 1000)
        headers = {"content-type": "application/json", **reply.headers}
        return web.Response(status=reply.status, headers=headers, body=canonical(reply.body))

    async def _reply(self, http: web.Request) -> HttpReply | web.StreamResponse:
        match http.method, http.path.removeprefix("/v1/").split("/"):
            case "POST", ["responses"] | ["chat", "completions"]:
                return await self._answer(http)
            case "GET", ["models"]:
                models: list[JsonValue] = [
                    {"id": name, "object": "model", "created": 0, "owned_by": "-"} for name in MODELS
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
            case ("GET", ["batches", batch_id]) | ("POST", ["batches", batch_id, "cancel"]) if (
                batch_id in self._store.batches
            ):
                return HttpReply(body=self._store.batches[batch_id])
        raise ApiError(404, None, f"Invalid URL ({http.method} {http.path[:200]})")

    async def _answer(self, http: web.Request) -> HttpReply | web.StreamResponse:
        request = read_request(await http.read(), http.path)
        key = hashlib.sha256(canonical([request.model, request.draw, request.instructions, request.input])).hexdigest()
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
