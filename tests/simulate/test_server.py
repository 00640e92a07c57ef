import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import openai
import pytest
from openai import AsyncOpenAI

from stages.simulate.reply import call_failure
from stages.simulate.request import SimulatedRequest
from stages.simulate.server import SimulatedServer
from tests.builders.cases import cases
from tests.simulate.requests import BRIEFS, REQUEST

Result = TypeVar("Result")


def served(use: Callable[[AsyncOpenAI], Awaitable[Result]]) -> Result:
    """What `use` makes of a client of a running server."""

    async def run() -> Result:
        async with (
            SimulatedServer() as server,
            AsyncOpenAI(api_key="none", base_url=server.url, max_retries=0, timeout=10) as client,
        ):
            return await use(client)

    return asyncio.run(run())


def responses(**parts: Any) -> Callable[[AsyncOpenAI], Awaitable[Any]]:
    return lambda client: client.responses.create(**REQUEST | parts)


def test_the_sdk_reads_a_response() -> None:
    response = served(responses())
    assert response.status == "completed"
    assert "nodes" in json.loads(response.output_text)
    assert response.usage.total_tokens == response.usage.input_tokens + response.usage.output_tokens


def test_the_sdk_reads_a_chat_completion_with_the_same_graph() -> None:
    messages: Any = [
        {"role": "system", "content": "Draft a graph."},
        {"role": "user", "content": "Tea or coffee?"},
    ]
    completion = served(
        lambda client: client.chat.completions.create(model="sim-careful", messages=messages)
    )
    assert completion.choices[0].message.content == served(responses()).output_text


def test_the_sdk_reads_the_list_of_models() -> None:
    async def names(client: AsyncOpenAI) -> list[str]:
        return [model.id async for model in client.models.list()]

    assert {"sim-careful", "drill-quota"} <= set(served(names))


def test_the_metadata_and_the_headers_state_the_simulated_latency() -> None:
    answer = served(
        lambda client: client.responses.with_raw_response.create(
            model="sim-deep", input="Beer or wine?"
        )
    )
    assert 5_000 < float(json.loads(answer.content)["metadata"]["simulated_latency_ms"]) < 90_000
    assert {"x-request-id", "openai-processing-ms", "x-ratelimit-remaining-requests"} <= set(
        answer.headers
    )


def test_too_few_output_tokens_cut_an_answer_off() -> None:
    response = served(responses(max_output_tokens=50))
    assert (response.status, response.incomplete_details.reason) == (
        "incomplete",
        "max_output_tokens",
    )
    assert response.usage.output_tokens == 50


ERRORS: dict[str, tuple[dict[str, Any], type[openai.APIStatusError], str]] = {
    "unknown model": ({"model": "gpt-9"}, openai.NotFoundError, "model_not_found"),
    "bad request": ({"input": 3}, openai.BadRequestError, "invalid_value"),
    "rejected key": ({"model": "drill-key"}, openai.AuthenticationError, "invalid_api_key"),
    "dead quota": ({"model": "drill-quota"}, openai.RateLimitError, "insufficient_quota"),
}


@cases("parts, kind, code", ERRORS)
def test_the_sdk_reads_errors(
    parts: dict[str, Any], kind: type[openai.APIStatusError], code: str
) -> None:
    with pytest.raises(kind) as caught:
        served(responses(**parts))
    assert caught.value.code == code
    assert caught.value.response.headers["x-request-id"]


def drill(ending: str) -> str:
    """An input for which the drill fails in that way."""
    texts = (f"brief {number}" for number in range(1000))
    return next(text for text in texts if failure("drill-calls", text, 1) == ending)


def test_a_drill_drops_the_connection() -> None:
    with pytest.raises(openai.APIConnectionError) as caught:
        served(responses(model="drill-calls", input=drill("drop")))
    assert not isinstance(caught.value, openai.APITimeoutError)


def test_a_drill_hangs_and_the_server_still_stops() -> None:
    with pytest.raises(openai.APITimeoutError):
        served(responses(model="drill-calls", input=drill("hang"), timeout=0.1))


def test_an_unknown_path_is_an_error_of_the_api_s_shape() -> None:
    with pytest.raises(openai.NotFoundError, match="Invalid URL"):
        served(lambda client: client.embeddings.create(model="x", input="y"))


def failure(model: str, text: str, attempt: int, draw: str = "1/1/1") -> Any:
    return call_failure(
        SimulatedRequest(model=model, instructions="", input=text, draw=draw), attempt
    )


def test_the_flaky_model_fails_two_times_in_a_row_at_most_and_in_every_retryable_way() -> None:
    seen: set[Any] = set()
    for text in (f"brief {number}" for number in range(200)):
        failures = [failure("sim-flaky", text, attempt) for attempt in (1, 2, 3, 4)]
        answered = [one is None for one in failures]
        assert answered == sorted(answered)
        assert answered[2]
        seen |= {(one.status, *one.headers) for one in failures if one is not None}
    assert seen == {
        (429, "retry-after"),
        (429, "retry-after-ms"),
        (500, "retry-after-ms"),
        (503, "retry-after-ms"),
    }


def test_the_shipped_briefs_show_every_way_a_call_can_fail() -> None:
    failures = [failure("drill-calls", brief.body, 1) for brief in BRIEFS.values()]
    assert {getattr(one, "status", one) for one in failures} == {429, 500, 503, 400, "hang", "drop"}


def test_a_batch_answers_every_line_of_its_file() -> None:
    models = {"a": "sim-careful", "b": "sim-flaky", "c": "drill-key"}
    common = {"method": "POST", "url": "/v1/responses"}
    lines = [
        common | {"custom_id": name, "body": REQUEST | {"model": model}}
        for name, model in models.items()
    ]

    async def run(client: AsyncOpenAI) -> tuple[Any, Any, bytes, bytes]:
        content = "\n".join(json.dumps(line) for line in lines).encode()
        file = await client.files.create(file=("lines.jsonl", content), purpose="batch")
        made = await client.batches.create(
            completion_window="24h", endpoint="/v1/responses", input_file_id=file.id
        )
        listed = [batch async for batch in client.batches.list()]
        assert [made, made] == [await client.batches.retrieve(made.id), *listed]
        good = await client.files.content(made.output_file_id or "")
        bad = await client.files.content(made.error_file_id or "")
        answer = await responses()(client)
        return made, answer, good.content, bad.content

    made, answer, good, bad = served(run)
    assert made.status == "completed"
    assert (made.request_counts.completed, made.request_counts.failed) == (2, 1)
    entries = [json.loads(line) for line in good.splitlines()]
    assert [entry["custom_id"] for entry in entries] == ["a", "b"]
    assert entries[0]["response"]["body"]["id"] == answer.id
    (failed,) = [json.loads(line) for line in bad.splitlines()]
    assert (failed["custom_id"], failed["response"]["status_code"]) == ("c", 401)
