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
    BROKEN,
    INVALID,
    PRICE_USD,
    PROSE,
    VALID,
    name_of,
    turns_of,
    workspace,
)
from tests.generate.workspace import Workspace, model

CUT_OFF = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
REFUSAL = [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]
UNKNOWN = (400, b'{"error": {"message": "no conversations"}}')


def test_answers_that_are_no_valid_graph_are_sent_back_once_and_adopted_from_response_files(
    server: CountingServer, project: Workspace
) -> None:
    server.script["draft of brief 1"] = [BROKEN]
    server.script["draft of brief 2"] = [PROSE]
    server.script["repair of brief 2"] = [BROKEN]
    done = project.run()
    assert done.returncode == 0, done.stderr
    names = [f"draft of brief {number}" for number in (1, 2, 3)]
    names += [f"repair of brief {number}" for number in (1, 2)]
    assert server.calls == dict.fromkeys(names, 1)
    outputs = project.outputs()
    assert "nothing was called" in project.run().stderr
    shutil.rmtree(project.folder / ".ledger")
    assert "all answered already" in project.run("--dry-run").stdout
    assert "nothing was called" in project.run().stderr
    assert server.calls.total() == 5
    assert project.outputs() == outputs


@cases(
    "answer",
    {
        "cut off": answer_body(INVALID[:60], **CUT_OFF),
        "refused": answer_body(output=REFUSAL),
        "valid": answer_body(VALID),
    },
)
def test_another_answer_is_not_sent_back(
    server: CountingServer, project: Workspace, answer: bytes
) -> None:
    server.script["draft of brief 1"] = [(200, answer)]
    assert project.run().returncode == 0
    assert server.calls.total() == 3
    assert "repair" not in project.response("m/b1")


@cases(
    "api, body_of",
    {
        "Responses": ("responses", response_body),
        "Chat Completions": ("chat_completions", completion_body),
    },
)
def test_the_conversation_is_brief_answer_and_what_is_wrong(
    server: CountingServer, tmp_path: Path, api: str, body_of: Callable[[str], dict[str, Any]]
) -> None:
    answer_of_api = json.dumps(body_of(INVALID)).encode()
    server.answering = lambda *_: (200, answer_of_api)
    workspace(tmp_path / "project", server.url, briefs=1, config={"api": api}).run()
    turns = turns_of(server.bodies[-1])
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    asked, answered, message = (turn["content"] for turn in turns)
    assert asked == "brief 1"
    assert answered == INVALID
    assert message.startswith("Wrong:\n- These edges connect kinds of nodes")
    assert '"opt_raise" → "goal"' in message
    assert message.endswith("\nAgain, please.")


def test_the_repaired_answer_counts_and_the_first_verdict_is_kept(
    server: CountingServer, project: Workspace
) -> None:
    server.script["draft of brief 1"] = [BROKEN]
    project.run()
    response = project.response("m/b1")
    assert response["status"] == "success"
    assert response["raw_text"] == VALID
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


def test_the_scorecard_is_of_the_repaired_answer_and_keeps_the_repair(
    server: CountingServer, project: Workspace
) -> None:
    server.script |= dict.fromkeys(("draft of brief 1", "draft of brief 2"), (BROKEN,))
    server.script["repair of brief 2"] = [BROKEN]
    project.set(score={"fidelity": []})
    project.run()
    project.run(main=score_stage.main)
    lines = (project.folder / "results/scorecards.jsonl").read_text(encoding="utf-8").splitlines()
    repaired, broken, valid = map(json.loads, lines)
    assert repaired["usable"]
    assert repaired["violation_codes"] == []
    assert repaired["repair"] == project.response("m/b1")["repair"]
    assert broken["violation_codes"] == broken["repair"]["first_violation_codes"]
    assert "repair" not in valid


def test_the_library_sends_answers_back_too() -> None:
    async def answer(call: Call) -> Reply:
        body = answer_body(VALID if call.is_repair else INVALID).decode()
        return Reply(body=body, latency_ms=1.0, created_at="2026-11-21T09:00:00Z", endpoint="")

    settings = GenerateParams.model_validate({"repair": 1})
    rules = RepairRules("Wrong: {problems}", Limits())
    asked = ("Draft.", [config()], [brief()])
    repaired = asyncio.run(generate(*asked, call=answer, settings=settings, repair=rules))
    assert repaired.run.repair == 1
    (response,) = repaired.responses
    assert response.raw_text == VALID
    assert response.draws == 2
    with pytest.raises(ValueError, match="needs both"):
        asyncio.run(generate(*asked, call=answer, settings=settings))


