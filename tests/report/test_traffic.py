"""Answers to inputs that no brief has: a page of their own, and no part of any figure."""

import json
from pathlib import Path

from graph_evaluator.ingest import __main__ as ingest
from graph_evaluator.report import __main__ as report
from graph_evaluator.score import __main__ as score
from tests.generate.workspace import Workspace
from tests.report.page import rows_of_table

GRAPH: dict[str, list[str]] = {"nodes": [], "edges": []}
FIGURES = ("scores.csv", "metrics.json", "summary.md", "decision.json", "analysis-pack.md")


def run_with(folder: Path, *inputs: str) -> dict[str, bytes]:
    """What a run writes whose recorded model answered these inputs."""
    project = Workspace(folder / "project")
    lines = [{"input": text, "output": GRAPH, "latency_ms": 5} for text in inputs]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    runs = (
        project.run(main=lambda: ingest.main(["../log.jsonl", "--as", "log"])),
        project.run(),
        project.run(main=lambda: score.main([])),
        project.run(main=report.main),
    )
    assert [done.returncode for done in runs] == [0] * 4, runs
    results = project.folder / "results"
    files = [file for file in results.rglob("*") if file.is_file()]
    return {file.relative_to(results).as_posix(): file.read_bytes() for file in files}


def test_traffic_has_a_page_and_is_in_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    alone = run_with(tmp_path / "a", "brief 1")
    beside = run_with(tmp_path / "b", "brief 1", "Buy a boat?", "Buy a boat?  ", "Sell it?")
    assert {name: beside[name] for name in FIGURES} == {name: alone[name] for name in FIGURES}
    assert set(beside) - set(alone) == {"site/traffic.html"}
    assert b"traffic.html" in beside["site/index.html"]
    assert b"traffic.html" not in alone["site/index.html"]
    page = beside["site/traffic.html"]
    (model,) = rows_of_table(page, "traffic")
    assert model[:3] == ["log", "3", "0%"]
    assert model[-1].count("(3)") == 3
    answers = rows_of_table(page, "traffic-answers")
    assert sorted(row[0] for row in answers) == ["Buy a boat?", "Buy a boat?", "Sell it?"]
