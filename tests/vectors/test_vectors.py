"""The project agrees with every case that lies here, and the runner tells where it would not."""

import json
from pathlib import Path

import pytest

from tests.vectors.__main__ import main

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", ["scoring.jsonl", "extraction.jsonl"])
def test_every_case_agrees(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(HERE / name)]) == 0, capsys.readouterr().out


def case_of(name: str, **expected: object) -> dict[str, object]:
    with (HERE / name).open(encoding="utf-8") as lines:
        case = next(case for case in map(json.loads, lines) if case["check"] == "exact")
    return {**case, "expected": {**case["expected"], **expected}}


@pytest.mark.parametrize(
    ("name", "wrong", "told"),
    [
        ("scoring.jsonl", {"overall_score": 0.1}, "overall_score: expected 0.1"),
        ("scoring.jsonl", {"overall_score": None}, "overall_score: expected None"),
        ("scoring.jsonl", {"violation_codes": ["ORPHAN_NODE"]}, "violation_codes: expected ['ORPHAN_NODE']"),
        ("scoring.jsonl", {"structural_valid": False}, "structural_valid: expected False"),
        ("scoring.jsonl", {"node_count": 0}, "node_count: expected 0"),
        ("extraction.jsonl", {"method": "bracketed"}, "method: expected bracketed"),
        ("extraction.jsonl", {"extraction_attempted": True}, "extraction_attempted: expected True"),
        ("extraction.jsonl", {"parsed": {"nodes": [True], "edges": []}}, "parsed: expected"),
    ],
)
def test_a_disagreement_is_told_and_ends_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, wrong: dict[str, object], told: str
) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(case_of(name, **wrong)) + "\n")
    assert main([str(file)]) == 1
    out = capsys.readouterr().out
    assert told in out
    assert "0 of 1 cases agree" in out


def test_a_file_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no-such-file.jsonl"]) == 2
    assert "no-such-file.jsonl" in capsys.readouterr().err
