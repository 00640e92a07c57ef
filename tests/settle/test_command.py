"""The command: what it calls, in which order it stops, what it writes, and how it goes on."""

import os
import re
import signal
import threading
import time

import pytest

from tests.builders.provider import answer_body
from tests.generate.workspace import model
from tests.settle.settling import (
    GOOD,
    PRICE,
    PROMPTS,
    SettleWorkspace,
    always_equal,
    always_open,
    better_content,
    clearly_better,
    counting,
    ended,
    settling,
    state_effects,
)


def test_an_open_question_takes_every_interim_analysis_and_calls_each_cell_once(tmp_path):
    with settling(tmp_path, always_open) as (server, workspace):
        done = workspace.settle(*PROMPTS, "--max-usd", "9")
    assert done.returncode == 3, done.stderr
    assert set(server.calls.values()) == {8}
    assert len(server.calls) == 16
    assert ended(done) == ("cannot tell", 4, 128, pytest.approx(128 * PRICE))
    cells = re.findall(r"0 of (\d+) answers missing: cannot tell", done.stdout)
    assert cells == ["16", "32", "64", "128"]
    assert "interim analysis 4 of 4, 8 samples: form +0.090" in done.stdout


def test_nothing_is_called_after_the_verdict_nor_by_the_same_or_the_turned_question(tmp_path):
    limits = ("--max-usd", "9")
    with settling(tmp_path, clearly_better) as (server, workspace):
        done = workspace.settle(*PROMPTS, *limits)
        again = workspace.settle(*PROMPTS, *limits)
        turned = workspace.settle(*PROMPTS[2:], *PROMPTS[:2], *limits)
    assert (done.returncode, again.returncode, turned.returncode) == (0, 0, 1), turned.stderr
    assert len(set(server.calls.values())) == 1
    assert ended(again) == ended(done)
    assert "better: prompts/new.txt compared with prompts/draft.txt" in done.stdout
    assert "worse: prompts/draft.txt compared with prompts/new.txt" in turned.stdout


def test_two_models_are_settled_with_one_prompt(tmp_path):
    with counting(lambda _name, _nth: (200, answer_body(GOOD))) as server:
        models = [
            model(name, url=server.url, params={"max_output_tokens": 1000}) for name in ("a", "b")
        ]
        workspace = SettleWorkspace(tmp_path, None, *models)
        done = workspace.settle("--models", "a", "b", "--max-usd", "9")
    assert done.returncode == 0, done.stderr
    assert sorted(body["model"] for body in server.bodies) == ["a"] * 8 + ["b"] * 8
    assert ended(done).verdict == "no meaningful difference"
    assert (
        "graph-evaluator run prompt=prompts/draft.txt 'models=[a,b]' generate.samples=1"
        in done.stdout
    )


def test_content_counts_where_a_coder_codes_the_labels_within_the_cap(tmp_path):
    with settling(tmp_path, better_content) as (server, workspace):
        state_effects(workspace)
        blind = workspace.settle(*PROMPTS, "--max-usd", "9")
        coded = workspace.settle(*PROMPTS, "--max-usd", "9", "--coder", "simulated-coder")
        again = workspace.settle(*PROMPTS, "--max-usd", "9", "--coder", "simulated-coder")
    assert (
        "no meaningful difference: prompts/new.txt compared with prompts/draft.txt; content was not looked at"
        in blind.stdout
    )
    assert "better: prompts/new.txt compared with prompts/draft.txt\n" in coded.stdout
    assert "Content rose from 0.000 to 1.000" in coded.stdout
    assert "content +1.000" in coded.stdout
    answers = sum(server.calls.values())
    assert ended(coded).calls == answers + 16, "two calls a brief"
    assert ended(coded).usd > answers * PRICE
    assert ended(again) == ended(coded), "codes are kept"
    assert again.returncode == 0


def test_a_cap_that_stops_the_coder_ends_the_settlement(tmp_path):
    with settling(tmp_path, better_content) as (_, workspace):
        state_effects(workspace)
        cap = f"{16 * PRICE + 0.005}"
        done = workspace.settle(*PROMPTS, "--max-usd", cap, "--coder", "simulated-coder")
    assert done.returncode == 4
    assert "The cost cap ended interim analysis 1" in done.stdout
    assert ended(done).usd <= float(cap)
    assert not list((tmp_path / "codebooks").glob("*")), "nothing half-coded is kept"


def test_the_recorded_runs_call_nothing(tmp_path):
    with settling(tmp_path, clearly_better) as (server, workspace):
        done = workspace.settle(*PROMPTS, "--max-usd", "9")
        calls = sum(server.calls.values())
        for prompt in ("prompts/draft.txt", "prompts/new.txt"):
            workspace.set(prompt=prompt, generate={"samples": 1})
            assert "nothing was called" in workspace.run().stderr
        assert sum(server.calls.values()) == calls
    assert done.stdout.splitlines()[-2:] == [
        f"  graph-evaluator run prompt=prompts/{name}.txt 'models=[m]' generate.samples=1"
        for name in ("draft", "new")
    ]


