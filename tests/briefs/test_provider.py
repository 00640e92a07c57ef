"""`briefs code` with a provider: only what both answers say is written, and no answer is paid twice."""

import json
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from graph_evaluator.briefs import __main__ as command
from tests.briefs.test_command import EFFECTS, a_response
from tests.builders.provider import CountingServer, answer_body
from tests.generate.workspace import Workspace, model

BRIEFS = 6
CODE = ("code", "--by", "coder", "--max-usd", "5")
CODES = json.dumps({"labels": {"1": "waste", "2": None, "3": None}, "option_labels": {}})


def coding(brief: str, nth: int) -> tuple[int, bytes]:
    """What both answers to each request are."""
    return 200, answer_body(CODES)


class CodingWorkspace(Workspace):
    """Briefs that state concepts, a stored graph of each, and a model that codes."""

    def __init__(self, folder: Path, url: str) -> None:
        coder = model("coder", url=url, params={"max_output_tokens": 500})
        super().__init__(folder, coder, briefs=0, runtime={"max_concurrency": 2})
        for number in range(BRIEFS):
            self.write(f"briefs/b{number}.md", f"{EFFECTS}Brief {number}: buy an oven?\n")
            cell = self.folder / f"results/responses/m/b{number}"
            cell.mkdir(parents=True)
            (cell / "response.json").write_bytes(a_response("m", f"b{number}"))

    @property
    def stored(self) -> int:
        """How many answers the ledger has."""
        with closing(sqlite3.connect(self.folder / ".ledger/answers.sqlite3")) as connection:
            return int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_command_goes_on_and_pays_no_answer_twice(
    tmp_path: Path, how: signal.Signals
) -> None:
    with CountingServer(coding, latency_s=0.05) as server:
        project = CodingWorkspace(tmp_path, server.url)
        for calls in (1, 3, 3):
            expected = server.calls.total() + calls
            process = project.spawn(*CODE, command_name="briefs", OPENAI_API_KEY="k")
            while server.calls.total() < expected and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(how)
            process.communicate()
            assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
        lost = server.calls.total() - project.stored
        assert lost <= 6
        assert not (project.folder / "codebooks").exists()
        done = project.run(main=lambda: command.main(CODE), OPENAI_API_KEY="k")
        assert done.returncode == 0, done.stderr
        assert server.calls.total() == 2 * BRIEFS + lost
    assert project.stored == 2 * BRIEFS
    codebooks = [file.read_text() for file in (project.folder / "codebooks").iterdir()]
    assert ["Bread thrown away: waste" in text for text in codebooks] == [True] * BRIEFS


def test_codes_of_one_answer_alone_are_listed_for_a_person(tmp_path: Path) -> None:
    codes = ({"1": "waste", "2": None}, {"1": "waste", "2": "noise"})
    with CountingServer(
        lambda _, nth: (200, answer_body(json.dumps({"labels": codes[nth - 1]})))
    ) as server:
        project = CodingWorkspace(tmp_path, server.url)
        done = project.run(main=lambda: command.main([*CODE, "b1"]), OPENAI_API_KEY="k")
    assert "codebooks/b1.yaml: 1 label coded" in done.stdout
    assert "b1: code by hand: Ovens\n" in done.stdout
    assert "Ovens" not in (project.folder / "codebooks/b1.yaml").read_text()
