"""The loopback HTTP server that speaks the API of the simulated models. Adapter: it listens, waits and hangs up."""

import asyncio
import hashlib
from collections.abc import Callable
from types import TracebackType
from typing import Self

from aiohttp import web

from stages.simulate import bodies
from stages.simulate.answer import Asked
from stages.simulate.api_error import ApiError, Rejected
from stages.simulate.asking import Request, read_chat, read_responses
from stages.simulate.conduct import conduct
from stages.simulate.reply import DRAW_HEADER, HttpReply, answered, failed, listed, request_id

_LARGEST_BODY = 64 * 1024 * 1024
_HANG_S = 86_400.0


class SimulatedServer:
    """An async context manager: listens on 127.0.0.1 from entering to leaving.

    Args:
        port: The port to listen on; 0 takes a free one.
    """

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._attempts: dict[tuple[str, ...], int] = {}
        self.calls = 0
        application = web.Application(client_max_size=_LARGEST_BODY)
        application.router.add_post("/v1/responses", self._responses)
        application.router.add_post("/v1/chat/completions", self._chat)
        application.router.add_get("/v1/models", self._models)
        application.router.add_route("*", "/{rest:.*}", self._elsewhere)
        self._runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=0.05)

    @property
    def url(self) -> str:
        """The base URL for clients, up to and with `/v1`."""
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> Self:
        """Start listening."""
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = int(self._runner.addresses[0][1])
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop listening and drop what is still open."""
        await self._runner.cleanup()

    async def _responses(self, http: web.Request) -> web.StreamResponse:
        return await self._serve(http, "responses", read_responses)

    async def _chat(self, http: web.Request) -> web.StreamResponse:
        return await self._serve(http, "chat", read_chat)

    async def _models(self, http: web.Request) -> web.StreamResponse:
        return await _send(listed(bodies.models_body()))

    async def _elsewhere(self, http: web.Request) -> web.StreamResponse:
        error = ApiError(status=404, message=f"Invalid URL ({http.method} {http.path[:200]})")
        return await _send(failed(error, request_id(http.method, http.path)))

    async def _serve(self, http: web.Request, api: str, read: Callable[[bytes, str], Request]) -> web.StreamResponse:
        self.calls += 1
        content = await http.read()
        try:
            request = read(content, http.headers.get(DRAW_HEADER, "")[:100])
        except Rejected as rejection:
            return await _send(failed(rejection.error, request_id(api, hashlib.sha256(content).hexdigest())))
        attempt = self._count(request.asked)
        course = conduct(request.asked, attempt)
        if course.ending == "hang":
            await asyncio.sleep(_HANG_S)
        if course.ending in ("hang", "drop"):
            if http.transport is not None:
                http.transport.abort()
            return web.Response(status=503)
        if course.error is not None:
            asked = request.asked
            return await _send(failed(course.error, request_id(asked.model, asked.input, asked.draw, str(attempt))))
        self._attempts.pop(_key(request.asked), None)
        return await _send(answered(request, api, course.delay_ms))

    def _count(self, asked: Asked) -> int:
        key = _key(asked)
        self._attempts[key] = self._attempts.get(key, 0) + 1
        return self._attempts[key]


def _key(asked: Asked) -> tuple[str, ...]:
    text = f"{asked.instructions}\0{asked.input}".encode("utf-8", "surrogatepass")
    return (asked.model, asked.draw, hashlib.sha256(text).hexdigest())


async def _send(reply: HttpReply) -> web.Response:
    await asyncio.sleep(reply.delay_ms / 1000)
    return web.Response(status=reply.status, headers=reply.headers, body=reply.body)
