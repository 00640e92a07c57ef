"""A run with a repair turn: what is sent back, what counts, and what it costs."""

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stages.contracts.params import GenerateParams, Limits
from stages.generate import Call, RepairRules, Reply, generate
from stages.score import __main__ as score_stage
from tests.builders.api_bodies import completion_body, response_body
from tests.builders.cases import cases
from tests.builders.provider import CountingServer, answer_body
from tests.generate.asking import brief, config
from tests.generate.repair.repairing import (
    INVALID,
    NO_JSON,
    PRICE_USD,
    VALID,
    answering,
    turns_of,
    workspace,
)
from tests.generate.workspace import model

CUT_OFF = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
REFUSAL = [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]


def test_answers_that_are_no_valid_graph_are_sent_back_once_and_never_again(
    tmp_path: Path,
) -> None:
    with answering({"brief 1": INVALID, "brief 2": NO_JSON}, {"brief 2": INVALID}) as server:
        project = workspace(tmp_path, server.url)
        done = project.run()
        assert done.returncode == 0, done.stderr
        assert server.calls == {
            "draft of brief 1": 1,
            "draft of brief 2": 1,
            "draft of brief 3": 1,
            "repair of brief 1": 1,
            "repair of brief 2": 1,
        }
        outputs = project.outputs()
        assert "nothing was called" in project.run().stderr
        assert sum(server.calls.values()) == 5
    assert project.outputs() == outputs


@cases(
    "answer",
    {
        "cut off": answer_body(INVALID[:60], **CUT_OFF),
        "refused": answer_body(output=REFUSAL),
        "valid": answer_body(VALID),
    },
)
def test_another_answer_is_not_sent_back(tmp_path: Path, answer: bytes) -> None:
    with CountingServer(lambda _name, _nth: (200, answer)) as server:
        project = workspace(tmp_path, server.url, briefs=1)
        assert project.run().returncode == 0
    assert sum(server.calls.values()) == 1
    assert "repair" not in project.response("m/b1")


@cases(
    "api, body_of",
    {
        "Responses": ("responses", response_body),
        "Chat Completions": ("chat_completions", completion_body),
    },
)
def test_the_conversation_is_brief_answer_and_what_is_wrong(
    tmp_path: Path, api: str, body_of: Callable[[str], dict[str, Any]]
) -> None:
    answer_of_api = json.dumps(body_of(INVALID)).encode()
    with CountingServer(lambda _name, _nth: (200, answer_of_api)) as server:
        workspace(tmp_path, server.url, briefs=1, config={"api": api}).run()
    brief, answer, message = turns_of(server.bodies[-1])
    assert (brief["role"], brief["content"]) == ("user", "brief 1")
    assert (answer["role"], answer["content"]) == ("assistant", INVALID)
    assert message["role"] == "user"
    assert message["content"].startswith("Wrong:\n- These edges connect kinds of nodes")
    assert '"opt_raise" → "goal"' in message["content"]
    assert message["content"].endswith("\nAgain, please.")


def test_the_repaired_answer_counts_and_the_first_verdict_is_kept(tmp_path: Path) -> None:
    with answering({"brief 1": INVALID}) as server:
        project = workspace(tmp_path, server.url, briefs=1)
        project.run()
    response = project.response("m/b1")
    assert (response["status"], response["raw_text"]) == ("success", VALID)
    assert response["draws"] == 2
    assert response["est_cost_usd"] == pytest.approx(2 * PRICE_USD)
    (first,) = response["earlier_draws"]
    assert first["raw_text"] == INVALID
    repair = response["repair"]
    assert repair["first_status"] == "success"
    assert repair["first_violation_codes"] == ["FORBIDDEN_EDGE"]
    assert repair["first_cost_usd"] == repair["repair_cost_usd"] == pytest.approx(PRICE_USD)
    assert repair["first_latency_ms"] == first["latency_ms"]
    assert repair["repair_latency_ms"] == response["latency_ms"]
    changes = {name: number for name, number in repair["changes"].items() if number}
    assert changes == {"edges_removed": 1}


