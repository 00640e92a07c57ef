"""The command as a whole: what it ends with, and what it writes."""

import json
import sys

import pytest

from graph_evaluator.compare.__main__ import main
from graph_evaluator.records.params import Params
from graph_evaluator.score import rules_sha256
from tests.compare.cards import BASE, BETTER, cards, manifest
from tests.compare.repository import Results

pytestmark = pytest.mark.pipeline

PARAMS = "prompt: prompts/v20.txt\nmodels: ['*']\nbriefs: ['*']\n"
TODAY = rules_sha256(
    Params.model_validate({"prompt": "p", "models": ["*"], "briefs": ["*"]}).score, {}
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Two runs, the second one better, and one of another model; only for reading."""
    made = Results(tmp_path_factory.mktemp("main") / "repository")
    made.write(briefs={"params.yaml": PARAMS})
    made.record(manifest(run_id="one"), cards(BASE, rules=TODAY, fingerprint="f"), tag="v1")
    made.record(manifest(run_id="two"), cards(BETTER, rules=TODAY), tag="v2")
    made.record(manifest(run_id="another"), cards(BASE, rules=TODAY, model="n"), tag="another")
    return made


@pytest.fixture(autouse=True)
def here(results, monkeypatch):
    """In the repository."""
    monkeypatch.chdir(results.folder)


def ended(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["compare", *arguments])
    return main()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(("v1", "v2"), 0, id="better"),
        pytest.param(("v2", "v1"), 1, id="worse"),
        pytest.param(
            ("v1", "workspace", "--fail-on", "not-run"),
            4,
            id="could not measure, no answers of these inputs",
        ),
        pytest.param(("--history",), 0, id="a list has no verdict"),
    ],
)
def test_the_command_ends_with_the_code_of_its_verdict(arguments, code, results, monkeypatch):
    if "workspace" in arguments:
        results.write(briefs={"prompts/v20.txt": "Draft.\n", "models/m.json": MODEL})
    assert ended(monkeypatch, *arguments) == code


def test_runs_without_a_common_model_are_named_with_what_to_compare_instead(monkeypatch, capsys):
    assert ended(monkeypatch, "v1", "another") == 4
    printed = " ".join(capsys.readouterr().out.split())
    assert (
        "No model was asked the same brief on both sides: compare runs of the same models, or two "
        "models of one run (--models A B)."
    ) in printed
    assert "Only in v1: m / b01, m / b02" in printed


def test_every_format_is_written_where_it_was_asked_for(tmp_path, monkeypatch, capsys):
    files = {form: tmp_path / f"report.{form}" for form in ("markdown", "json", "html")}
    ended(
        monkeypatch,
        "v1",
        "v2",
        *(part for form, file in files.items() for part in (f"--{form}", str(file))),
    )
    printed = capsys.readouterr().out
    assert [file for file in files.values() if f"written: {file}" not in printed] == []
    assert (
        files["markdown"].read_text(encoding="utf-8").startswith("### 🟢 Better: take v2 instead")
    )
    assert json.loads(files["json"].read_text(encoding="utf-8"))["verdict"] == "better"
    assert "<h1>Better</h1>" in files["html"].read_text(encoding="utf-8")


MODEL = '{"id": "m", "display_name": "M", "provider": "simulated", "model": "sim-careful", "target_mode": "fast"}'
