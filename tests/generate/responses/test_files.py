"""Response files: equal responses give equal bytes, any answer can be written, and no other file stays behind."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from stages.contracts.errors import GraphEvaluatorError
from stages.contracts.response import Response
from stages.generate.answers.extraction import extract
from stages.generate.responses.files import ResponseFolder
from stages.score.response_files import read_response
from stages.shell.files import folder_sha256
from tests.builders.cases import cases
from tests.generate.response_files import write_responses


def open_folder(folder: Path) -> ResponseFolder:
    return ResponseFolder(folder, FileLock(folder.parent / "writing.lock"))


def response(text: str = "{}", **changed: Any) -> Response:
    fields: dict[str, Any] = {
        "model_id": "m",
        "brief_id": "b",
        "sample": 1,
        "status": "success",
        "raw_text": text,
        "parsed_graph": extract(text).parsed,
    }
    return Response(**(fields | changed))


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@cases(
    "text",
    {
        "infinite": '{"a": 1e400, "b": -1e400}',
        "many digits": '{"a": ' + "9" * 400 + "}",
        "odd numbers": '{"a": 12345678901234567890, "b": -0.0, "c": 1e16, "d": 1e-7, "e123": "e400"}',
        "odd characters": '{"a": "\\ud800", "b": "é\\u2028"}',
        "nested": nested(199),
        "nested too deeply": nested(50_000),
    },
)
def test_any_answer_can_be_written_and_reads_back_equal(tmp_path: Path, text: str) -> None:
    write_responses(tmp_path / "responses", [response(text)])
    assert read_response(
        (tmp_path / "responses/m/b/response.json").read_bytes(), file=""
    ) == response(text)


def test_keys_are_sorted_and_the_file_ends_with_a_newline(tmp_path: Path) -> None:
    write_responses(tmp_path / "responses", [response()])
    written = (tmp_path / "responses/m/b/response.json").read_bytes()
    assert list(json.loads(written)) == sorted(json.loads(written))
    assert written.endswith(b"}\n")


def files_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


def test_files_of_cells_that_are_no_longer_selected_go_and_unchanged_ones_are_not_touched(
    tmp_path: Path,
) -> None:
    folder, file = tmp_path / "responses", tmp_path / "responses/m/b/response.json"
    others = [response(brief_id="c"), response(model_id="n")]
    write_responses(folder, [response(), response(sample=2), *others])
    before = file.stat()
    (folder / "m/b/.response.json.1.tmp").write_text("left behind")
    write_responses(folder, [response(), response("[]", sample=2)])
    assert files_below(folder) == ["m/b/response-2.json", "m/b/response.json"]
    assert not (folder / "n").exists()
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_the_hash_of_the_files_is_that_of_the_folder(tmp_path: Path) -> None:
    responses = [response(), response(sample=2), response(brief_id="b-1"), response(brief_id="ba")]
    assert write_responses(tmp_path / "responses", responses) == folder_sha256(
        tmp_path / "responses"
    )


def test_until_they_are_published_responses_are_not_in_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "responses"
    write_responses(folder, [response()])
    with open_folder(folder) as prepared:
        prepared.write(response("[]"))
        prepared.write(response(sample=2))
        assert files_below(folder) == ["m/b/response.json"]
    assert files_below(tmp_path) == ["responses/m/b/response.json", "writing.lock"]
    assert read_response((folder / "m/b/response.json").read_bytes(), file="") == response()


@cases(
    "swapped",
    {
        "while preparing": False,
        "during the swap": True,
    },
)
def test_the_next_run_removes_what_a_killed_one_leaves(tmp_path: Path, swapped: bool) -> None:
    folder = tmp_path / "responses"
    write_responses(folder, [response()])
    scratch = tmp_path / ".responses-killed"
    (scratch / "new").mkdir(parents=True)
    if swapped:
        folder.rename(scratch / "old")
    write_responses(folder, [response()])
    assert files_below(folder) == ["m/b/response.json"]
    assert not scratch.exists()


def test_a_run_leaves_alone_what_another_one_prepares(tmp_path: Path) -> None:
    folder = tmp_path / "responses"
    with open_folder(folder) as first, open_folder(folder) as second:
        first.write(response())
        second.write(response("[]"))
        for run in (second, first):
            run.publish()
    assert files_below(tmp_path) == ["responses/m/b/response.json", "writing.lock"]
    assert read_response((folder / "m/b/response.json").read_bytes(), file="") == response()


def test_a_run_of_other_settings_at_the_same_time_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "responses"
    write_responses(folder, [response()])
    with open_folder(folder) as prepared:
        prepared.write(response())
        write_responses(folder, [response("[]")])
        with pytest.raises(GraphEvaluatorError, match="was changed by another run"):
            prepared.publish()
    assert read_response((folder / "m/b/response.json").read_bytes(), file="") == response("[]")


def make_file(path: Path) -> None:
    path.write_text("in the way")


def make_folder(path: Path) -> None:
    (path / "b/response.json").mkdir(parents=True)


@cases(
    "name, make",
    {
        "a file, not the folder": ("responses", make_file),
        "a file, not a model's folder": ("responses/m", make_file),
        "a folder, not a file": ("responses/m", make_folder),
    },
)
def test_what_is_in_the_way_of_a_response_is_replaced(
    tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    make(tmp_path / name)
    write_responses(tmp_path / "responses", [response()])
    assert files_below(tmp_path / "responses") == ["m/b/response.json"]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    make_file(tmp_path / "results")
    with pytest.raises(GraphEvaluatorError, match=r"results cannot be written \("):
        write_responses(tmp_path / "results/responses", [response()])


@pytest.mark.parametrize("content", ["", "[]", '{"model_id": 1}', nested(5_000)])
def test_a_file_that_is_no_response_is_replaced(tmp_path: Path, content: str) -> None:
    write_responses(tmp_path / "responses", [response()])
    file = tmp_path / "responses/m/b/response.json"
    written = file.read_bytes()
    file.write_text(content)
    write_responses(tmp_path / "responses", [response()])
    assert file.read_bytes() == written


def test_a_named_pipe_in_place_of_a_response_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "responses/m/b").mkdir(parents=True)
    os.mkfifo(tmp_path / "responses/m/b/response.json")
    write_responses(tmp_path / "responses", [response()])
    assert (tmp_path / "responses/m/b/response.json").is_file()


def test_a_node_and_an_edge_are_one_line_each(tmp_path: Path) -> None:
    write_responses(
        tmp_path / "responses",
        [
            response(
                '{"nodes": [{"id": "a", "data": {"value": 1}}], "edges": [{"from": "a", "to": "b"}]}'
            )
        ],
    )
    written = (tmp_path / "responses/m/b/response.json").read_text()
    assert '      {"data": {"value": 1}, "id": "a"}\n' in written
    assert '      {"from": "a", "to": "b"}\n' in written
