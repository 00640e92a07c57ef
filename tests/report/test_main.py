import csv
import io
import json
import os
import re
import subprocess
import sys

import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.records.json_text import line, pretty
from graph_evaluator.report.__main__ import report
from tests import REPOSITORY
from tests.builders.graphs import DRAFT
from tests.builders.responses import response
from tests.builders.scorecards import card, config, invalid, manifest, unanswered

ROOT = REPOSITORY.as_posix()
CARDS = (
    card("a.1", "b1", 0.8),
    invalid("a.1", "b2", "CYCLE_DETECTED"),
    unanswered("server_error", "b", "b1"),
    card("b", "b2", 0.5),
)


def make_repository(folder):
    """Two models, two briefs and four cells, as the stages before leave them."""
    files = {
        "params.yaml": b"prompt: prompts/draft.txt\nmodels: ['*']\nbriefs: ['*']\n",
        "models/a.1.json": config("a.1", "fast").model_dump_json(exclude_none=True).encode(),
        "briefs/b1.md": b"---\ncomplexity: simple\n---\nStay or go?\n",
        "results/run.json": pretty(manifest("a.1", "b", briefs=2).to_json()),
        "results/scorecards.jsonl": b"".join(line(one.to_json()) for one in CARDS),
    }
    for one in CARDS:
        graph = DRAFT if one.status == "success" else None
        answer = response(one.cell, status=one.status, parsed_graph=graph)
        files[f"results/responses/{one.model_id}/{one.brief_id}/response.json"] = pretty(
            answer.to_json()
        )
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


STALE = ("site/cells/old.html", "plots/old.csv")


@pytest.fixture(name="reported", scope="module")
def _reported(tmp_path_factory):
    """A repository that was reported once, over files of an earlier run, and what was printed."""
    folder = tmp_path_factory.mktemp("reported")
    make_repository(folder)
    for name in STALE:
        stale = folder / "results" / name
        stale.parent.mkdir(parents=True)
        stale.write_text("old")
    return folder, run_in(folder, "0")


def run_in(folder, seed):
    """What the command prints, in a process with its own order of sets."""
    given = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": ROOT, "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "graph_evaluator", "report", "--single-file"]
    done = subprocess.run(command, cwd=folder, env=given, check=True, capture_output=True)
    return done.stdout.decode()


def written(repository):
    results = repository / "results"
    files = {file.relative_to(results).as_posix(): file for file in results.rglob("*")}
    inputs = ("responses", "scorecards.jsonl", "run.json")
    return {
        name: file.read_bytes()
        for name, file in files.items()
        if file.is_file() and not name.startswith(inputs)
    }


def test_every_report_is_written_over_that_of_an_earlier_run_and_the_findings_are_printed(reported):
    folder, printed = reported
    names = written(folder)
    assert {"decision.json", "plots/models.csv"} <= set(names)
    assert set(STALE).isdisjoint(names)
    assert b"A.1 is the only candidate:" in names["summary.md"]
    assert b"factor (controllable): Price" in names["analysis-pack.md"]
    assert "A.1 is the only candidate:" in printed
    assert "site: results/site/index.html" in printed
    assert "written: results/site.html" in printed
    assert b'"cell/a.1/b1-1.html"' in names["site.html"]


def test_every_report_has_the_same_figures(reported):
    folder, printed = reported
    names = {name: content.decode() for name, content in written(folder).items()}
    models = json.loads(names["metrics.json"])["models"]
    assert {model: figures["form"] for model, figures in models.items()} == {"a_1": 0.4, "b": 0.5}
    plotted = csv.DictReader(io.StringIO(names["plots/models.csv"]))
    figures = {"a.1": "0.4000", "b": "0.5000"}
    assert {row["model"]: row["expected_score"] for row in plotted} == figures
    for model, mean in (("a.1", 0.4), ("b", 0.5)):
        row = rf"(?i)\b{model}\W(?=.*50% \(1/2\)).*\b{mean:.3f}\b"
        for text in (names["summary.md"], names["analysis-pack.md"], printed):
            assert re.search(row, text), model
        assert f'<td data-v="{mean}">{mean:.3f}</td>' in names["site/index.html"]
        assert f"{mean:.3f}" in names[f"site/model/{model}.html"]


def test_equal_inputs_give_equal_bytes_in_every_process(reported):
    folder, _ = reported
    before = written(folder)
    run_in(folder, "7")
    assert written(folder) == before


@pytest.mark.parametrize("name", ["scorecards.jsonl", "run.json"])
def test_a_repository_without_results_says_what_makes_them(tmp_path, monkeypatch, name):
    make_repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results" / name).unlink()
    with pytest.raises(InputError, match=rf"results/{name}: .*dvc repro makes it"):
        report()
