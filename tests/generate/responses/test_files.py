"""Response files: equal responses give equal bytes, any answer can be written, and no other file stays behind."""

import json
from pathlib import Path
from typing import Any

import pytest

from stages.contracts.cell import Cell
from stages.contracts.json_text import parse
from stages.contracts.response import Response
from stages.generate.answers.extraction import extract
from stages.generate.answers.files import content_of, read_response
from tests.generate.response_files import write_responses


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
        nested(90),
        nested(50_000),
    ],
    ids=["infinite", "many digits", "odd numbers", "odd characters", "nested", "nested absurdly"],
)
def test_any_answer_can_be_written_and_reads_back_equal(text: str) -> None:
    written = content_of(response(text))
    assert written == content_of(response(text))
    assert len(written) < 10 * len(text) + 20_000
    record = parse(written)
    assert isinstance(record, dict)
    assert repr_of(record["parsed_graph"]) == repr_of(extract(text).parsed)
    assert record["raw_text"] == text


def repr_of(value: object) -> str:
    """How deep, for what is too deep to compare; else the value."""
    depth = 0
    inner = value
    while isinstance(inner, list) and inner:
        depth, inner = depth + 1, inner[0]
    return f"{depth} deep" if depth else repr(value)


def test_keys_are_sorted_and_the_file_ends_with_a_newline() -> None:
    written = content_of(response())
    assert list(json.loads(written)) == sorted(json.loads(written))
    assert written.endswith(b"}\n")


def test_files_of_cells_that_are_no_longer_selected_go_and_unchanged_ones_are_not_touched(tmp_path: Path) -> None:
    write_responses(tmp_path, [response(), response(brief_id="c"), response(model_id="n"), response(sample=2)])
    before = (tmp_path / "m/b/response.json").stat().st_mtime_ns
    (tmp_path / "m/b/.response.json.1.tmp").write_text("left behind")
    write_responses(tmp_path, [response(), response(sample=2)])
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert left == ["m/b/response-2.json", "m/b/response.json"]
    assert not (tmp_path / "n").exists()
    assert (tmp_path / "m/b/response.json").stat().st_mtime_ns == before


def test_what_cannot_be_written_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "m").write_text("in the way")
    with pytest.raises(OSError, match=r".+"):
        write_responses(tmp_path, [response()])


def test_what_is_no_response_is_not_read_as_one(tmp_path: Path) -> None:
    write_responses(tmp_path, [response()])
    assert read_response(tmp_path, Cell("m", "b", 1)) == response()
    assert read_response(tmp_path, Cell("m", "b", 2)) is None
    for content in ("", "[]", "{}", '{"model_id": 1}', '{"\\ud800": 1}', nested(5_000)):
        (tmp_path / "m/b/response.json").write_text(content)
        assert read_response(tmp_path, Cell("m", "b", 1)) is None
