"""`graph-evaluator generate` in batch mode, killed at every step, stopped, and drawing again."""

import signal
from collections import Counter
from functools import partial

import pytest

from tests.generate.forked import PATIENCE_S, ended, fork, until
from tests.generate.workspace import Workspace, model

BRIEFS = 5
PRICING = {"input_per_1m": 10, "output_per_1m": 20, "source": "a test"}
RUNTIME = {"mode": "batch", "batch_poll_s": 0.02}
STEPS = ["POST /files", "POST /batches", "GET /batches/", "GET /files"]


@pytest.fixture
def project(tmp_path, service):
    config = model(url=service.url, pricing=PRICING)
    return Workspace(tmp_path / "project", config, briefs=BRIEFS, runtime=RUNTIME)


def responses(project):
    return [project.response(f"m/b{number}") for number in range(1, BRIEFS + 1)]


def has_done(service, step):
    return any(request.startswith(step) for request in service.done)


def test_killed_at_every_step_nothing_is_lost_and_nothing_sent_twice(service, project):
    service.behave(garble={step: ["stalled", "cut", "cut"] for step in STEPS})
    for step in STEPS:
        process = fork(project)
        until(partial(has_done, service, step))
        process.kill()
        assert ended(process) == -signal.SIGKILL
    assert ended(fork(project)) == 0, (project.folder / "log").read_text()
    assert len(service.submitted()) == BRIEFS
    assert service.most_submitted() == 1
    half = (100 * 10 + 50 * 20) / 1_000_000 / 2
    for response in responses(project):
        assert response["status"] == "success"
        assert response["est_cost_usd"] == half
        assert response["latency_ms"] is None


def test_a_batch_that_is_out_survives_ctrl_c_and_direct_mode_and_can_be_cancelled(service, project):
    service.behave(looks=10_000, finished=2)
    process = project.spawn()
    until(partial(has_done, service, "GET /batches/"))
    process.send_signal(signal.SIGINT)
    message = process.communicate(timeout=PATIENCE_S)[1]
    assert (process.returncode, "the next run collects them" in message) == (
        130,
        True,
    ), message
    assert "Traceback" not in message
    assert f"{BRIEFS} of these calls are in batches" in project.run("--dry-run").stdout
    project.write("prompts/other.txt", "Another prompt.\n")
    forecast = project.run("--dry-run", "--prompt", "prompts/other.txt").stdout
    assert f"{BRIEFS} calls of other runs are in open batches" in forecast
    assert f"{BRIEFS} calls, in no sum until" in " ".join(project.run("--spent").stdout.split())
    project.set(runtime=RUNTIME | {"mode": "direct"})
    assert project.run().returncode == 1
    assert {response["failure_code"] for response in responses(project)} == {"in_batch"}
    cancelled = project.run("--cancel-batches")
    assert cancelled.returncode == 0
    assert "cancelling" in cancelled.stderr
    project.run()
    statuses = Counter(response["status"] for response in responses(project))
    assert statuses == {"success": 2, "server_error": BRIEFS - 2}


def test_a_batch_of_redraws_whose_state_was_unknown_is_collected_by_the_next_run(service, project):
    service.behave(text="no JSON")
    project.run()
    service.behave(faults={"GET /batches": [500] * 50})
    project.set(generate={"unparsed_draws": 2}, runtime=RUNTIME | {"cell_timeout_s": 0.05})
    project.run()
    assert {response["draws"] for response in responses(project)} == {1}
    service.behave()
    project.set(runtime=RUNTIME)
    assert project.run().returncode == 0
    assert len(service.submitted()) == 2 * BRIEFS
    assert service.most_submitted() == 1
    assert {response["draws"] for response in responses(project)} == {2}
