"""Blind pairs of two prompts, reviewed and counted, with `dvc repro` as users run it."""

import json
import re

import pytest

from graph_evaluator.report.reviews import TITLE
from tests.pipeline.project import ANSWERED, V21

pytestmark = pytest.mark.pipeline


def review(project, key_file):
    """A reviewer who always takes the left graph."""
    key = json.loads(key_file.read_text())
    answer = {"review": key["review"], "reviewer": "ann", "choice": "left"}
    lines = "".join(f"{json.dumps(answer | {'pair': pair['pair']})}\n" for pair in key["pairs"])
    (key_file.parent / f"{key['review']}.ann.jsonl").write_text(lines)


def test_people_compare_two_prompts_and_no_model_is_called_for_it(project, server):
    summary = project / "results/summary.md"
    assert TITLE not in summary.read_text()
    project.set({"prompt": V21})
    project.run("dvc repro score")
    project.run("graph-evaluator review --baseline HEAD --pairs 16")
    (key_file,) = (project / "reviews").glob("*.key.json")
    review(project, key_file)
    printed = project.run("dvc repro")
    assert "Stage 'score' didn't change, skipping" in printed
    shown = summary.read_text().split(TITLE)[1]
    assert re.search(r"\n\| ann +\| +—", shown)
    assert "ann preferred " in shown
    assert server.calls.total() == ANSWERED