def test_the_scorecard_is_of_the_repaired_answer_and_keeps_the_repair(tmp_path: Path) -> None:
    with answering({"brief 1": INVALID, "brief 2": INVALID}, {"brief 2": INVALID}) as server:
        project = workspace(tmp_path, server.url, briefs=3, score={"fidelity": []})
        project.run()
    project.run(main=lambda: score_stage.main([]))
    lines = (tmp_path / "results/scorecards.jsonl").read_text(encoding="utf-8").splitlines()
    repaired, broken, valid = [json.loads(line) for line in lines]
    assert (repaired["usable"], repaired["violation_codes"]) == (True, [])
    assert repaired["repair"] == project.response("m/b1")["repair"]
    assert broken["violation_codes"] == broken["repair"]["first_violation_codes"]
    assert "repair" not in valid


def test_the_library_sends_answers_back_too() -> None:
    async def answer(call: Call) -> Reply:
        text = VALID if call.is_repair else INVALID
        body = answer_body(text).decode()
        return Reply(body=body, latency_ms=1.0, created_at="2026-11-21T09:00:00Z", endpoint="")

    settings = GenerateParams.model_validate({"repair": 1})
    rules = RepairRules("Wrong: {problems}", Limits())
    briefs = [brief()]
    repaired = asyncio.run(
        generate("Draft.", [config()], briefs, call=answer, settings=settings, repair=rules)
    )
    assert repaired.run.repair == 1
    (response,) = repaired.responses
    assert (response.raw_text, response.draws) == (VALID, 2)
    with pytest.raises(ValueError, match="needs both"):
        asyncio.run(generate("Draft.", [config()], briefs, call=answer, settings=settings))


def test_a_repair_comes_after_the_last_draw(tmp_path: Path) -> None:
    with CountingServer(lambda _name, _nth: (200, answer_body(NO_JSON))) as server:
        project = workspace(tmp_path, server.url, briefs=1, generate={"unparsed_draws": 2})
        project.run()
    assert [len(turns_of(body)) for body in server.bodies] == [1, 1, 3]
    response = project.response("m/b1")
    assert response["repair"]["first_violation_codes"] == ["NO_GRAPH"]
    assert response["repair"]["first_cost_usd"] == pytest.approx(2 * PRICE_USD)
    assert (response["status"], response["draws"]) == ("parse_failed", 3)


def test_an_empty_answer_is_sent_back_with_words_in_its_place(tmp_path: Path) -> None:
    with answering({"brief 1": ""}) as server:
        workspace(tmp_path, server.url, briefs=1).run()
    assert turns_of(server.bodies[-1])[1]["content"] == "(empty answer)"


def test_turning_it_on_calls_nothing_but_repairs_and_turning_it_off_calls_nothing(
    tmp_path: Path,
) -> None:
    with answering({"brief 2": INVALID}) as server:
        project = workspace(tmp_path, server.url, generate={"repair": 0})
        project.run()
        without = project.outputs()
        project.set(generate={"repair": 1})
        project.run()
        assert sum(server.calls.values()) == 4
        assert server.calls["repair of brief 2"] == 1
        changed = [name for name, data in project.outputs().items() if without[name] != data]
        assert changed == ["responses/m/b2/response.json", "run.json"]
        project.set(generate={"repair": 0})
        project.run()
    assert sum(server.calls.values()) == 4
    assert project.outputs() == without


def test_another_template_or_limit_calls_the_repairs_again_and_no_first_draw(
    tmp_path: Path,
) -> None:
    with answering({"brief 1": INVALID}) as server:
        project = workspace(tmp_path, server.url, briefs=1)
        project.run()
        project.write("prompts/repair.txt", "Other words: {problems}")
        project.run()
        project.set(score={"limits": {"max_nodes": 8}})
        project.run()
    assert server.calls == {"draft of brief 1": 1, "repair of brief 1": 3}
    assert "at most 8 nodes" in turns_of(server.bodies[-1])[2]["content"]


