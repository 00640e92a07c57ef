import socket
import time
from email.utils import formatdate

import pytest

from graph_evaluator.generate.answers import read_answer
from graph_evaluator.generate.calls import callers
from graph_evaluator.generate.calls.callers import open_sdk
from graph_evaluator.generate.calls.outcome import Fault, Reply, fault_of_no_answer
from graph_evaluator.generate.plan.call import Endpoint
from graph_evaluator.generate.replies import NoAnswer
from graph_evaluator.records.errors import InputError
from tests.builders.cases import cases
from tests.builders.faulty_replies import (
    FAULTS,
    FAULTS_BY_OUTCOME,
    SLOW_FAULTS,
    WHOLE,
    error,
)
from tests.builders.provider import FakeProvider, json_reply
from tests.builders.provider import Reply as Sent
from tests.generate.calls.examples import attempt, call

KEY = "sk-canary-0123456789"


def sending(reply):
    """A server that sends nothing else."""
    return FakeProvider(lambda _: reply)


def attempt_against(reply, **changed):
    """What one call brings from a server that sends this."""
    with sending(reply) as server:
        return attempt(call("a", url=server.url, **changed), OPENAI_API_KEY=KEY)


def fault_against(sent, **changed):
    """Why one call fails at a server that sends this."""
    reply = attempt_against(sent, **changed)
    if isinstance(reply, Fault):
        return reply
    with pytest.raises(NoAnswer) as failed:
        read_answer(reply.body, latency_ms=None, attempts=1, created_at=None)
    return fault_of_no_answer(failed.value)


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [(name, outcome) for outcome, faults in FAULTS_BY_OUTCOME.items() for name in faults],
)
def test_every_fault_has_its_status(fault, outcome):
    failure = fault_against(FAULTS[fault])
    assert (failure.status, failure.scope) == outcome


@pytest.mark.parametrize("fault", SLOW_FAULTS)
def test_the_deadline_of_a_call_holds_whatever_the_socket_does(fault):
    started = time.monotonic()
    assert fault_against(SLOW_FAULTS[fault], timeout_s=0.2).status == "timeout_failed"
    assert time.monotonic() - started < 5


@cases(
    "url, status, scope",
    {
        "refused": ("http://127.0.0.1:{port}/v1", "connection_failed", "call"),
        "DNS": ("http://no-such-host.invalid/v1", "connection_failed", "call"),
    },
)
def test_a_server_that_cannot_be_reached_is_billed_for_nothing(url, status, scope):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        failure = attempt(call(url=url.format(port=unused.getsockname()[1])))
    assert isinstance(failure, Fault)
    assert failure.status == status
    assert failure.scope == scope
    assert not failure.may_be_billed


def headers_sent(variables, path="/v1", **fields):
    """The headers of a call to an endpoint on this machine."""
    with sending(Sent(WHOLE)) as server:
        where = {"provider": "openai", "url": f"http://{server.host}{path}"}
        attempt(call(endpoint=Endpoint.model_validate(where | fields)), **variables)
    return dict(server.requests[0].headers)


def test_the_key_is_sent_without_white_space_around_it_and_only_where_there_is_one():
    sent = headers_sent({"MY_KEY": f"{KEY}\n"}, key_env="MY_KEY")
    assert sent["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in headers_sent({})


def test_a_key_that_no_header_can_carry_is_named_before_anything_is_called():
    endpoint = Endpoint(provider="openai", key_env="MY_KEY")
    with pytest.raises(InputError) as raised:
        attempt(call(endpoint=endpoint), MY_KEY="sk-\N{EM DASH}canary")
    assert "MY_KEY" in str(raised.value)
    assert "canary" not in str(raised.value)


def test_a_prompt_that_a_filter_stops_with_an_http_error_is_a_refused_answer():
    inner = {"code": "ResponsibleAIPolicyViolation"}
    reply = attempt_against(json_reply({"error": {"code": None, "innererror": inner}}, 400))
    assert isinstance(reply, Reply)
    answer = read_answer(reply.body, latency_ms=1, attempts=1, created_at=None)
    assert (answer.status, answer.failure_code) == ("refused", "responsibleaipolicyviolation")


def test_a_date_in_retry_after_counts_from_the_date_of_the_reply_or_from_now():
    in_an_hour = formatdate(time.time() + 3600, usegmt=True)
    fault = attempt_against(error(429, "rate_limit_exceeded", retry_after=in_an_hour))
    assert isinstance(fault, Fault)
    assert fault.wait_s == pytest.approx(3600, abs=30)


def test_a_complete_answer_is_read_though_its_connection_breaks_off():
    cut = Sent(WHOLE, sent_length=len(WHOLE) + 10, then="close")
    assert isinstance(attempt_against(cut), Reply)


def test_a_redirect_is_not_followed():
    with sending(Sent(WHOLE)) as elsewhere:
        redirect = Sent(status=307, headers={"location": f"{elsewhere.url}/responses"})
        with sending(redirect) as server:
            failure = attempt(call(url=server.url))
    assert isinstance(failure, Fault)
    assert failure.status == "invalid_request"
    assert elsewhere.requests == []


def test_an_answer_that_is_far_too_long_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(callers, "LONGEST_BODY", 50)
    failure = fault_against(Sent(WHOLE))
    assert failure.status == "server_error"
    assert failure.may_be_billed


SDK_VARIABLES = {
    "OPENAI_ORG_ID": "org-canary",
    "OPENAI_PROJECT_ID": "proj-canary",
    "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer sk-other-0000\napi-key: canary-api-key\nX-Team: canary-team-0000\nX-Flag: true",
}


@cases(
    "fields",
    {
        "compatible": {"headers_env": (("x-mine", "MINE"),)},
        "azure": {"provider": "azure", "path": "/openai", "api_version": "2026-01-01"},
    },
)
def test_variables_of_the_sdk_reach_no_other_address_than_the_providers_own(fields, monkeypatch):
    for name, value in SDK_VARIABLES.items():
        monkeypatch.setenv(name, value)
    variables = {"MY_KEY": KEY, "MINE": "blue"} | SDK_VARIABLES
    sent = headers_sent(variables, key_env="MY_KEY", **fields)
    assert KEY in (sent.get("authorization", "").removeprefix("Bearer "), sent.get("api-key"))
    others = " ".join(sent.values()).replace(KEY, "")
    assert "canary" not in others
    assert "sk-other" not in others


def test_variables_of_the_sdk_apply_at_the_providers_own_address_and_do_not_replace_the_key():
    endpoint = Endpoint(provider="openai", key_env="MY_KEY")
    headers = open_sdk(endpoint, {"MY_KEY": KEY, **SDK_VARIABLES}).default_headers
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert headers["OpenAI-Organization"] == "org-canary"
    assert headers["OpenAI-Project"] == "proj-canary"
    assert headers["X-Team"] == "canary-team-0000"
