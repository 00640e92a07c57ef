import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stages.contracts.errors import InputError
from stages.contracts.json_text import canonical, pretty
from stages.contracts.response import Response
from stages.report.__main__ import main
from tests.report.records import card, config, invalid, manifest, unanswered

ROOT = Path(__file__).parents[2].as_posix()
GRAPH: Any = {
    "nodes": [
        {"id": "d", "kind": "decision", "label": "Which?"},
        {"id": "o", "kind": "option", "label": "Stay", "data": {"interventions": {"f": 1.0}}},
        {"id": "f", "kind": "factor", "label": "Price", "category": "controllable"},
        {"id": "g", "kind": "goal", "label": "Profit"},
    ],
    "edges": [
        {"from": "d", "to": "o"},
        {"from": "o", "to": "f"},
        {"from": "f", "to": "g", "strength": {"mean": 0.4, "std": 0.1}},
    ],
}
CARDS = (
    card("a.1", "b1", 0.8),
    invalid("a.1", "b2", "CYCLE_DETECTED"),
    unanswered("server_error", "b", "b1"),
    card("b", "b2", 0.5),
)


@pytest.fixture(name="repository")
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two models, two briefs and four cells, as the stages before leave it."""
    monkeypatch.chdir(tmp_path)
    Path("params.yaml").write_text("prompt: prompts/draft.txt\nmodels: ['*']\nbriefs: ['*']\n")
    for name in ("models", "briefs", "results"):
        Path(name).mkdir()
    Path("models/a.1.json").write_text(config("a.1", "fast").model_dump_json(exclude_none=True))
    Path("briefs/b1.md").write_text("---\ncomplexity: simple\n---\nStay or go?\n")
    Path("results/run.json").write_bytes(pretty(manifest("a.1", "b", briefs=2).to_json()))
    Path("results/scorecards.jsonl").write_bytes(b"".join(canonical(one.to_json()) + b"\n" for one in CARDS))
    for one in CARDS:
        folder = Path("results/responses") / one.model_id / one.brief_id
        folder.mkdir(parents=True)
        graph = GRAPH if one.status == "success" else None
        answer = Response(model_id=one.model_id, brief_id=one.brief_id, sample=1, status=one.status, parsed_graph=graph)
        (folder / "response.json").write_bytes(pretty(answer.to_json()))
    return tmp_path


def written(repository: Path) -> dict[str, bytes]:
    inputs = ("responses", "scorecards.jsonl", "run.json")
    files = [file for file in (repository / "results").rglob("*") if file.is_file()]
    names = {file.relative_to(repository / "results").as_posix(): file for file in files}
    return {name: file.read_bytes() for name, file in sorted(names.items()) if not name.startswith(inputs)}


def test_every_report_is_written_and_the_findings_are_printed(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main()
    names = written(repository)
    expected = {"metrics.json", "scores.csv", "summary.md", "analysis-pack.md", "plots/cells.csv", "site/index.html"}
    assert expected <= set(names)
    assert json.loads(names["metrics.json"])["models"] == {"a_1": 0.4, "b": 0.5}
    assert json.loads(names["metrics-models.json"])["a.1"]["cells"] == 2
    assert b'n2["Price"]' in names["summary.md"]
    assert b"factor (controllable): Price" in names["analysis-pack.md"]
    printed = capsys.readouterr().out
    assert "A.1 is the only candidate with a score" in printed
    assert "site: results/site/index.html" in printed


def test_equal_inputs_give_equal_bytes_in_every_process(repository: Path) -> None:
    found = []
    for seed in ("1", "2"):
        given = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": ROOT}
        subprocess.run(
            [sys.executable, "-m", "stages.report"], cwd=repository, env=given, check=True, capture_output=True
        )
        found.append(written(repository))
    assert found[0] == found[1]


def test_pages_of_an_earlier_run_are_removed(repository: Path) -> None:
    stale = repository / "results/site/cells/old.html"
    stale.parent.mkdir(parents=True)
    stale.write_text("old")
    main()
    assert not stale.exists()


def test_a_repository_without_results_says_what_makes_them(repository: Path) -> None:
    (repository / "results/scorecards.jsonl").unlink()
    with pytest.raises(InputError, match="dvc repro makes it"):
        main()


def test_responses_of_another_tool_are_reported_without_a_manifest(repository: Path) -> None:
    (repository / "results/run.json").unlink()
    main()
    assert b"# Results of `unknown`" in written(repository)["summary.md"]
