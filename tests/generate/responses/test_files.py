"""Response files: equal responses give equal bytes, any answer can be written, and no other file stays behind."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from stages.generate.answers.extraction import extract
from stages.generate.responses.files import ResponseFolder
from stages.shared.records.errors import GraphEvaluatorError
from stages.shared.records.response import Response, nested_response
from stages.shared.shell.files import folder_sha256
from stages.shared.shell.results import read_response
from tests.builders.cases import cases
from tests.generate.response_files import write_responses

NAME = "m/b/response.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "responses"


def open_folder(folder: Path) -> ResponseFolder:
    return ResponseFolder(folder, FileLock(folder.parent / "writing.lock"))


def response(text: str = "{}", **changed: Any) -> Response:
    about = {"model_id": "m", "brief_id": "b", "sample": 1, "status": "success"}
    return Response.model_validate(
        nested_response(about | {"raw_text": text, "parsed_graph": extract(text).parsed} | changed)
    )


def reread(folder: Path) -> Response:
    return read_response((folder / NAME).read_bytes(), file="")


def files_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@cases(
    "text",
    {
        "odd numbers": '{"a": 12345678901234567890, "b": -0.0, "c": 1e400, "e123": "e400"}',
        "odd characters": '{"a": "\\ud800", "b": "é\\u2028"}',
        "nested": nested(199),
        "nested too deeply": nested(50_000),
    },
)
def test_any_answer_can_be_written_and_reads_back_equal(folder: Path, text: str) -> None:
    write_responses(folder, [response(text)])
    assert reread(folder) == response(text)


def test_keys_are_sorted_and_a_node_and_an_edge_are_one_line_each(folder: Path) -> None:
    nodes, edges = '[{"id": "a", "data": {"value": 1}}]', '[{"from": "a", "to": "b"}]'
    write_responses(folder, [response(f'{{"nodes": {nodes}, "edges": {edges}}}')])
    written = (folder / NAME).read_text()
    assert list(json.loads(written)) == sorted(json.loads(written))
    assert '      {"data": {"value": 1}, "id": "a"}\n' in written
    assert '      {"from": "a", "to": "b"}\n' in written
    assert written.endswith("}\n")


def test_files_of_cells_that_are_no_longer_selected_go(folder: Path) -> None:
    others = [response(brief_id="c"), response(model_id="n")]
    write_responses(folder, [response(), response(sample=2), *others])
    (folder / "m/b/.response.json.1.tmp").write_text("left behind")
    write_responses(folder, [response(), response("[]", sample=2)])
    assert files_below(folder) == ["m/b/response-2.json", NAME]
    assert not (folder / "n").exists()


def test_a_folder_that_has_the_same_files_is_not_touched(folder: Path) -> None:
    write_responses(folder, [response()])
    before = (folder / NAME).stat()
    assert write_responses(folder, [response()]) == folder_sha256(folder)
    assert (folder / NAME).stat() == before


def test_a_response_that_another_run_changed_before_it_is_published_is_an_error(
    folder: Path,
) -> None:
    write_responses(folder, [response()])
    with open_folder(folder) as prepared:
        prepared.write(response())
        prepared.write(response(sample=2))
        write_responses(folder, [response("[]")])
        with pytest.raises(GraphEvaluatorError, match="changed by another run: run again"):
            prepared.publish()
    assert reread(folder) == response("[]")


def test_until_they_are_published_responses_are_not_in_their_folder(folder: Path) -> None:
    write_responses(folder, [response()])
    with open_folder(folder) as prepared:
        prepared.write(response("[]"))
        prepared.write(response(sample=2))
        assert files_below(folder) == [NAME]
    assert files_below(folder.parent) == [f"responses/{NAME}", "writing.lock"]
    assert reread(folder) == response()


@cases("swapped", {"while preparing": False, "during the swap": True})
def test_the_next_run_removes_what_a_killed_one_leaves(folder: Path, swapped: bool) -> None:
    write_responses(folder, [response()])
    scratch = folder.parent / ".responses-killed"
    (scratch / "new").mkdir(parents=True)
    if swapped:
        folder.rename(scratch / "old")
    write_responses(folder, [response()])
    assert files_below(folder) == [NAME]
    assert not scratch.exists()


def test_a_run_leaves_alone_what_another_one_prepares(folder: Path) -> None:
    with open_folder(folder) as first, open_folder(folder) as second:
        first.write(response())
        second.write(response("[]"))
        for run in (second, first):
            run.publish()
    assert files_below(folder.parent) == [f"responses/{NAME}", "writing.lock"]
    assert reread(folder) == response()


def make_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("in the way")


def make_folder(path: Path) -> None:
    (path / "in the way").mkdir(parents=True)


def make_pipe(path: Path) -> None:
    path.parent.mkdir(parents=True)
    os.mkfifo(path)


@cases(
    "name, make",
    {
        "a file, not the folder": (".", make_file),
        "a file, not a model's folder": ("m", make_file),
        "a folder, not a file": (NAME, make_folder),
        "a named pipe": (NAME, make_pipe),
        "another file": (NAME, make_file),
    },
)
def test_what_is_in_the_way_of_a_response_is_replaced(
    folder: Path, name: str, make: Callable[[Path], None]
) -> None:
    make(folder / name)
    write_responses(folder, [response()])
    assert files_below(folder) == [NAME]
    assert reread(folder) == response()
