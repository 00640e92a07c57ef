"""Blind pairs of two prompts, reviewed and counted, with `dvc repro` as users run it."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.project import CELLS, Project

pytestmark = pytest.mark.pipeline


def agreement(project: Project) -> Any:
    return json.loads((project.folder / "results/agreement.json").read_text(encoding="utf-8"))


def review(project: Project, key_file: Path) -> None:
    """A reviewer who always takes the left graph, and is careful with controls."""
    key = json.loads(key_file.read_text(encoding="utf-8"))
    answers = [
        {
            "review": key["review"],
            "reviewer": "ann",
            "pair": pair["pair"],
            "choice": "right" if pair["damaged"] == "left" else "left",
        }
        for pair in key["pairs"]
    ]
    lines = "".join(json.dumps(answer) + "\n" for answer in answers)
    (key_file.parent / f"{key['review']}.ann.jsonl").write_text(lines, encoding="utf-8")


def test_people_compare_two_prompts_and_no_model_is_called_for_it(project: Project) -> None:
    assert agreement(project)["reviews"] == 0
    project.set({"prompt": "prompts/draft_graph_v21.txt"})
    project.dvc("repro")
    project.run(sys.executable, "-m", "stages.review", "--base", "HEAD", "--pairs", "16")
    (key_file,) = (project.folder / "reviews").glob("*.key.json")
    review(project, key_file)
    printed = project.dvc("repro")
    assert "Running stage 'agree'" in printed
    assert "Stage 'score' didn't change, skipping" in printed
    found = agreement(project)
    (preference,) = found["preferences"]
    plain = preference["preferred_first"] + preference["preferred_second"]
    assert plain == found["judgements"] == found["not_in_run"] > 0
    assert [one["controls_missed"] for one in found["reviewers"]] == [0]
    assert project.answers() == 2 * CELLS


def test_a_page_for_reviewers_makes_no_stage_run(project: Project) -> None:
    (project.folder / "reviews" / "0123456789.html").write_text("a page", encoding="utf-8")
    assert "Data and pipelines are up to date" in project.dvc("status")
