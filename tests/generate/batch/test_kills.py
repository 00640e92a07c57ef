"""`python -m stages.generate` in batch mode, killed at every step, the server restarted in between."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.generate.workspace import REPOSITORY, Workspace, model

BRIEFS = 5
PATIENCE_S = 60.0

PRICING = {"input_per_1m": 10, "output_per_1m": 20, "source": "a test"}
RUNTIME = {"mode": "batch", "batch_poll_s": 0.02}


class Place:
    """A project in a folder, a server in a process of its own, and what both did."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "server"
        self.state.mkdir()
        self.server: subprocess.Popen[bytes] | None = None
        self.port = 0
        self.start_server()
        config = model(url=f"http://127.0.0.1:{self.port}/v1", pricing=PRICING)
        self.project = Workspace(folder / "project", config, briefs=BRIEFS, runtime=RUNTIME)

    def start_server(self) -> None:
        words = ["-m", "tests.generate.batch_server", str(self.state), str(self.port)]
        command = [sys.executable, *words]
        self.server = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE)
        assert self.server.stdout is not None
        self.port = int(self.server.stdout.readline())

    def kill_server(self) -> None:
        if self.server is not None:
            self.server.kill()
            self.server.communicate()

    def behave(self, **behaviour: object) -> None:
        (self.state / "behaviour.json").write_text(json.dumps(behaviour))

    def wait_for(self, request: str, process: subprocess.Popen[str]) -> None:
        """Until the server has carried out a request."""
        end = time.monotonic() + PATIENCE_S
        log = self.state / "done.log"
        while not (
            log.exists() and any(line.startswith(request) for line in log.read_text().splitlines())
        ):
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < end, f"{request} did not come"
            time.sleep(0.01)

    def sent_up(self) -> list[str]:
        """The custom id of every request of every batch that was created."""
        found: list[str] = []
        for file in (self.state / "batches").glob("*.json"):
            lines = (
                (self.state / "files" / json.loads(file.read_text())["input_file_id"])
                .read_bytes()
                .splitlines()
            )
            found += [json.loads(line)["custom_id"] for line in lines]
        return found

    def responses(self) -> list[dict[str, object]]:
        files = sorted((self.project.folder / "results" / "responses").rglob("*.json"))
        return [json.loads(file.read_text()) for file in files]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path)
    yield place
    place.kill_server()


@pytest.mark.parametrize("garble", [None, "cut"])
def test_killed_at_every_step_nothing_is_lost_and_nothing_sent_twice(
    place: Place, garble: str | None
) -> None:
    steps = ["POST /files", "POST /batches", "GET /batches/", "GET /files"]
    garbled = {} if garble is None else {step: [garble] * 3 for step in steps}
    place.behave(stall={step: [0] for step in steps}, garble=garbled)
    for step in steps:
        process = place.project.spawn()
        place.wait_for(step, process)
        process.kill()
        process.communicate()
        place.kill_server()
        place.start_server()
    process = place.project.spawn()
    message = process.communicate(timeout=PATIENCE_S)[1]
    assert process.returncode == 0, message
    responses = place.responses()
    assert [response["status"] for response in responses] == ["success"] * BRIEFS
    assert len(place.sent_up()) == len(set(place.sent_up())) == BRIEFS
    half = (100 * 10 + 50 * 20) / 1_000_000 / 2
    assert {(response["est_cost_usd"], response["latency_ms"]) for response in responses} == {
        (half, None)
    }


def test_a_batch_that_is_out_survives_ctrl_c_and_direct_mode_and_can_be_cancelled(
    place: Place,
) -> None:
    place.behave(looks=10_000, finished=2)
    process = place.project.spawn()
    place.wait_for("GET /batches/", process)
    process.send_signal(signal.SIGINT)
    message = process.communicate(timeout=PATIENCE_S)[1]
    assert (process.returncode, "the next run collects them" in message) == (130, True), message
    assert "Traceback" not in message

    process = place.project.spawn("--dry-run")
    message = process.communicate(timeout=PATIENCE_S)[0]
    assert f"{BRIEFS} of these calls are in batches" in message, message

    place.project.set(runtime=RUNTIME | {"mode": "direct"})
    process = place.project.spawn()
    message = process.communicate(timeout=PATIENCE_S)[1]
    assert process.returncode == 1, message
    assert {response["failure_code"] for response in place.responses()} == {"in_batch"}

    process = place.project.spawn("--cancel-batches")
    message = process.communicate(timeout=PATIENCE_S)[1]
    assert (process.returncode, "cancelling" in message) == (0, True), message

    process = place.project.spawn()
    process.communicate(timeout=PATIENCE_S)
    statuses = [response["status"] for response in place.responses()]
    assert (statuses.count("success"), statuses.count("server_error")) == (2, BRIEFS - 2)
