"""Responses and scorecards that earlier versions wrote are read, and score as they did."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from stages.contracts.json_text import canonical, parse
from stages.contracts.scorecard import Scorecard
from stages.score import __main__ as score
from tests.generate.earlier_projects import (
    EARLIER_VERSIONS,
    VERSION_0_1,
    VERSION_0_2,
    EarlierVersion,
)

OF_EACH_VERSION = pytest.mark.parametrize("version", EARLIER_VERSIONS, ids=str)
SCORES = (
    "status", "structural_valid", "violation_codes", "param_quality", "option_diff", "completeness", "overall_score",
    "node_count", "edge_count", "complexity", "fingerprint", "failure_code", "measured",
)  # fmt: skip


def scorecards(project: Path) -> list[Scorecard]:
    return [
        Scorecard.read(parse(line))
        for line in (project / "results/scorecards.jsonl").read_bytes().splitlines()
    ]


def scores(card: Scorecard) -> dict[str, Any]:
    return {name: getattr(card, name) for name in SCORES}


def sub_scores(card: Scorecard) -> list[tuple[str, float | None, float]]:
    parts = [part for group in card.sub_scores.values() for part in group]
    return [(part.name, part.value, part.weight) for part in parts if part.weight]


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: EarlierVersion) -> Path:
    """A copy of the version's project, which is the working directory."""
    project = tmp_path / "project"
    shutil.copytree(version.folder, project)
    monkeypatch.chdir(project)
    return project


@OF_EACH_VERSION
def test_the_responses_score_as_they_did(copied: Path) -> None:
    before = scorecards(copied)
    (copied / "results/scorecards.jsonl").unlink()
    score.main([])
    after = scorecards(copied)
    assert [card.cell for card in after] == [card.cell for card in before]
    assert [scores(card) for card in after] == [scores(card) for card in before]
    assert [sub_scores(card) for card in after] == [sub_scores(card) for card in before]


@pytest.mark.parametrize("version", [VERSION_0_2], ids=str)
def test_usable_graphs_and_the_checks_that_there_were_are_those_of_version_0_2(
    copied: Path,
) -> None:
    before = scorecards(copied)
    score.main([])
    after = scorecards(copied)
    for old, new in zip(before, after, strict=True):
        of_version_2 = new.fidelity[: len(old.fidelity)]
        assert of_version_2[1:] == old.fidelity[1:]  # grounding judges short briefs now
    assert [card.usable for card in after] == [card.usable for card in before]


@OF_EACH_VERSION
def test_a_scorecard_keeps_every_key(version: EarlierVersion) -> None:
    for line in (version.folder / "results/scorecards.jsonl").read_bytes().splitlines():
        written: Any = parse(line)
        again: Any = parse(canonical(Scorecard.read(written).to_json()))
        assert {key: again[key] for key in written} == written


def test_a_valid_graph_of_version_0_1_is_usable() -> None:
    for card in scorecards(VERSION_0_1.folder):
        assert card.usable == card.structural_valid
