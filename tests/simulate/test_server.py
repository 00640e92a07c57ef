import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import openai
import pytest
from openai import AsyncOpenAI

from stages.simulate.answer import Asked
from stages.simulate.conduct import conduct
from stages.simulate.reply import DRAW_HEADER
from stages.simulate.server import SimulatedServer

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
    whole = {"model": "sim-careful", "instructions": "Draft a graph.", "input": "Tea or coffee?"} | parts
    return lambda client: client.responses.create(**whole)


def test_the_sdk_reads_a_response() -> None:
    response = served(responses())
    assert response.status == "completed"
    assert "nodes" in json.loads(response.output_text)
    assert response.usage.total_tokens == response.usage.input_tokens + response.usage.output_tokens


def test_the_sdk_reads_a_chat_completion_with_the_same_graph() -> None:
    messages: Any = [{"role": "system", "content": "Draft a graph."}, {"role": "user", "content": "Tea or coffee?"}]
    completion = served(lambda client: client.chat.completions.create(model="sim-careful", messages=messages))
    assert completion.choices[0].message.content == served(responses()).output_text


def test_the_sdk_reads_the_list_of_models() -> None:
    async def names(client: AsyncOpenAI) -> list[str]:
        return [model.id async for model in client.models.list()]

    assert {"sim-careful", "drill-quota"} <= set(served(names))


def test_equal_requests_have_equal_bytes() -> None:
    async def raw(client: AsyncOpenAI) -> tuple[bytes, dict[str, str]]:
        answer = await client.responses.with_raw_response.create(model="sim-deep", input="Tea or coffee?")
        return answer.content, {key: value for key, value in answer.headers.items() if key not in ("date", "server")}

    assert served(raw) == served(raw)


def test_another_draw_is_another_answer() -> None:
    one, two = (served(responses(extra_headers={DRAW_HEADER: draw})) for draw in ("1/1/1", "2/1/1"))
    assert one.output_text != two.output_text


def test_the_headers_state_the_simulated_clock() -> None:
    answer = served(lambda client: client.responses.with_raw_response.create(model="sim-deep", input="Beer or wine?"))
    assert 5_000 < float(answer.headers["x-simulated-latency-ms"]) < 90_000
    assert answer.headers["x-simulated-created-at"].startswith("2026-")
    assert {"x-request-id", "openai-processing-ms", "x-ratelimit-remaining-tokens"} <= set(answer.headers)


def test_too_few_output_tokens_cut_an_answer_off() -> None:
    response = served(responses(max_output_tokens=50))
    assert (response.status, response.incomplete_details.reason) == ("incomplete", "max_output_tokens")
    assert response.usage.output_tokens == 50


ERRORS: dict[str, tuple[dict[str, Any], type[openai.APIStatusError], str]] = {
    "unknown model": ({"model": "gpt-9"}, openai.NotFoundError, "model_not_found"),
    "bad request": ({"temperature": 3}, openai.BadRequestError, "decimal_above_max_value"),
    "rejected key": ({"model": "drill-key"}, openai.AuthenticationError, "invalid_api_key"),
    "dead quota": ({"model": "drill-quota"}, openai.RateLimitError, "insufficient_quota"),
}


@pytest.mark.parametrize(("parts", "kind", "code"), ERRORS.values(), ids=ERRORS.keys())
def test_the_sdk_reads_errors(parts: dict[str, Any], kind: type[openai.APIStatusError], code: str) -> None:
    with pytest.raises(kind) as caught:
        served(responses(**parts))
    assert caught.value.code == code
    assert caught.value.response.headers["x-request-id"]


def test_a_flaky_call_fails_as_often_each_time_it_is_drawn() -> None:
    async def attempts(client: AsyncOpenAI) -> int:
        for attempt in range(1, 10):
            try:
                await client.responses.create(model="sim-flaky", input="brief 5")
            except openai.APIStatusError:
                continue
            return attempt
        return 0

    async def twice(client: AsyncOpenAI) -> list[int]:
        return [await attempts(client), await attempts(client)]

    first, second = served(twice)
    assert first == second == served(attempts) > 1


def drill(ending: str) -> str:
    """An input that the drill lets end in that way."""
    texts = (f"brief {number}" for number in range(1000))
    return next(
        text
        for text in texts
        if conduct(Asked(model="drill-calls", instructions="", input=text, draw="1/1/1"), 1).ending == ending
    )


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
