"""The project agrees with every case of this folder, and the runner reports every disagreement."""

import json
from pathlib import Path

import pytest

from tests.builders.cases import cases
from tests.vectors.__main__ import main

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", ["scoring.jsonl", "extraction.jsonl"])
def test_every_case_agrees(name, capsys):
    assert main([str(HERE / name)]) == 0, capsys.readouterr().out


def case_of(name, **expected):
    with (HERE / name).open(encoding="utf-8") as lines:
        case = next(case for case in map(json.loads, lines) if case["check"] == "exact")
    return {**case, "expected": {**case["expected"], **expected}}


@pytest.mark.parametrize(
    ("name", "wrong", "reported"),
    [
        ("scoring.jsonl", {"overall_score": 0.1}, "overall_score: expected 0.1"),
        (
            "scoring.jsonl",
            {"violation_codes": ["ORPHAN_NODE"]},
            "violation_codes: expected ['ORPHAN_NODE']",
        ),
        ("extraction.jsonl", {"parsed": {"nodes": [True], "edges": []}}, "parsed: expected"),
    ],
)
def test_a_disagreement_is_reported_with_exit_code_1(tmp_path, capsys, name, wrong, reported):
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(case_of(name, **wrong)) + "\n")
    assert main([str(file)]) == 1
    out = capsys.readouterr().out
    assert reported in out
    assert "0 of 1 cases agree" in out


@cases(
    "content, reported",
    {
        "not UTF-8": (b"\xff", ": 'utf-8' codec can't decode byte 0xff"),
        "an unknown check": (b'{"check": "loose"}', "check must be one of exact"),
    },
)  # fmt: skip
def test_a_file_without_cases_is_reported_with_its_line(tmp_path, capsys, content, reported):
    file = tmp_path / "cases.jsonl"
    file.write_bytes(content)
    assert main([str(file)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {file}")
    assert reported in error
