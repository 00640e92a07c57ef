"""A response file that stands as it was written is not made again, and one that does not stand is put right."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stages.generate.answers.conclusion import Conclusion
from stages.generate.answers.files import ResponseFiles, read_response
from stages.generate.answers.recall import Ingredients, Trace
from stages.generate.answers.recall_file import FILE, maker, read_traces
from stages.generate.call import Answer
from stages.generate.campaign import Fetched
from stages.generate.cost.costing import Costing
from stages.generate.plan.cell_plan import PlannedCell
from tests.generate.asking import cells, config
from tests.generate.workspace import CountingServer, Workspace, answer_body, model

FIRST = "responses/m/b1/response.json"


def answer(planned: PlannedCell, **changed: Any) -> Answer:
    fields: dict[str, Any] = {
        "fingerprint": planned.fingerprints[0],
        "body": answer_body().decode(),
        "latency_ms": 1.0,
        "attempts": 1,
        "arrived_at": "2026-01-01T00:00:00Z",
        "endpoint": "e",
    }
    return Answer(**(fields | changed))


class Answers:
    """A ledger with an answer to the first draw of every cell."""

    def __init__(self, planned: list[PlannedCell]) -> None:
        self._answers = {cell.fingerprints[0]: answer(cell) for cell in planned}

    def present(self, fingerprints: Any) -> frozenset[str]:
        return frozenset(self._answers)

    def read(self, fingerprints: Any) -> dict[str, Answer]:
        return self._answers


def concluded(folder: Path, planned: list[PlannedCell], before: dict[str, Trace]) -> tuple[int, dict[str, Trace], str]:
    """How many responses were made, the traces, and the closing line."""
    conclusion = Conclusion(Fetched(), Costing(lambda *_: None))
    made = 0
    with ResponseFiles(folder, Ingredients(b"this code"), before) as files:
        for response in conclusion.responses(planned, Answers(planned), files.standing):
            made += 1
            files.write(response)
    return made, files.traces, conclusion.lines()[0]


def test_what_stands_is_counted_and_not_made_again(tmp_path: Path) -> None:
    planned = cells(config(), briefs=3)
    made, traces, line = concluded(tmp_path, planned, {})
    assert (made, len(traces)) == (3, 3)
    assert concluded(tmp_path, planned, traces) == (0, traces, line)
    assert len(list(tmp_path.rglob("*.json"))) == 3


@pytest.mark.parametrize(
    "damage", [lambda file: file.unlink(), lambda file: file.write_text("{}")], ids=["gone", "edited"]
)
def test_only_the_file_that_does_not_stand_is_made_again(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    planned = cells(config(), briefs=3)
    _, traces, line = concluded(tmp_path, planned, {})
    before = read_response(tmp_path, planned[1].cell)
    damage(tmp_path / "m/b2/response.json")
    assert concluded(tmp_path, planned, traces) == (1, traces, line)
    assert read_response(tmp_path, planned[1].cell) == before


def test_a_response_of_other_ingredients_has_another_name() -> None:
    def name(of: dict[str, Any] | None = None, *, by: bytes = b"a", draws: int = 1, **changed: Any) -> str:
        planned = cells(config(**(of or {})), unparsed_draws=draws)[0]
        return Ingredients(by).name(planned, {planned.fingerprints[0]: answer(planned, **changed)})

    others = [
        name(by=b"b"),
        name({"pricing": None}),
        name({"provider": "simulated"}),
        name({"base_url": "http://127.0.0.1:1/v1"}),
        name({"params": {"response_format": "json_object"}}),
        name(body="{}"),
        name(attempts=2),
        name(latency_ms=None),
        name(source="batch"),
        name(draws=2),
    ]
    assert len({name(), *others}) == len(others) + 1
    assert name() == name()


def test_cells_with_the_same_answer_have_names_of_their_own() -> None:
    planned = cells(config("one", model="m"), config("two", model="m"), briefs=1)
    assert planned[0].fingerprints == planned[1].fingerprints
    ingredients = Ingredients(b"")
    answers = {planned[0].fingerprints[0]: answer(planned[0])}
    assert ingredients.name(planned[0], answers) != ingredients.name(planned[1], answers)


def test_the_maker_is_the_same_from_run_to_run() -> None:
    assert maker() == maker()


@pytest.mark.parametrize(
    "content", [b"", b"[1]", b'{"a": "b"}', b"\xff", b'{"a": ["0", "no such status", false]}'], ids=repr
)
def test_traces_that_cannot_be_read_are_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    assert read_traces(tmp_path) == {}
    assert read_traces(tmp_path / "none") == {}


def test_a_run_puts_right_what_was_edited_and_makes_anew_what_a_new_price_alters(tmp_path: Path) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model(url=server.url))
        workspace.run()
        before = workspace.outputs()
        (tmp_path / "results" / FIRST).write_text("{}")
        (tmp_path / "results/responses/m/b2/response.json").unlink()
        workspace.run()
        assert workspace.outputs() == before
        (tmp_path / ".ledger" / FILE).write_bytes(b"no traces")
        workspace.run()
        assert workspace.outputs() == before
        pricing = {"input_per_1m": 4.0, "output_per_1m": 16.0, "source": "a test"}
        workspace.write("models/m.json", json.dumps(model(url=server.url, pricing=pricing)))
        workspace.run()
        assert workspace.response("m/b1")["est_cost_usd"] == pytest.approx(0.012)
    assert sum(server.calls.values()) == 3


def test_an_altered_answer_is_found_though_its_file_stands(tmp_path: Path) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model(url=server.url))
        workspace.run()
        assert len(msgspec.json.decode((tmp_path / ".ledger" / FILE).read_bytes())) == 3
        with sqlite3.connect(tmp_path / ".ledger/answers.sqlite3") as connection:
            connection.execute("UPDATE answers SET latency_ms = 1 WHERE rowid = 2")
        connection.close()
        done = workspace.run()
    assert done.returncode == 2
    assert "is not what was written" in done.stderr
