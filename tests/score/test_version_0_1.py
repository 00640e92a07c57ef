"""Responses and scorecards that version 0.1 wrote are read, and score as they did."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from stages.contracts.json_text import canonical, parse
from stages.contracts.scorecard import Scorecard
from stages.score.__main__ import main

WRITTEN = Path(__file__).parents[1] / "fixtures/v0_1"
SCORES = (
    "status", "structural_valid", "violation_codes", "param_quality", "option_diff", "completeness", "overall_score",
    "node_count", "edge_count", "complexity", "fingerprint", "failure_code", "measured",
)  # fmt: skip


def scorecards(project: Path) -> list[Scorecard]:
    return [
        Scorecard.read(parse(entry))
        for entry in (project / "results/scorecards.jsonl").read_bytes().splitlines()
    ]


def test_the_responses_score_as_they_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    shutil.copytree(WRITTEN, project)
    before = scorecards(project)
    (project / "results/scorecards.jsonl").unlink()
    monkeypatch.chdir(project)
    main([])
    after = scorecards(project)
    assert [card.cell for card in after] == [card.cell for card in before]
    for old, new in zip(before, after, strict=True):
        assert {key: getattr(new, key) for key in SCORES} == {
            key: getattr(old, key) for key in SCORES
        }
        assert [
            (part.name, part.value, part.weight)
            for parts in new.sub_scores.values()
            for part in parts
        ] == [
            (part.name, part.value, part.weight)
            for parts in old.sub_scores.values()
            for part in parts
        ]


def test_a_scorecard_keeps_every_key_and_a_valid_graph_is_usable() -> None:
    for card in scorecards(WRITTEN):
        assert card.usable == card.structural_valid
    for text in (WRITTEN / "results/scorecards.jsonl").read_bytes().splitlines():
        written: Any = parse(text)
        again: Any = parse(canonical(Scorecard.read(written).to_json()))
        assert {key: again[key] for key in written} == written
