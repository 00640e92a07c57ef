"""Adapter: makes the calls of a run, to real models over the network and to simulated ones by a
function of this process.

The reply of a simulated model depends on nothing but the call: latency and time are those of the
simulated clock. Importing this module imports the SDK, which takes half a second.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from stages.generate.calls.client import EndpointClient
from stages.generate.calls.faults import Caller, CallFailed, Fault, Reply
from stages.generate.calls.sdk import problems_of_variables
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint, address
from stages.shared.records.errors import InputError
from stages.shared.records.json_text import canonical
from stages.shared.simulate.answer import SimulatedRequest, answer, fails_first
from stages.shared.simulate.characters import MODELS


@asynccontextmanager
async def open_caller(
    endpoints: Iterable[Endpoint], variables: Mapping[str, str]
) -> AsyncIterator[Caller]:
    """A caller for these endpoints, whose connections are closed when the block ends.

    Raises:
        InputError: a key of `variables` or `SSL_CERT_FILE` cannot be used.
    """
    distinct = sorted(set(endpoints), key=repr)
    real = [endpoint for endpoint in distinct if not endpoint.simulated]
    problems = [
        problem for endpoint in real for problem in problems_of_variables(endpoint, variables)
    ]
    if problems:
        raise InputError(problems)
    async with AsyncExitStack() as stack:
        clients: dict[Endpoint, EndpointClient] = {}
        for endpoint in real:
            clients[endpoint] = EndpointClient(endpoint, variables)
            stack.push_async_callback(clients[endpoint].close)
        yield EveryCaller(clients).call


class EveryCaller:
    """Calls each model with the client of its endpoint, and simulated ones without any."""

    def __init__(self, clients: Mapping[Endpoint, EndpointClient]) -> None:
        self._clients = clients
        self._failed: set[str] = set()

    async def call(self, call: Call) -> Reply:
        """Make one call."""
        if not call.endpoint.simulated:
            return await self._clients[call.endpoint].call(call)
        if call.model not in MODELS:
            raise CallFailed(_no_such_model(call.model))
        request = simulated_request(call)
        if call.fingerprint not in self._failed and fails_first(request):
            self._failed.add(call.fingerprint)
            raise CallFailed(_OVERLOADED)
        return simulated_reply(call.endpoint, request)


_OVERLOADED = Fault(
    status="server_error", code="overloaded", message="HTTP 503: the simulated model is overloaded"
)


def _no_such_model(model: str) -> Fault:
    message = f"the simulated models are {', '.join(MODELS)}; found {model}"
    return Fault(status="invalid_request", code="model_not_found", message=message, scope="model")


def simulated_request(call: Call) -> SimulatedRequest:
    """What of a call determines the answer of a simulated model."""
    identity = call.identity
    limit = call.settings.get("max_output_tokens")
    return SimulatedRequest(
        model=call.model,
        instructions=call.instructions,
        input=call.text,
        draw=f"{identity['round']}/{identity['sample']}/{identity['draw']}",
        max_output_tokens=limit if isinstance(limit, int) else None,
    )


def simulated_reply(endpoint: Endpoint, request: SimulatedRequest) -> Reply:
    """The reply of a simulated model, at the time that its clock shows."""
    answered = answer(request)
    return Reply(
        body=canonical(answered.body).decode(),
        latency_ms=answered.latency_ms,
        created_at=answered.arrived_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        endpoint=address(endpoint),
    )
