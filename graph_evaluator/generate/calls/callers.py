"""Who makes the calls: a client for each endpoint of real models, a function of this process for
simulated ones.

Importing it imports the SDK, which takes half a second.
"""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from graph_evaluator.generate.calls.client import EndpointClient, problems_of_endpoint
from graph_evaluator.generate.calls.faults import Caller, CallFailed, Fault, Reply
from graph_evaluator.generate.plan.call import Call, Endpoint
from graph_evaluator.records.errors import refuse
from graph_evaluator.records.json_text import canonical
from graph_evaluator.simulate.answer import SimulatedRequest, answer


@asynccontextmanager
async def open_callers(
    endpoints: Collection[Endpoint], variables: Mapping[str, str]
) -> AsyncIterator[Mapping[Endpoint, Caller]]:
    """The caller of each endpoint; connections are closed when the block ends.

    Raises:
        InputError: a key of `variables` or `SSL_CERT_FILE` cannot be used.
    """
    real = [endpoint for endpoint in {*endpoints} if not endpoint.simulated]
    refuse(problem for endpoint in real for problem in problems_of_endpoint(endpoint, variables))
    callers: dict[Endpoint, Caller] = dict.fromkeys(endpoints, SimulatedModels().call)
    async with AsyncExitStack() as stack:
        for endpoint in real:
            client = EndpointClient(endpoint, variables)
            stack.push_async_callback(client.close)
            callers[endpoint] = client.call
        yield callers


class SimulatedModels:
    """The simulated models; some fail at the first attempt of some calls."""

    def __init__(self) -> None:
        self._failed: set[str] = set()

    async def call(self, call: Call) -> Reply:
        """The reply to a call, at the time that the simulated clock shows."""
        identity = call.identity
        request = SimulatedRequest(
            model=call.model,
            instructions=call.prompt.text,
            input=call.text,
            draw=f"{identity['round']}/{identity['sample']}/{identity['draw']}",
            max_output_tokens=call.planned.most_output_tokens,
        )
        if call.fingerprint not in self._failed and request.fails_first:
            self._failed.add(call.fingerprint)
            message = "HTTP 503: the simulated model is overloaded"
            raise CallFailed(Fault(status="server_error", code="overloaded", message=message))
        answered = answer(request)
        return Reply(
            body=canonical(answered.body).decode(),
            latency_ms=answered.latency_ms,
            created_at=answered.arrived_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