def test_a_dry_run_prints_the_plan_calls_nothing_and_writes_nothing(tmp_path):
    workspace = SettleWorkspace(tmp_path, "https://example.invalid/v1")
    before = sorted(tmp_path.rglob("*"))
    done = workspace.settle(*PROMPTS, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert sorted(tmp_path.rglob("*")) == before
    calls = [
        line.partition(" each: adds ")[2].split(",")[0]
        for line in done.stdout.splitlines()
        if line.startswith("Interim analysis")
    ]
    assert calls == ["16 calls", "16 calls", "32 calls", "64 calls"]


def test_a_cap_that_ends_an_interim_analysis_is_kept_to_and_a_larger_one_goes_on(tmp_path):
    with settling(tmp_path, always_open, runtime={"max_concurrency": 2}) as (server, workspace):
        cap = 20 * PRICE + 0.005
        done = workspace.settle(*PROMPTS, "--max-usd", f"{cap}")
        again = workspace.settle(*PROMPTS, "--max-usd", f"{cap}")
        calls = sum(server.calls.values())
        more = workspace.settle(*PROMPTS, "--max-usd", "9")
    assert (done.returncode, *ended(done)[:2]) == (3, "cannot tell", 1)
    assert 16 < calls <= 20
    assert ended(done).usd <= cap
    assert "The cost cap ended interim analysis 2 (not called" in done.stdout
    assert "generate.samples=1" in done.stdout.splitlines()[-1]
    assert again.returncode == 3
    assert more.returncode == 3
    assert ended(more)[:3] == ("cannot tell", 4, 128)
    assert set(server.calls.values()) == {8}


def test_a_refused_key_ends_the_settlement_and_names_the_reason(tmp_path):
    def refusing(_name, _nth):
        return 401, b'{"error": {"message": "no such key", "code": "invalid_api_key"}}'

    with settling(tmp_path, refusing, runtime={"max_concurrency": 2}) as (server, workspace):
        done = workspace.settle(*PROMPTS, "--max-usd", "9")
    assert done.returncode == 4, "1 is the exit code of *worse*"
    assert "A failure ended interim analysis 1 (" in done.stdout
    assert "HTTP 401: the endpoint requires a key" in done.stdout
    assert "To record" not in done.stdout
    assert sum(server.calls.values()) < 16


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_a_stopped_settlement_keeps_what_had_arrived_and_the_same_command_goes_on(tmp_path, which):
    third, go = threading.Event(), threading.Event()

    def holding(name, nth):
        if sum(server.calls.values()) > 20:
            third.set()
            go.wait(60)
        return always_open(name, nth)

    with counting(holding) as server:
        runtime = {"max_concurrency": 1, "warm_prompt_cache": False}
        workspace = SettleWorkspace(tmp_path, server.url, runtime=runtime)
        arguments = (*PROMPTS, "--max-usd", "9")
        process = workspace.start(*arguments)
        assert third.wait(60)
        process.send_signal(which)
        started = time.monotonic()
        _, stderr = process.communicate(timeout=60)
        took_s = time.monotonic() - started
        go.set()
        done = workspace.settle(*arguments)
    assert done.returncode == 3, done.stderr
    in_flight = sum(server.calls.values()) - 128
    assert 1 <= in_flight <= 2  # with kill -9 also the answer that was being written
    assert ended(done).calls == 128
    if which == signal.SIGINT:
        assert process.returncode == 130, stderr
        assert took_s < 10  # two seconds on a machine that has nothing else to do
        assert "all answers that arrived are kept" in stderr


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["--prompt", "prompts/draft.txt"], ["--prompt: is given 1 time:", "--max-usd: is missing"]),
        ([*PROMPTS[:2], *PROMPTS[:2], "--max-usd", "1"], ["there is nothing to settle"]),
        ([*PROMPTS[:2], "--prompt", "prompts/copy.txt", "--max-usd", "1"], ["have the same text"]),
        ([*PROMPTS[:2], "--prompt", "prompts/nwe.txt", "--max-usd", "1"], ['there is no file "prompts/nwe.txt"', "new.txt"]),
        (["--models", "m", "n", "--max-usd", "1"], ['nothing in models/ matches "n"']),
        (["--models", "m", "m", "--max-usd", "1"], ["both are m"]),
        ([*PROMPTS, "--max-usd", "1", "--coder", "n"], ['nothing in models/ matches "n"']),
        ([*PROMPTS[:2], "--max-usd", "0"], ["--max-usd: must be above 0", "--prompt: is given 1 time"]),
    ],
)  # fmt: skip
def test_wrong_input_is_one_message_and_nothing_is_called_or_written(tmp_path, arguments, messages):
    with settling(tmp_path, always_equal) as (server, workspace):
        workspace.write("prompts/copy.txt", "Draft a decision graph.\n")
        done = workspace.settle(*arguments)
    assert done.returncode == 2
    assert [message for message in messages if message not in done.stderr] == []
    assert "Traceback" not in done.stderr
    assert not server.calls
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"base_url": "https://example.invalid/v1", "api_key_env": "SOME_KEY"},
            "SOME_KEY: is not set",
        ),
        ({"pricing": None, "model": "no-such-model"}, "models/m.json: pricing: is missing"),
    ],
    ids=["no key", "no price"],
)
def test_a_model_that_cannot_be_called_within_a_cap_is_reported_before_anything_is_called(
    tmp_path, changed, message
):
    with counting(always_equal) as server:
        config = {
            key: value
            for key, value in (model(url=server.url) | changed).items()
            if value is not None
        }
        done = SettleWorkspace(tmp_path, None, config).settle(*PROMPTS, "--max-usd", "1")
    assert done.returncode == 2
    assert message in done.stderr
    assert not server.calls
    assert not (tmp_path / "results").exists()