def test_a_repair_comes_after_the_last_draw(server: CountingServer, project: Workspace) -> None:
    server.answering = lambda *_: PROSE
    project.set(generate={"unparsed_draws": 2, "repair": 1}, briefs=["b1"])
    project.run()
    assert [len(turns_of(body)) for body in server.bodies] == [1, 1, 3]
    response = project.response("m/b1")
    assert response["repair"]["first_violation_codes"] == ["NO_GRAPH"]
    assert response["repair"]["first_cost_usd"] == pytest.approx(2 * PRICE_USD)
    assert response["status"] == "parse_failed"
    assert response["draws"] == 3


def test_an_empty_answer_is_sent_back_with_words_in_its_place(
    server: CountingServer, project: Workspace
) -> None:
    server.script["draft of brief 3"] = [(200, answer_body(""))]
    project.run()
    assert turns_of(server.bodies[-1])[1]["content"] == "(empty answer)"


def test_turning_it_on_calls_nothing_but_repairs_and_turning_it_off_calls_nothing(
    server: CountingServer, project: Workspace
) -> None:
    server.script["draft of brief 2"] = [BROKEN]
    project.set(generate={"repair": 0})
    project.run()
    without = project.outputs()
    project.set(generate={"repair": 1})
    forecast = project.run("--dry-run").stdout
    assert "2 answered already, 1 to call" in forecast
    assert "why not stored: repair (1)" in forecast
    assert "more call" not in forecast
    project.run()
    assert server.calls.total() == 4
    assert server.calls["repair of brief 2"] == 1
    changed = [name for name, data in project.outputs().items() if without[name] != data]
    assert changed == ["responses/m/b2/response.json", "run.json"]
    project.set(generate={"repair": 0})
    project.run()
    assert server.calls.total() == 4
    assert project.outputs() == without


def test_a_dry_run_says_up_to_for_repairs_that_are_not_known(project: Workspace) -> None:
    forecast = project.run("--dry-run").stdout
    assert "0 answered already, 3 to call" in forecast
    assert "up to 3 more calls for up to $" in forecast


def test_another_template_or_limit_calls_the_repairs_again_and_no_first_draw(
    server: CountingServer, project: Workspace
) -> None:
    server.script["draft of brief 1"] = [BROKEN]
    project.run()
    project.write("prompts/repair.txt", "Other words: {problems}")
    project.run()
    project.set(score={"limits": {"max_nodes": 8}})
    project.run()
    of_first = {name: count for name, count in server.calls.items() if name.endswith("1")}
    assert of_first == {"draft of brief 1": 1, "repair of brief 1": 3}
    assert "at most 8 nodes" in turns_of(server.bodies[-1])[2]["content"]


def test_a_template_without_a_place_for_the_violations_is_refused(project: Workspace) -> None:
    project.write("prompts/repair.txt", "Again, please.")
    assert "prompts/repair.txt: must have {problems}" in project.run().problem


def test_a_repair_that_fails_leaves_the_first_answer_and_is_called_in_the_next_run(
    server: CountingServer, project: Workspace
) -> None:
    server.script["draft of brief 1"] = [BROKEN]
    server.script["repair of brief 1"] = [UNKNOWN]
    assert project.run().returncode == 0
    response = project.response("m/b1")
    assert response["raw_text"] == INVALID
    assert "repair" not in response
    assert "the repair has no answer: invalid_request" in response["warnings"][0]
    project.run()
    assert server.calls.total() == 5
    assert server.calls["repair of brief 1"] == 2
    assert project.response("m/b1")["raw_text"] == VALID


def test_a_cap_in_the_middle_stops_before_the_repair_that_would_exceed_it(
    server: CountingServer, project: Workspace
) -> None:
    server.script |= dict.fromkeys(("draft of brief 1", "draft of brief 2"), (BROKEN,))
    # $0.032 are reserved for the output of a call, and each costs $0.006.
    project.set(runtime={"max_cost_usd": 0.045, "max_concurrency": 1}, briefs=["b1", "b2"])
    said = project.run().stderr
    calls = ["draft of brief 1", "repair of brief 1", "draft of brief 2"]
    assert [name_of(body) for body in server.bodies] == calls
    assert "1 cell keeps its earlier answer" in said
    assert "the repair has no answer: budget_stopped" in project.response("m/b2")["warnings"][0]
    project.set(runtime={"max_cost_usd": None})
    project.run()
    assert len(server.calls) == server.calls.total() == 4


def test_equal_requests_are_answered_and_repaired_once(
    server: CountingServer, project: Workspace
) -> None:
    server.script["draft of brief 1"] = [BROKEN]
    twin = model("twin", url=server.url, model="m", params={"max_output_tokens": 4000})
    project.write("models/twin.json", json.dumps(twin))
    project.run()
    assert len(server.calls) == server.calls.total() == 4
    assert project.response("twin/b1")["repair"] == project.response("m/b1")["repair"]