def test_a_template_without_a_place_for_the_violations_is_refused(tmp_path: Path) -> None:
    project = workspace(tmp_path, "https://example.invalid/v1")
    project.write("prompts/repair.txt", "Again, please.")
    done = project.run()
    assert done.returncode == 2
    assert "prompts/repair.txt: must have {problems}" in done.stderr


def test_a_repair_that_fails_leaves_the_first_answer_and_is_called_in_the_next_run(
    tmp_path: Path,
) -> None:
    working = False

    def answer(name: str, _nth: int) -> tuple[int, bytes]:
        if name.startswith("repair") and not working:
            return 400, b'{"error": {"message": "no conversations"}}'
        return 200, answer_body(INVALID if name.startswith("draft") else VALID)

    with CountingServer(answer, name=_kind) as server:
        project = workspace(tmp_path, server.url, briefs=1)
        assert project.run().returncode == 0
        response = project.response("m/b1")
        assert response["raw_text"] == INVALID
        assert "repair" not in response
        assert "the repair has no answer: invalid_request" in response["warnings"][0]
        working = True
        project.run()
    assert server.calls == {"draft": 1, "repair": 2}
    assert project.response("m/b1")["raw_text"] == VALID


def _kind(body: dict[str, Any]) -> str:
    return "draft" if len(turns_of(body)) == 1 else "repair"


def test_a_cap_in_the_middle_stops_before_the_repair_that_would_exceed_it(tmp_path: Path) -> None:
    with answering(dict.fromkeys(("brief 1", "brief 2"), INVALID)) as server:
        project = workspace(tmp_path, server.url, briefs=2)
        # $0.032 are reserved for the output of a call, and each costs $0.006.
        project.set(runtime={"max_cost_usd": 0.045, "max_concurrency": 1})
        said = project.run().stderr
        assert [_kind(body) for body in server.bodies] == ["draft", "repair", "draft"]
        assert "1 cell keeps its earlier answer" in said
        assert "the repair has no answer: budget_stopped" in project.response("m/b2")["warnings"][0]
        project.set(runtime={"max_cost_usd": None})
        project.run()
    assert set(server.calls.values()) == {1}
    assert len(server.calls) == 4


def test_repaired_answers_are_adopted_from_response_files(tmp_path: Path) -> None:
    with answering({"brief 1": INVALID, "brief 2": NO_JSON}) as server:
        project = workspace(tmp_path, server.url)
        project.run()
        outputs, calls = project.outputs(), sum(server.calls.values())
        shutil.rmtree(tmp_path / ".ledger")
        assert "all answered already" in project.run("--dry-run").stdout
        assert "nothing was called" in project.run().stderr
        assert sum(server.calls.values()) == calls
    assert project.outputs() == outputs


def test_a_dry_run_counts_known_repairs_and_says_up_to_for_the_others(tmp_path: Path) -> None:
    with answering({"brief 1": INVALID}) as server:
        project = workspace(tmp_path, server.url, briefs=2)
        everything = project.run("--dry-run").stdout
        assert "0 answered already, 2 to call" in everything
        assert "up to 2 more calls for up to $" in everything
        project.set(generate={"repair": 0})
        project.run()
        project.set(generate={"repair": 1})
        repairs = project.run("--dry-run").stdout
    assert "1 answered already, 1 to call" in repairs
    assert "why not stored: repair (1)" in repairs
    assert "more call" not in repairs


def test_equal_requests_are_repaired_once(tmp_path: Path) -> None:
    with answering({"brief 1": INVALID}) as server:
        project = workspace(tmp_path, server.url, briefs=1)
        twin = model("twin", url=server.url, model="m", params={"max_output_tokens": 4000})
        project.write("models/twin.json", json.dumps(twin))
        project.run()
    assert set(server.calls.values()) == {1}
    assert project.response("twin/b1")["repair"] == project.response("m/b1")["repair"]
