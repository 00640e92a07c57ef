"""Response files: equal responses give equal bytes, any answer can be written, and no other file stays behind."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stages.contracts.errors import GraphEvaluatorError
from stages.contracts.response import Response
from stages.generate.answers.extraction import extract
from stages.generate.responses.files import write_responses
from stages.score.response_files import read_response


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


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1e400, "b": -1e400}',
        '{"a": ' + "9" * 400 + "}",
        '{"a": 12345678901234567890, "b": -0.0, "c": 1e16, "d": 1e-7, "e123": "e400"}',
        '{"a": "\\ud800", "b": "é\\u2028"}',
        nested(199),
        nested(50_000),
    ],
    ids=["infinite", "many digits", "odd numbers", "odd characters", "nested", "nested too deeply"],
)
def test_any_answer_can_be_written_and_reads_back_equal(tmp_path: Path, text: str) -> None:
    write_responses(tmp_path, [response(text)])
    assert read_response((tmp_path / "m/b/response.json").read_bytes(), file="") == response(text)


def test_keys_are_sorted_and_the_file_ends_with_a_newline(tmp_path: Path) -> None:
    write_responses(tmp_path, [response()])
    written = (tmp_path / "m/b/response.json").read_bytes()
    assert list(json.loads(written)) == sorted(json.loads(written))
    assert written.endswith(b"}\n")


def test_files_of_cells_that_are_no_longer_selected_go_and_unchanged_ones_are_not_touched(
    tmp_path: Path,
) -> None:
    write_responses(
        tmp_path, [response(), response(brief_id="c"), response(model_id="n"), response(sample=2)]
    )
    before = (tmp_path / "m/b/response.json").stat().st_mtime_ns
    (tmp_path / "m/b/.response.json.1.tmp").write_text("left behind")
    write_responses(tmp_path, [response(), response(sample=2)])
    left = sorted(
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    )
    assert left == ["m/b/response-2.json", "m/b/response.json"]
    assert not (tmp_path / "n").exists()
    assert (tmp_path / "m/b/response.json").stat().st_mtime_ns == before


def make_file(path: Path) -> None:
    path.write_text("in the way")


def make_folder(path: Path) -> None:
    (path / "b/response.json").mkdir(parents=True)


@pytest.mark.parametrize(
    ("name", "make", "reason"),
    [
        ("results/m", make_file, "Not a directory"),
        ("results", make_file, "Not a directory"),
        ("results/m", make_folder, "Is a directory"),
    ],
    ids=[
        "a file in place of a folder",
        "a file in place of the results",
        "a folder in place of a file",
    ],
)
def test_what_is_in_the_way_of_a_response_is_one_sentence(
    tmp_path: Path, name: str, make: Callable[[Path], None], reason: str
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    make(tmp_path / name)
    with pytest.raises(
        GraphEvaluatorError,
        match=f"response.json cannot be written .{reason}.; every answer is kept",
    ):
        write_responses(tmp_path / "results", [response()])


@pytest.mark.parametrize("content", ["", "[]", '{"model_id": 1}', nested(5_000)])
def test_a_file_that_is_no_response_is_replaced(tmp_path: Path, content: str) -> None:
    write_responses(tmp_path, [response()])
    file = tmp_path / "m/b/response.json"
    written = file.read_bytes()
    file.write_text(content)
    write_responses(tmp_path, [response()])
    assert file.read_bytes() == written


def test_a_named_pipe_in_place_of_a_response_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "m/b").mkdir(parents=True)
    os.mkfifo(tmp_path / "m/b/response.json")
    write_responses(tmp_path, [response()])
    assert (tmp_path / "m/b/response.json").is_file()


def test_a_node_and_an_edge_are_one_line_each(tmp_path: Path) -> None:
    write_responses(
        tmp_path,
        [
            response(
                '{"nodes": [{"id": "a", "data": {"value": 1}}], "edges": [{"from": "a", "to": "b"}]}'
            )
        ],
    )
    written = (tmp_path / "m/b/response.json").read_text()
    assert '      {"data": {"value": 1}, "id": "a"}\n' in written
    assert '      {"from": "a", "to": "b"}\n' in written
