"""The example of a policy in production calls what the policy says, and no more."""

import asyncio
import runpy
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from openai import AsyncOpenAI

from examples import production
from examples.in_memory import EXAMPLE
from examples.production import run_policy
from stages.contracts.brief import Brief, Expectations
from stages.contracts.json_text import JsonValue
from stages.contracts.policy import Policy
from stages.contracts.response import Response
from tests.builders.api_bodies import response_body
from tests.builders.cases import cases
from tests.builders.policies import policy
from tests.builders.provider import FakeProvider, Reply, Request, json_reply

BRIEF = Brief(id="b", expectations=Expectations(), body="", sha256="")
LUNA, TERRA = "gpt-6-luna", "gpt-6.1-terra"
FALL_BACK = policy((LUNA, "tries", 2), (TERRA, "tries", 1))


def ran(of: Policy, reply: Callable[[Request], Reply]) -> tuple[Response, Sequence[Request]]:
    """The answer that counts, and what was asked for it."""
    with FakeProvider(reply) as provider:
        client = AsyncOpenAI(base_url=provider.url, api_key="k", max_retries=0)
        return asyncio.run(run_policy(of, BRIEF, client)), provider.requests


def answering(**texts: str) -> Callable[[Request], Reply]:
    """A server on which each model, by a short name, always says the same; others fail."""

    def reply(request: Request) -> Reply:
        model = request.body["model"].split("-")[-1]
        if model not in texts:
            return json_reply({"error": {"message": "down"}}, 500)
        return json_reply(response_body(texts[model]))

    return reply


@cases(
    "texts, called",
    {
        "accepted at once": ({"luna": EXAMPLE, "terra": EXAMPLE}, [LUNA]),
        "a fall-back": ({"luna": "{}", "terra": EXAMPLE}, [LUNA, LUNA, TERRA]),
        "a server that fails": ({"terra": EXAMPLE}, [LUNA, LUNA, TERRA]),
    },
)
def test_the_next_step_is_called_where_no_answer_is_accepted(
    texts: dict[str, str], called: list[str]
) -> None:
    response, requests = ran(FALL_BACK, answering(**texts))
    assert [request.body["model"] for request in requests] == called
    assert response.model_id == called[-1]
    assert response.status == "success"


def test_the_last_answer_counts_where_none_is_accepted() -> None:
    response, requests = ran(FALL_BACK, answering(luna="{}", terra="sorry"))
    assert len(requests) == 3
    assert response.model_id == TERRA
    assert response.raw_text == "sorry"


def test_calls_at_once_are_all_made() -> None:
    _, requests = ran(policy((LUNA, "best_of", 3)), answering(luna=EXAMPLE))
    assert len(requests) == 3


def test_a_step_with_a_repair_sends_the_answer_back_once() -> None:
    def reply(request: Request) -> Reply:
        turns: JsonValue = request.body["input"]
        return json_reply(response_body(EXAMPLE if isinstance(turns, list) else "{}"))

    response, requests = ran(policy((LUNA, "tries", 2), repair=True), reply)
    roles = [turn["role"] for turn in requests[1].body["input"]]
    assert len(requests) == 2
    assert roles == ["user", "assistant", "user"]
    assert response.repair is not None


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["wrong", "01-simple-binary"], "argument POLICY: invalid choice: 'wrong'"),
        (["deep-then-careful", "wrong"], "argument BRIEF: invalid choice: 'wrong'"),
    ],
)
def test_a_wrong_id_is_one_message_with_what_is_allowed(
    ids: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["production", *ids])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(production.__file__, run_name="__main__")
    assert ended.value.code == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert "(choose from " in printed


def test_it_is_short() -> None:
    lines = Path(production.__file__).read_text(encoding="utf-8").splitlines()
    assert len(lines) < 60
