"""One caller for all endpoints of a run: the simulated ones are served in this process, the others through the SDK."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from stages.generate.call import Call, Endpoint
from stages.generate.caller import Caller, Reply


@asynccontextmanager
async def open_all(endpoints: Iterable[Endpoint], variables: Mapping[str, str]) -> AsyncIterator[Caller]:
    """A caller that serves every endpoint; what only one kind of endpoint needs is loaded only for that kind."""
    wanted = set(endpoints)
    real = {endpoint for endpoint in wanted if endpoint.provider != "simulated"}
    callers: dict[bool, Caller] = {}
    async with AsyncExitStack() as stack:
        if real:
            from stages.generate.client.openai_client import open_callers

            callers[False] = await stack.enter_async_context(open_callers(real, variables))
        if wanted - real:
            from stages.generate.client.simulated_client import open_simulated_caller

            callers[True] = await stack.enter_async_context(open_simulated_caller())

        async def call(one: Call, on_begun: Callable[[], None], /) -> Reply:
            return await callers[one.endpoint.provider == "simulated"](one, on_begun)

        yield call
