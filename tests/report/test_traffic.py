"""Answers to inputs that no brief has: a page of their own, and no part of any figure."""

import json
from pathlib import Path

import pytest

from stages.commands.ingest import __main__ as ingest
from stages.report import __main__ as report
from stages.report.files import Results
from stages.report.site.pages import traffic_by_model
from stages.score import __main__ as score
from stages.shared.records.json_text import line
from tests.builders.scorecards import card, invalid
from tests.generate.workspace import Workspace

GRAPH: dict[str, list[str]] = {"nodes": [], "edges": []}
FIGURES = ("scores.csv", "metrics.json", "summary.md", "decision.json", "analysis-pack.md")


def run_with(folder: Path, *inputs: str) -> dict[str, bytes]:
    """What a run writes whose recorded model answered these inputs."""
    project = Workspace(folder / "project")
    lines = [{"input": text, "output": GRAPH, "latency_ms": 5} for text in inputs]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    arguments = ["../log.jsonl", "--as", "log"]
    steps = (lambda: ingest.main(arguments), None, lambda: score.main([]), report.main)
    for step in steps:
        done = project.run(main=step) if step else project.run()
        assert done.returncode == 0, done.stderr
    results = project.folder / "results"
    return {file.relative_to(results).as_posix(): file.read_bytes()
            for file in results.rglob("*") if file.is_file()}  # fmt: skip


def test_traffic_has_a_page_and_is_in_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    alone = run_with(tmp_path / "a", "brief 1")
    beside = run_with(tmp_path / "b", "brief 1", "Buy a boat?", "Buy a boat?  ", "Sell it?")
    assert {name: beside[name] for name in FIGURES} == {name: alone[name] for name in FIGURES}
    assert set(beside) - set(alone) == {"site/traffic.html"}
    cards = [json.loads(line) for line in beside["scorecards.jsonl"].splitlines()]
    traffic = [card for card in cards if card.get("traffic")]
    assert len(traffic) == 3
    assert all(card["brief_id"].startswith("traffic-") for card in traffic)
    assert b"Buy a boat?" in beside["site/traffic.html"]
    assert b"traffic.html" in beside["site/index.html"]
    assert b"traffic.html" not in alone["site/index.html"]


def test_the_page_counts_answers_and_says_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    cards = [card("m", "t1", 0.5, traffic=True), invalid("m", "t2", "CYCLE_DETECTED", traffic=True)]
    lines = [line(one.to_json()) for one in (card("m"), *cards)]
    (tmp_path / "results/scorecards.jsonl").write_bytes(b"".join(lines))
    results = Results()
    assert [one.brief_id for one in results.cells] == ["b1"]
    table = traffic_by_model(results.traffic, {"m": "M"})
    assert [entry.text for entry in table.rows[0]] == [
        "M",
        "2",
        "50%",
        "0.500",
        "Cycle detected (1)",
    ]
