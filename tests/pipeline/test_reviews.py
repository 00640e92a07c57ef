"""Blind pairs of two prompts, reviewed and counted, with `dvc repro` as users run it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders.provider import CountingServer
from tests.pipeline.project import ANSWERED, V21, Project

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


def test_people_compare_two_prompts_and_no_model_is_called_for_it(
    project: Project, server: CountingServer
) -> None:
    assert agreement(project)["reviews"] == 0
    project.set({"prompt": V21})
    project.dvc("repro", "score")
    project.run("python", "-m", "stages.review", "--base", "HEAD", "--pairs", "16")
    (key_file,) = (project.folder / "reviews").glob("*.key.json")
    review(project, key_file)
    printed = project.dvc("repro", "agree")
    assert "Running stage 'agree'" in printed
    assert "Stage 'score' didn't change, skipping" in printed
    found = agreement(project)
    (preference,) = found["preferences"]
    plain = preference["preferred_first"] + preference["preferred_second"]
    assert plain == found["judgements"] == found["not_in_run"] > 0
    assert [one["controls_missed"] for one in found["reviewers"]] == [0]
    assert server.calls.total() == ANSWERED
